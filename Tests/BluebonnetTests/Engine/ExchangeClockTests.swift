import NIOCore
import Testing

@testable import Bluebonnet

/// The deadlines of an exchange, and what happens when one of them is over.
@Suite struct ExchangeClockTests {
    private static func at(_ seconds: Double) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .nanoseconds(Int64(seconds * 1_000_000_000))
    }

    private static func clock(
        _ sending: ExchangeClock.Sending = .complete,
        firstByte: Duration? = .seconds(20),
        betweenBytes: Duration? = .seconds(10),
        continueWait: Duration? = .seconds(1),
        end: Double? = nil
    ) -> ExchangeClock {
        let timeouts = Timeouts(firstByte: firstByte, betweenBytes: betweenBytes, continueWait: continueWait)
        return ExchangeClock(timeouts: ExchangeTimeouts(timeouts), end: end.map(at), sending: sending)
    }

    /// The seconds from 0 to the next deadline.
    private static func next(_ clock: ExchangeClock) -> Double? {
        clock.nextDeadline.map { Double(($0 - at(0)).nanoseconds) / 1e9 }
    }

    @Test func `a sent request has the first-byte timeout, then the between-bytes timeout`() {
        var clock = Self.clock()
        clock.start(mayRead: true, now: Self.at(0))
        #expect(Self.next(clock) == 20)
        clock.firstByte()
        clock.restart(mayRead: true, now: Self.at(5))
        #expect(Self.next(clock) == 15)
        clock.headCame()
        clock.restart(mayRead: true, now: Self.at(6))
        #expect(Self.next(clock) == 16)
        let early = clock.expire(mayRead: true, now: Self.at(15.9)) { 0 }
        let late = clock.expire(mayRead: true, now: Self.at(16)) { 0 }
        #expect(early == .goOn && late == .fail(.betweenBytesTimeout))
    }

    @Test func `only the request timeout runs while the response is not read`() {
        var clock = Self.clock(end: 60)
        clock.start(mayRead: false, now: Self.at(0))
        #expect(Self.next(clock) == 60)
        let during = clock.expire(mayRead: false, now: Self.at(59)) { 0 }
        let end = clock.expire(mayRead: false, now: Self.at(60)) { 0 }
        #expect(during == .goOn && end == .fail(.requestTimeout))
    }

    @Test func `a body that waits for 100 Continue is sent when 100 Continue does not come`() {
        var clock = Self.clock(.awaitingContinue)
        clock.start(mayRead: true, now: Self.at(0))
        #expect(Self.next(clock) == 1)
        let expiry = clock.expire(mayRead: true, now: Self.at(1)) { 0 }
        #expect(expiry == .sendBody && clock.sending == .awaitingContinue)
        let continues = [clock.endContinueWait(), clock.endContinueWait()]
        #expect(continues == [true, false] && clock.sending == .underWay)
        // Its source may take any time.
        clock.start(mayRead: true, now: Self.at(1))
        #expect(Self.next(clock) == nil)
        let isSent = [clock.markRequestSent(), clock.markRequestSent()]
        #expect(isSent == [true, false])
        clock.start(mayRead: true, now: Self.at(2))
        #expect(Self.next(clock) == 22)
    }

    @Test func `without a continue wait the wait for 100 Continue has the first-byte timeout`() {
        var clock = Self.clock(.awaitingContinue, continueWait: nil)
        clock.start(mayRead: true, now: Self.at(0))
        let expiry = clock.expire(mayRead: true, now: Self.at(20)) { 0 }
        #expect(expiry == .fail(.firstByteTimeout))
    }

    @Test func `a response before 100 Continue withholds the request body`() {
        var clock = Self.clock(.awaitingContinue)
        clock.headCame()
        #expect(clock.sending == .withheld)
        let follows = [clock.endContinueWait(), clock.markRequestSent()]
        #expect(follows == [false, false])
    }

    @Test func `100 Continue does not begin the response`() {
        var clock = Self.clock()
        clock.firstByte()
        clock.firstByte(isInformational: true)
        clock.restart(mayRead: true, now: Self.at(3))
        #expect(Self.next(clock) == 23)
    }

    @Test func `the first-byte timeout does not run while the request is being sent`() {
        var clock = Self.clock()
        clock.handOver(1000)
        clock.start(mayRead: true, now: Self.at(0))
        // At the first look, 400 bytes have been sent.
        let first = clock.expire(mayRead: true, now: Self.at(20)) { 600 }
        #expect(first == .goOn)
        // No more bytes are sent for the between-bytes timeout.
        let second = clock.expire(mayRead: true, now: Self.at(25)) { 600 }
        #expect(second == .goOn && Self.next(clock).map { $0 <= 30 } == true)
        let third = clock.expire(mayRead: true, now: Self.at(30)) { 600 }
        #expect(third == .fail(.betweenBytesTimeout))
    }

    @Test func `a server that reads nothing fails the exchange, and one that reads slowly does not`() {
        var clock = Self.clock(.underWay)
        clock.handOver(1000)
        clock.follow(unsent: 1000, mayRead: true, now: Self.at(0))
        #expect(Self.next(clock) == 1)
        let moves = clock.expire(mayRead: true, now: Self.at(9)) { 999 }
        let stalls = clock.expire(mayRead: true, now: Self.at(19)) { 999 }
        #expect(moves == .goOn && stalls == .fail(.betweenBytesTimeout))
    }

    @Test func `the first-byte timeout limits sending where there is no between-bytes timeout`() {
        var clock = Self.clock(betweenBytes: nil)
        clock.handOver(10)
        clock.follow(unsent: 10, mayRead: true, now: Self.at(0))
        let expiry = clock.expire(mayRead: true, now: Self.at(20)) { 10 }
        #expect(expiry == .fail(.firstByteTimeout))
    }

    @Test func `without timeouts an exchange has no deadline`() {
        var clock = Self.clock(firstByte: nil, betweenBytes: nil, continueWait: nil)
        clock.start(mayRead: true, now: Self.at(0))
        #expect(Self.next(clock) == nil)
    }
}
