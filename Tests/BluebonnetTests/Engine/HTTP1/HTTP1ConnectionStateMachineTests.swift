import NIOCore
import Testing

@testable import Bluebonnet

/// When a connection may take another exchange, what it does with received bytes, and what its end
/// means.
@Suite struct HTTP1ConnectionStateMachineTests {
    private typealias Machine = HTTP1Connection.StateMachine

    private let bytes = ByteBuffer(string: "HTTP")
    private static let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let lastResponse = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"

    /// A machine on which an exchange is under way.
    private func busy() -> Machine {
        var machine = Machine()
        _ = machine.begin()
        return machine
    }

    /// Feeds the machine. Returns its events, in words.
    private func feed(_ machine: inout Machine, _ text: String) throws -> [String] {
        var bytes = ByteBuffer(string: text)
        var words: [String] = []
        while let event = try machine.next(&bytes) {
            switch event {
            case .informational(let head): words.append("informational \(head.statusCode)")
            case .head(let head, _): words.append("head \(head.statusCode)")
            case .body(let piece): words.append("body \(piece.readableBytes)")
            case .end: words.append("end")
            }
        }
        return words
    }

    /// A machine on which a response is complete.
    private func complete(
        _ response: String = Self.response,
        hasBytesLeft: Bool = false,
        isRequestSent: Bool = true,
        asksForClose: Bool = false
    ) throws -> Machine {
        var machine = busy()
        _ = try feed(&machine, response)
        machine.end(hasBytesLeft: hasBytesLeft, isRequestSent: isRequestSent, asksForClose: asksForClose)
        return machine
    }

    /// A machine that has served one exchange and is idle again.
    private func served() throws -> Machine {
        var machine = try complete()
        _ = machine.settle()
        return machine
    }

