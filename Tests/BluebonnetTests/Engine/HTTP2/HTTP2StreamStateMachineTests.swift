import Testing

@testable import Bluebonnet

/// What the frames of a response mean, as values (RFC 9113 §8.1).
@Suite struct HTTP2StreamStateMachineTests {
    private typealias Machine = HTTP2Stream.StateMachine

    private func head(
        _ status: Int = 200,
        length: Int? = nil,
        ends: Bool = false,
        isHead: Bool = false
    ) throws -> Machine {
        var machine = Machine(isHead: isHead)
        _ = try machine.received(statusCode: status, contentLength: length, endsStream: ends)
        return machine
    }

    private func kind(_ body: () throws -> Void) -> HTTP2Fault.Kind? {
        do {
            try body()
            return nil
        } catch {
            return (error as? HTTP2Fault)?.kind
        }
    }

    @Test func `a response is complete at the end of its stream`() throws {
        var machine = try head(length: 5)
        try machine.received(bytes: 2, endsStream: false)
        #expect(machine.stage == .receivingBody)
        try machine.received(bytes: 3, endsStream: true)
        #expect(machine.stage == .complete)
    }

    @Test func `what is still to come of a response is known where its length is`() throws {
        var machine = try head(length: 5)
        try machine.received(bytes: 2, endsStream: false)
        #expect(machine.rest == 3)
        #expect(try head().rest == nil)
        #expect(try head(length: 5, isHead: true).rest == 0)
    }

    @Test func `trailers end a response`() throws {
        var machine = try head()
        try machine.received(bytes: 2, endsStream: false)
        try machine.receivedTrailers(endsStream: true)
        #expect(machine.stage == .complete)
    }

    @Test func `informational responses come before the final one`() throws {
        var machine = Machine(isHead: false)
        for status in [100, 103, 104] {
            let section = try machine.received(statusCode: status, contentLength: nil, endsStream: false)
            #expect(section == .informational && machine.stage == .awaitingHead)
        }
        let section = try machine.received(statusCode: 200, contentLength: 7, endsStream: false)
        #expect(section == .final(bodyLength: 7))
    }

    @Test(arguments: [(204, false), (304, false), (200, true)])
    func `a response without content may have a content-length`(status: Int, isHead: Bool) throws {
        let machine = try head(status, length: 5, ends: true, isHead: isHead)
        #expect(machine.stage == .complete)
    }

    @Test func `content must have the length that was said`() throws {
        #expect(kind { _ = try head(length: 1, ends: true) } == .lengthMismatch)
        var short = try head(length: 2)
        #expect(kind { try short.received(bytes: 1, endsStream: true) } == .lengthMismatch)
        var long = try head(length: 2)
        #expect(kind { try long.received(bytes: 3, endsStream: false) } == .lengthMismatch)
        var empty = try head(isHead: true)
        #expect(kind { try empty.received(bytes: 1, endsStream: true) } == .lengthMismatch)
    }

    @Test func `frames out of their order are refused`() throws {
        var early = Machine(isHead: false)
        #expect(kind { try early.received(bytes: 1, endsStream: false) } == .violation)
        #expect(kind { _ = try head(103, ends: true) } == .violation)
        #expect(kind { _ = try head(101) } == .unexpectedResponse)
        var second = try head()
        #expect(kind { try second.receivedTrailers(endsStream: false) } == .violation)
    }

    @Test func `informational responses are bounded`() throws {
        var machine = Machine(isHead: false)
        // Those of an upload's progress have a limit of their own.
        for _ in 0...HTTP1Limits.informationalCount {
            _ = try machine.received(statusCode: 104, contentLength: nil, endsStream: false)
        }
        for _ in 0..<HTTP1Limits.informationalCount {
            _ = try machine.received(statusCode: 103, contentLength: nil, endsStream: false)
        }
        let kind = kind { _ = try machine.received(statusCode: 103, contentLength: nil, endsStream: false) }
        #expect(kind == .unexpectedResponse)
    }
}
