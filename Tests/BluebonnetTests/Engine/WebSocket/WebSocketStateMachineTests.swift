import NIOCore
import Testing

@testable import Bluebonnet

/// RFC 6455 §5.5 and §7, as values.
@Suite struct WebSocketStateMachineTests {
    private typealias Machine = WebSocketConnection.StateMachine

    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func machine(_ change: (inout WebSocketOptions) -> Void = { _ in }) -> Machine {
        Machine(WebSocketOptions(change), now: start)
    }

    private func at(_ seconds: Int64) -> NIODeadline { start + .seconds(seconds) }

    // MARK: The close handshake

    @Test func `a Close frame is returned with its code, and the server ends the connection`() {
        var machine = machine()
        let closure = WebSocketClosure(code: .goingAway, reason: "bye")
        let reply1 = machine.received(closure, now: start)
        #expect(reply1 == .sendClose(.goingAway))
        #expect(!machine.maySend && !machine.mayReceive)
        let end = WebSocketEnd(of: machine, nil, server: "server")
        #expect(end.closure == closure && end.error == nil)
    }

    @Test func `a Close frame without a code is returned without one`() {
        var machine = machine()
        let reply2 = machine.received(WebSocketClosure(code: .noStatus), now: start)
        #expect(reply2 == .sendClose(nil))
    }

    @Test func `a Close frame with an error is one`() {
        var machine = machine()
        _ = machine.received(WebSocketClosure(code: .policyViolation), now: start)
        let end = WebSocketEnd(of: machine, nil, server: "server")
        #expect(end.error?.code == .webSocketClosed)
        #expect(end.error?.webSocketClosure?.code == .policyViolation)
    }

    @Test func `this side closes once, sends nothing behind that, and still receives`() {
        var machine = machine()
        let isClosing3 = machine.close(now: start)
        #expect(isClosing3)
        let isClosing4 = machine.close(now: start)
        #expect(!isClosing4)
        #expect(!machine.maySend && machine.mayReceive)
        let reply5 = machine.received(ping: ())
        #expect(reply5 == .sendPong)
        // The peer's own Close frame is not answered again, and is no error, whatever its code is.
        let reply6 = machine.received(WebSocketClosure(code: 4000), now: start)
        #expect(reply6 == .none)
        let reply7 = machine.received(ping: ())
        #expect(reply7 == .none)
        let end = WebSocketEnd(of: machine, nil, server: "server")
        #expect(end.closure.code == 4000 && end.error == nil)
    }

    @Test func `each half of the close handshake has its time`() {
        var machine = machine { $0.closeTimeout = .seconds(5) }
        let isClosing8 = machine.close(now: at(1))
        #expect(isClosing8)
        #expect(machine.nextDeadline == at(6))
        let expiry9 = machine.expire(now: at(5))
        #expect(expiry9 == .goOn)
        _ = machine.received(WebSocketClosure(code: .normalClosure), now: at(5))
        let expiry10 = machine.expire(now: at(9))
        #expect(expiry10 == .goOn)
        let expiry11 = machine.expire(now: at(10))
        #expect(expiry11 == .closeTimedOut)
    }

    @Test func `a fault is told once, and what follows it is dropped`() {
        var machine = machine()
        let reply12 = machine.fail(.invalidPayload("bad"), now: start)
        #expect(reply12 == .sendClose(.invalidPayload))
        let reply13 = machine.fail(.protocolError("worse"), now: start)
        #expect(reply13 == .none)
        let reply14 = machine.received(WebSocketClosure(code: .normalClosure), now: start)
        #expect(reply14 == .none)
        #expect(!machine.mayReceive)
        let end = WebSocketEnd(of: machine, nil, server: "server")
        #expect(end.error?.code == .webSocketProtocolError)
        #expect(end.error?.webSocketClosure?.code == .invalidPayload)
    }

    @Test func `behind its own Close frame this side tells no fault`() {
        var machine = machine()
        _ = machine.close(now: start)
        let reply15 = machine.fail(.protocolError("bad"), now: start)
        #expect(reply15 == .none)
    }

    @Test func `the end of a connection without a Close frame is an error`() {
        let end = WebSocketEnd(of: machine(), nil, server: "server")
        #expect(end.error?.code == .connectionLost)
        #expect(end.closure.code == .abnormalClosure)
    }

    // MARK: Pings