    @Test func `an HTTP/1.1 exchange passes through its stages`() throws {
        var machine = Machine()
        #expect(machine.stage == .idle && !machine.isBusy && !machine.hasServed)
        let begins = machine.begin()
        #expect(begins && machine.isBusy && machine.stage == .awaitingHead)
        let informational = try feed(&machine, "HTTP/1.1 103 Early Hints\r\n\r\n")
        #expect(informational == ["informational 103"] && machine.stage == .awaitingHead)
        let head = try feed(&machine, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        #expect(head == ["head 200"] && machine.isBusy && machine.stage == .receivingBody)
        let body = try feed(&machine, "ok")
        #expect(body == ["body 2", "end"] && machine.isBusy)
        machine.end(hasBytesLeft: false, isRequestSent: true, asksForClose: false)
        #expect(machine.stage == .complete(isReusable: true) && !machine.isBusy && machine.hasServed)
        let next = [machine.settle(), machine.settle()]
        #expect(next == [.release, nil] && machine.stage == .idle && !machine.isDoomed)
        let beginsAgain = machine.begin()
        #expect(beginsAgain)
    }

    @Test func `a connection takes no second exchange before the first one is settled`() throws {
        var (first, complete) = (busy(), try complete())
        let duringFirst = first.begin()
        let beforeSettled = complete.begin()
        #expect(!duringFirst && !beforeSettled)
    }

    @Test(arguments: [
        (lastResponse, false, true, false), (response, true, true, false), (response, false, false, false),
        (response, false, true, true),
    ])
    func `a connection ends after a last response, a requested close, bytes after a response, or an early response`(
        response: String,
        hasBytesLeft: Bool,
        isRequestSent: Bool,
        asksForClose: Bool
    ) throws {
        var machine = try complete(
            response,
            hasBytesLeft: hasBytesLeft,
            isRequestSent: isRequestSent,
            asksForClose: asksForClose
        )
        let next = machine.settle()
        #expect(next == .close && machine.isDoomed)
        let beginsAgain = machine.begin()
        #expect(!beginsAgain)
    }

    @Test func `a server that speaks HTTP/1.0 is known after its response`() throws {
        var machine = busy()
        _ = try feed(&machine, "HTTP/1.0 200 OK\r\n\r\n")
        #expect(machine.servesHTTP10)
    }

    @Test func `an exchange that ended before it was sent leaves the connection as it was`() throws {
        var machine = try served()
        _ = machine.begin()
        machine.endUnsent()
        let begins = machine.begin()
        #expect(begins)
    }

    // MARK: Bytes

    @Test func `unsolicited bytes close the connection`() throws {
        var machine = try served()
        let received = machine.received(bytes, isSuspended: false)
        #expect(received == .close)
    }

    @Test func `bytes after a complete response are not parsed, and the connection is not used again`() throws {
        var machine = try complete()
        let received = machine.received(bytes, isSuspended: false)
        let next = machine.settle()
        #expect(received == .ignore && next == .close)
    }

    @Test func `bytes that arrive while the task is suspended are held, and later ones wait for their turn`() {
        var machine = busy()
        let later = ByteBuffer(string: "later")
        // The task is resumed, but the held bytes are not parsed yet.
        let received = [machine.received(bytes, isSuspended: true), machine.received(later, isSuspended: false)]
        #expect(received == [.hold, .hold] && machine.holdsBytes)
        let taken = [machine.takeHeld(), machine.takeHeld(), machine.takeHeld()]
        #expect(taken == [bytes, later, nil] && !machine.holdsBytes)
        let next = machine.received(bytes, isSuspended: false)
        #expect(next == .parse)
    }

    @Test func `a response with held bytes after it, or with a deferred read, ends the connection`() throws {
        var (holding, pausing) = (busy(), busy())
        _ = holding.received(bytes, isSuspended: true)
        let reads = pausing.requestRead(mayRead: false)
        #expect(!reads)
        for var machine in [holding, pausing] {
            _ = try feed(&machine, Self.response)
            machine.end(hasBytesLeft: false, isRequestSent: true, asksForClose: false)
            #expect(!machine.holdsBytes)
            let next = machine.settle()
            #expect(next == .close)
        }
    }

    @Test func `a deferred read is made once`() {
        var machine = busy()
        #expect(machine.requestRead(mayRead: true) && !machine.takePendingRead())
        _ = machine.requestRead(mayRead: false)
        let pending = [machine.takePendingRead(), machine.takePendingRead()]
        #expect(pending == [true, false])
    }

    // MARK: The end

    @Test func `a connection that is to close is idle and takes no exchange`() throws {
        var machine = try served()
        _ = machine.begin()
        _ = machine.received(bytes, isSuspended: true)
        machine.doom()
        #expect(machine.isDoomed && !machine.isBusy && !machine.holdsBytes)
        let begins = machine.begin()
        #expect(!begins)
    }

    @Test func `a connection that is to close still settles a complete response, and closes`() throws {
        var machine = try complete()
        machine.doom()
        let next = machine.settle()
        #expect(next == .close)
    }

    @Test func `a connection leaves the pool once`() throws {
        var machine = try served()
        let leaves = [machine.leavePool(), machine.leavePool()]
        #expect(leaves == [true, false])
    }

    @Test func `a closed connection was stale only if it had been used and before the first byte of the response`()
        throws
    {
        #expect(!busy().isStale)
        var used = try served()
        #expect(!used.isStale)
        _ = used.begin()
        #expect(used.isStale)
        _ = try feed(&used, "H")
        #expect(!used.isStale)
        #expect(throws: HTTP1ParseError.self) { try used.finish() }
    }

    @Test func `after the end of its input a connection still completes a response, and takes no exchange`() throws {
        var machine = try served()
        _ = machine.begin()
        machine.inputEnded()
        #expect(machine.isBusy && machine.isStale)
        _ = try feed(&machine, Self.response)
        machine.end(hasBytesLeft: false, isRequestSent: true, asksForClose: false)
        let next = machine.settle()
        let beginsAgain = machine.begin()
        #expect(next == .close && !beginsAgain)
    }
}
