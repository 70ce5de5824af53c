import NIOCore
import Testing

@testable import Bluebonnet

/// When a connection is tested, and when it is dead, as values.
@Suite struct HTTP2HealthTests {
    private static let pause = HTTP2Health.pause
    private static let silence = HTTP2Health.silence
    private static let patience = HTTP2Health.patience

    private static func at(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .seconds(seconds)
    }

    /// What follows at each of these times, in seconds, while streams are open or not.
    private func expiries(
        _ health: inout HTTP2Health,
        hasStreams: Bool = true,
        at times: Int64...
    ) -> [HTTP2Health.Expiry] {
        var expiries: [HTTP2Health.Expiry] = []
        for time in times { expiries.append(health.expire(now: Self.at(time), hasStreams: hasStreams)) }
        return expiries
    }

    @Test func `a connection that is used again after a pause is tested once`() {
        var health = HTTP2Health(now: Self.at(0))
        var pings: [Bool] = []
        for time in [Self.pause - 1, Self.pause, Self.pause + 1] { pings.append(health.begin(now: Self.at(time))) }
        #expect(pings == [false, true, false])
    }

    @Test func `a connection on which a stream hears nothing is tested, and is dead without an answer`() {
        var health = HTTP2Health(now: Self.at(0))
        let end = Self.silence + Self.patience
        let expiries = expiries(&health, at: Self.silence - 1, Self.silence, end - 1, end)
        #expect(expiries == [.goOn, .ping, .goOn, .dead])
    }

    @Test func `whatever comes is an answer`() {
        var health = HTTP2Health(now: Self.at(0))
        _ = expiries(&health, at: Self.silence)
        health.heard(now: Self.at(25))
        let expiries = expiries(&health, at: Self.silence + Self.patience)
        #expect(expiries == [.goOn])
        #expect(health.nextDeadline(hasStreams: true) == Self.at(25 + Self.silence))
    }

    @Test func `an idle connection is not tested`() {
        var health = HTTP2Health(now: Self.at(0))
        #expect(health.nextDeadline(hasStreams: false) == nil)
        let expiries = expiries(&health, hasStreams: false, at: 1000)
        #expect(expiries == [.goOn])
    }

    @Test func `a PING that was asked for is sent unless one is under way`() {
        var health = HTTP2Health(now: Self.at(0))
        let (first, second) = (health.test(now: Self.at(1)), health.test(now: Self.at(1)))
        #expect(first && !second)
        #expect(health.nextDeadline(hasStreams: false) == Self.at(1 + Self.patience))
    }
}
