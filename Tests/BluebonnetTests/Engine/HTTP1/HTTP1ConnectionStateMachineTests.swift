import NIOCore
import Testing

@testable import Bluebonnet

/// When a connection may serve again, what becomes of bytes that come, and what its end means.
@Suite struct HTTP1ConnectionStateMachineTests {
    private typealias Machine = HTTP1Connection.StateMachine

    private let bytes = ByteBuffer(string: "HTTP")

    /// A machine on which an exchange is under way.
    private func busy() -> Machine {
        var machine = Machine()
        _ = machine.begin()
        return machine
    }

    /// A machine that has served one exchange and is idle again.
    private func served() -> Machine {
        var machine = busy()
        machine.receivedHead()
        machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
        _ = machine.settle()
        return machine
    }

    @Test func `an exchange passes through its stages`() {
        var machine = Machine()
        #expect(machine.stage == .idle && !machine.isBusy && !machine.hasServed)
        let begins = machine.begin()
        #expect(begins && machine.isBusy && machine.stage == .awaitingHead)
        machine.receivedHead()
        #expect(machine.isBusy && machine.stage == .receivingBody)
        machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
        #expect(machine.stage == .complete(isReusable: true) && !machine.isBusy && machine.hasServed)
        let next = [machine.settle(), machine.settle()]
        #expect(next == [.release, nil] && machine.stage == .idle && !machine.isDoomed)
        let beginsAgain = machine.begin()
        #expect(beginsAgain)
    }

    @Test func `a connection takes no second exchange before the first one is settled`() {
        var machine = busy()
        let duringFirst = machine.begin()
        machine.receivedHead()
        machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
        let beforeSettled = machine.begin()
        #expect(!duringFirst && !beforeSettled)
    }

    @Test(arguments: [(true, true, true), (false, false, true), (false, true, true), (true, false, false)])
    func
        `a connection ends with a response that is the last one, has bytes behind it, or came before the request was sent`(
            isKeepAlive: Bool,
            hasBytesLeft: Bool,
            isRequestSent: Bool
        )
    {
        var machine = busy()
        machine.receivedHead()
        machine.receivedEnd(isKeepAlive: isKeepAlive, hasBytesLeft: hasBytesLeft, isRequestSent: isRequestSent)
        let next = machine.settle()
        #expect(next == .close && machine.isDoomed)
        let beginsAgain = machine.begin()
        #expect(!beginsAgain)
    }

    @Test func `a server that speaks HTTP/1.0 is known after its response`() {
        var machine = busy()
        machine.receivedHead(isHTTP10: true)
        #expect(machine.servesHTTP10)
    }

    @Test func `an exchange that ended unsent leaves the connection as it was`() {
        var machine = served()
        _ = machine.begin()
        machine.endedUnsent()
        let begins = machine.begin()
        #expect(begins)
    }

    // MARK: Bytes

    @Test func `bytes that nobody asked for close the connection`() {
        var machine = served()
        let received = machine.received(bytes, isSuspended: false)
        #expect(received == .close)
    }

    @Test func `bytes behind a complete response are not looked at, and the connection is not used again`() {
        var machine = busy()
        machine.receivedHead()
        machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
        let received = machine.received(bytes, isSuspended: false)
        let next = machine.settle()
        #expect(received == .ignore && next == .close)
    }

    @Test func `bytes that come while the task is suspended are held, and those behind them wait for their turn`() {
        var machine = busy()
        let later = ByteBuffer(string: "later")
        // The task goes on; what was held has not been looked at.
        let received = [machine.received(bytes, isSuspended: true), machine.received(later, isSuspended: false)]
        #expect(received == [.hold, .hold] && machine.holdsBytes)
        let taken = [machine.takeHeld(), machine.takeHeld(), machine.takeHeld()]
        #expect(taken == [bytes, later, nil] && !machine.holdsBytes)
        let next = machine.received(bytes, isSuspended: false)
        #expect(next == .parse)
    }

    @Test func `a response with held bytes behind it, or with a read that was put off, ends the connection`() {
        var (holding, pausing) = (busy(), busy())
        _ = holding.received(bytes, isSuspended: true)
        let reads = pausing.reads(mayRead: false)
        #expect(!reads)
        for var machine in [holding, pausing] {
            machine.receivedHead()
            machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
            #expect(!machine.holdsBytes)
            let next = machine.settle()
            #expect(next == .close)
        }
    }

    @Test func `a read that was put off is made once`() {
        var machine = busy()
        #expect(machine.reads(mayRead: true) && !machine.takePendingRead())
        _ = machine.reads(mayRead: false)
        let pending = [machine.takePendingRead(), machine.takePendingRead()]
        #expect(pending == [true, false])
    }

    // MARK: The end

    @Test func `a doomed connection is idle and takes nothing`() {
        var machine = served()
        _ = machine.begin()
        _ = machine.received(bytes, isSuspended: true)
        machine.doom()
        #expect(machine.isDoomed && !machine.isBusy && !machine.holdsBytes)
        let begins = machine.begin()
        #expect(!begins)
    }

    @Test func `a response that is complete is handed over although the connection is doomed`() {
        var machine = busy()
        machine.receivedHead()
        machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
        machine.doom()
        let next = machine.settle()
        #expect(next == .close)
    }

    @Test func `the pool is told once that a connection goes`() {
        var machine = served()
        let leaves = [machine.leavesPool(), machine.leavesPool()]
        #expect(leaves == [true, false])
    }

    @Test func `an end is stale only on a used connection before the first byte of the response`() {
        #expect(!busy().isStale(hasReceivedBytes: false))
        var used = served()
        #expect(!used.isStale(hasReceivedBytes: false))
        _ = used.begin()
        #expect(used.isStale(hasReceivedBytes: false) && !used.isStale(hasReceivedBytes: true))
        used.receivedHead()
        #expect(!used.isStale(hasReceivedBytes: false))
    }

    @Test func `after the end of the input a response still counts, and nothing more is sent`() {
        var machine = served()
        _ = machine.begin()
        machine.inputEnded()
        #expect(machine.isBusy && machine.isStale(hasReceivedBytes: false))
        machine.receivedHead()
        machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false, isRequestSent: true)
        let next = machine.settle()
        let beginsAgain = machine.begin()
        #expect(next == .close && !beginsAgain)
    }
}
