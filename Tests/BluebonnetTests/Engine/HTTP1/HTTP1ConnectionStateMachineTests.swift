import Testing

@testable import Bluebonnet

/// When a connection may serve again, and what its end means.
@Suite struct HTTP1ConnectionStateMachineTests {
    private typealias Machine = HTTP1Connection.StateMachine

    /// A machine that has served one exchange and is idle again.
    private func served() -> Machine {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: false)
        machine.receivedHead()
        _ = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        return machine
    }

    @Test func `an exchange passes through its phases`() {
        var machine = Machine()
        #expect(!machine.isBusy && !machine.hasServed && machine.request == .idle)
        let begins = machine.begin(sendsBodyLater: false)
        #expect(begins && machine.isBusy && machine.request == .sent && machine.response == .awaitingHead)
        machine.receivedHead()
        #expect(machine.isBusy && machine.response == .receivingBody)
        let after = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        #expect(after == .release && !machine.isBusy && machine.hasServed && !machine.isDoomed)
        let beginsAgain = machine.begin(sendsBodyLater: false)
        #expect(beginsAgain)
    }

    @Test func `a busy connection takes no second exchange`() {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: false)
        let second = machine.begin(sendsBodyLater: false)
        #expect(!second)
    }

    @Test func `a body that is sent later ends the sending when it says so`() {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: true)
        #expect(machine.request == .sending)
        machine.requestSent()
        #expect(machine.request == .sent)
        machine.receivedHead()
        let after = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        #expect(after == .release)
    }

    @Test(arguments: [(true, true), (false, false), (false, true)])
    func `a connection ends with a response that is the last one or has bytes behind it`(
        isKeepAlive: Bool,
        hasBytesLeft: Bool
    ) {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: false)
        machine.receivedHead()
        let after = machine.receivedEnd(isKeepAlive: isKeepAlive, hasBytesLeft: hasBytesLeft)
        #expect(after == .close && machine.isDoomed)
        let beginsAgain = machine.begin(sendsBodyLater: false)
        #expect(!beginsAgain)
    }

    @Test func `a connection ends with a response that came before the request was sent`() {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: true)
        machine.receivedHead()
        let after = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        #expect(after == .close && machine.isDoomed)
    }

    // MARK: 100 Continue

    @Test func `a body that expects leave waits for it, once`() {
        var machine = Machine()
        let begins = machine.begin(sendsBodyLater: true, expectsContinue: true)
        #expect(begins && machine.request == .awaitingContinue && machine.isBusy)
        let continues = [machine.continues(), machine.continues()]
        #expect(continues == [true, false] && machine.request == .sending)
        machine.requestSent()
        machine.receivedHead()
        let after = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        #expect(after == .release)
    }

    @Test func `an answer before the leave withholds the body and ends the connection`() {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: true, expectsContinue: true)
        machine.receivedHead()
        #expect(machine.request == .withheld)
        let continues = machine.continues()
        #expect(!continues && machine.request == .withheld)
        let after = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        #expect(after == .close && machine.isDoomed)
    }

    @Test func `leave that nobody asked for changes nothing`() {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: false, expectsContinue: true)
        let continues = machine.continues()
        #expect(!continues && machine.request == .sent)
    }

    @Test func `a server that speaks HTTP/1.0 is not waited for`() {
        var machine = Machine()
        _ = machine.begin(sendsBodyLater: false)
        machine.receivedHead(isHTTP10: true)
        _ = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        _ = machine.begin(sendsBodyLater: true, expectsContinue: true)
        #expect(machine.request == .sending)
    }

    @Test func `a used connection that ends during the wait was stale`() {
        var machine = served()
        _ = machine.begin(sendsBodyLater: true, expectsContinue: true)
        #expect(machine.isStale(hasReceivedBytes: false) && !machine.isStale(hasReceivedBytes: true))
    }

    @Test func `a doomed connection is idle and takes nothing`() {
        var machine = served()
        _ = machine.begin(sendsBodyLater: true)
        machine.doom()
        #expect(machine.isDoomed && !machine.isBusy)
        machine.requestSent()
        #expect(machine.request == .idle)
        let begins = machine.begin(sendsBodyLater: false)
        #expect(!begins)
    }

    @Test func `an end is stale only on a used connection before the first byte of the answer`() {
        var fresh = Machine()
        _ = fresh.begin(sendsBodyLater: false)
        #expect(!fresh.isStale(hasReceivedBytes: false))

        var used = served()
        #expect(!used.isStale(hasReceivedBytes: false))
        _ = used.begin(sendsBodyLater: false)
        #expect(used.isStale(hasReceivedBytes: false))
        #expect(!used.isStale(hasReceivedBytes: true))
        used.receivedHead()
        #expect(!used.isStale(hasReceivedBytes: false))
    }

    @Test func `after the end of the input a response still counts, and nothing more is sent`() {
        var machine = served()
        _ = machine.begin(sendsBodyLater: false)
        machine.endIsNear()
        #expect(machine.isBusy && machine.isStale(hasReceivedBytes: false))
        machine.receivedHead()
        let after = machine.receivedEnd(isKeepAlive: true, hasBytesLeft: false)
        let beginsAgain = machine.begin(sendsBodyLater: false)
        #expect(after == .close && !beginsAgain)
    }
}