    @Test func `a ping is sent in each interval, one at a time`() {
        var machine = machine {
            $0.pingInterval = .seconds(10)
            $0.pingTimeout = .seconds(15)
        }
        #expect(machine.nextDeadline == at(10))
        let expiry16 = machine.expire(now: at(10))
        #expect(expiry16 == .sendPing(1))
        let expiry17 = machine.expire(now: at(20))
        #expect(expiry17 == .goOn)
        let pongs = machine.received(pong: 1, now: at(22))
        #expect(pongs.map(\.number) == [1] && pongs.first?.time == .seconds(12))
        let expiry18 = machine.expire(now: at(30))
        #expect(expiry18 == .sendPing(2))
        let expiry19 = machine.expire(now: at(45))
        #expect(expiry19 == .pingTimedOut)
    }

    @Test func `a pong is that of all pings before it, and one that nobody asked for is nothing`() {
        var machine = machine()
        let numbers = (0..<3).map { _ in machine.sendPing(now: start) }
        let reply20 = machine.received(pong: 77, now: start)
        #expect(reply20.isEmpty)
        let reply21 = machine.received(pong: numbers[1], now: at(1))
        #expect(reply21.map(\.number) == Array(numbers[...1]))
        let reply22 = machine.received(pong: numbers[0], now: at(1))
        #expect(reply22.isEmpty)
        let reply23 = machine.received(pong: numbers[2], now: at(2))
        #expect(reply23.map(\.number) == [numbers[2]])
    }

    @Test func `a pong is not waited for while nothing is read`() {
        var machine = machine {
            $0.pingInterval = nil
            $0.pingTimeout = .seconds(5)
        }
        #expect(machine.nextDeadline == nil)
        _ = machine.sendPing(now: start)
        #expect(machine.nextDeadline == at(5))
        machine.setReading(false, now: at(1))
        #expect(machine.nextDeadline == nil)
        let expiry24 = machine.expire(now: at(100))
        #expect(expiry24 == .goOn)
        machine.setReading(true, now: at(100))
        let expiry25 = machine.expire(now: at(104))
        #expect(expiry25 == .goOn)
        let expiry26 = machine.expire(now: at(105))
        #expect(expiry26 == .pingTimedOut)
    }

    @Test func `no ping is sent behind a Close frame`() {
        var machine = machine { $0.pingInterval = .seconds(1) }
        _ = machine.close(now: start)
        let expiry27 = machine.expire(now: at(2))
        #expect(expiry27 == .goOn)
    }

    @Test func `a peer that sends is there, also where its pong is still to come`() {
        var machine = machine {
            $0.pingInterval = nil
            $0.pingTimeout = .seconds(5)
        }
        _ = machine.sendPing(now: start)
        machine.heard(now: at(4))
        let expiry28 = machine.expire(now: at(8))
        #expect(expiry28 == .goOn)
        #expect(machine.nextDeadline == at(9))
        let expiry29 = machine.expire(now: at(9))
        #expect(expiry29 == .pingTimedOut)
    }

    @Test func `a peer that takes what was sent before a ping is there`() {
        var machine = machine {
            $0.pingInterval = nil
            $0.pingTimeout = .seconds(5)
        }
        machine.wrote(1000)
        machine.looked(unsent: 900, now: at(0))
        _ = machine.sendPing(now: at(0))
        machine.wrote(5000)
        // It has taken 200 bytes more.
        machine.looked(unsent: 5700, now: at(5))
        let expiry = machine.expire(now: at(5))
        #expect(expiry == .goOn)
        #expect(machine.nextDeadline == at(10))
        // Then the ping as well: its pong can come from now on.
        machine.looked(unsent: 0, now: at(10))
        #expect(machine.nextDeadline == at(15))
        machine.wrote(100)
        machine.looked(unsent: 0, now: at(15))
        let end = machine.expire(now: at(15))
        #expect(end == .pingTimedOut)
    }

    @Test func `a peer that takes nothing, or only the ping, has the time of its pong`() {
        for takesPing in [true, false] {
            var machine = machine {
                $0.pingInterval = nil
                $0.pingTimeout = .seconds(5)
            }
            machine.wrote(1000)
            machine.looked(unsent: takesPing ? 0 : 1000, now: at(0))
            _ = machine.sendPing(now: at(0))
            machine.wrote(14)
            machine.looked(unsent: takesPing ? 0 : 1014, now: at(5))
            let expiry = machine.expire(now: at(5))
            #expect(expiry == .pingTimedOut)
        }
    }

    @Test func `a close that is wanted is one from then on, until the peer has closed`() {
        var machine = machine()
        #expect(!machine.isClosing)
        machine.wantsToClose(now: at(0))
        #expect(machine.isClosing && machine.maySend)
        _ = machine.close(now: at(1))
        #expect(machine.isClosing && !machine.maySend)
        _ = machine.received(WebSocketClosure(code: .normalClosure), now: at(2))
        #expect(!machine.isClosing)
    }

    @Test func `a close that cannot be sent has its time, too`() {
        var machine = machine {
            $0.pingInterval = nil
            $0.closeTimeout = .seconds(5)
        }
        machine.wantsToClose(now: at(1))
        machine.wantsToClose(now: at(3))
        #expect(machine.nextDeadline == at(6))
        let expiry30 = machine.expire(now: at(5))
        #expect(expiry30 == .goOn)
        let expiry31 = machine.expire(now: at(6))
        #expect(expiry31 == .sendingStopped)
        let end = WebSocketEnd.sendingStopped(by: "server", for: .seconds(5))
        #expect(end.closure.code == .abnormalClosure && end.error?.code == .connectionLost)
    }

    // MARK: A peer that is slow while this side closes

    /// One that has 1000 bytes to send, wants the end at 0, and has 5 seconds for it.
    private func closing() -> Machine {
        var machine = machine {
            $0.pingInterval = nil
            $0.closeTimeout = .seconds(5)
        }
        machine.wrote(1000)
        machine.looked(unsent: 1000, now: at(0))
        machine.wantsToClose(now: at(0))
        return machine
    }

    @Test func `the time of a close begins anew while the peer takes bytes, before the Close frame and behind it`() {
        var machine = closing()
        #expect(machine.nextDeadline == at(0) + .milliseconds(1250))
        machine.looked(unsent: 900, now: at(4))
        var expiry = machine.expire(now: at(8))
        #expect(expiry == .goOn)
        machine.looked(unsent: 800, now: at(8))
        let isClosing = machine.close(now: at(8))
        #expect(isClosing)
        machine.wrote(8)
        machine.looked(unsent: 700, now: at(12))
        #expect(machine.isAllAcknowledged == false)
        expiry = machine.expire(now: at(16))
        #expect(expiry == .goOn)
        // Then it has all, and no look is needed any more.
        machine.looked(unsent: 0, now: at(16))
        #expect(machine.isAllAcknowledged == true)
        #expect(machine.nextDeadline == at(21))
        expiry = machine.expire(now: at(21))
        #expect(expiry == .closeTimedOut)
        #expect(WebSocketEnd(of: machine, nil, server: "server").error == nil)
    }

    @Test func `a peer that stops taking bytes ends a close with an error, also behind the Close frame`() {
        var machine = closing()
        machine.looked(unsent: 1000, now: at(5))
        let expiry = machine.expire(now: at(5))
        #expect(expiry == .sendingStopped)
        machine = closing()
        _ = machine.close(now: at(1))
        machine.wrote(8)
        machine.looked(unsent: 8, now: at(2))
        machine.looked(unsent: 8, now: at(7))
        let later = machine.expire(now: at(7))
        #expect(later == .sendingStopped)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, 0, nil), (nil, 8, .connectionLost),
            (.connectionLost, nil, .connectionLost), (.connectionLost, 0, nil), (.connectionLost, 8, .connectionLost),
            (.streamReset, nil, .streamReset), (.tlsFailed, nil, nil), (.tlsFailed, 8, .tlsFailed),
        ] as [(NetworkingError.Code?, Int?, NetworkingError.Code?)]
    )
    func `a connection that ends behind the Close frame is an error where something may be lost`(
        cause: NetworkingError.Code?,
        unsent: Int?,
        expected: NetworkingError.Code?
    ) {
        var machine = machine()
        _ = machine.close(now: at(0))
        machine.wrote(8)
        if let unsent { machine.looked(unsent: unsent, now: at(1)) }
        let end = WebSocketEnd(of: machine, cause.map { NetworkingError($0, "") }, server: "server")
        #expect(end.closure.code == .abnormalClosure && end.error?.code == expected)
    }
}
