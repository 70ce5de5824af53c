import NIOCore
import Testing

@testable import Bluebonnet

/// When a connection is tested, and when it is dead, as values.
@Suite struct HTTP2HealthTests {
    private static let pause = HealthTimes().pause.nanoseconds / 1_000_000_000
    private static let silence = HealthTimes().silence.nanoseconds / 1_000_000_000
    private static let patience = HealthTimes().patience.nanoseconds / 1_000_000_000

    private static func at(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .seconds(seconds)
    }

    /// What follows at each of these times, in seconds, while streams are open or not. PINGs that
    /// follow are handed over, and are sent at once.
    private func expiries(
        _ health: inout HTTP2Health,
        hasStreams: Bool = true,
        at times: some Sequence<Int64>
    ) -> [HTTP2Health.Expiry] {
        var expiries: [HTTP2Health.Expiry] = []
        for time in times {
            let now = Self.at(time)
            let expiry = health.expire(now: now, hasStreams: hasStreams) { 17 }
            if expiry == .ping { health.sent(upTo: 17, written: 0, now: now) }
            expiries.append(expiry)
        }
        return expiries
    }

    /// The time at which a connection is dead whose PING is sent at 0 behind so many bytes.
    private func end(behind: Int, written: (Int64) -> Int) -> Int64? {
        var health = HTTP2Health(now: Self.at(0))
        health.sent(upTo: behind, written: 0, now: Self.at(0))
        return (0..<1000).first { time in
            health.expire(now: Self.at(time), hasStreams: true) { written(time) } == .dead
        }
    }

    @Test func `a connection that is used again after a pause is tested once`() {
        var health = HTTP2Health(now: Self.at(0))
        var pings: [Bool] = []
        for time in [Self.pause - 1, Self.pause, Self.pause + 1] {
            let isDue = health.isDue(now: Self.at(time))
            if isDue { health.sent(upTo: 0, written: 0, now: Self.at(time)) }
            pings.append(isDue)
        }
        #expect(pings == [false, true, false])
    }

    @Test func `a connection on which a stream hears nothing is tested, and is dead without an answer`() {
        var health = HTTP2Health(now: Self.at(0))
        // That the PING was sent is seen after a second.
        let end = Self.silence + 1 + Self.patience
        let times = [Self.silence - 1, Self.silence, Self.silence + 1, end - 1, end]
        let expiries = expiries(&health, at: times)
        #expect(expiries == [.goOn, .ping, .goOn, .goOn, .dead])
    }

    @Test func `whatever comes is an answer`() {
        var health = HTTP2Health(now: Self.at(0))
        _ = expiries(&health, at: [Self.silence])
        health.heard(now: Self.at(25))
        let expiries = expiries(&health, at: [Self.silence + Self.patience])
        #expect(expiries == [.goOn])
        #expect(health.nextDeadline(hasStreams: true) == Self.at(25 + Self.silence))
    }

    @Test func `an idle connection is not tested`() {
        var health = HTTP2Health(now: Self.at(0))
        #expect(health.nextDeadline(hasStreams: false) == nil)
        let expiries = expiries(&health, hasStreams: false, at: [1000])
        #expect(expiries == [.goOn])
    }

    @Test func `one PING at a time is enough`() {
        var health = HTTP2Health(now: Self.at(0))
        #expect(health.mayPing)
        health.sent(upTo: 17, written: 0, now: Self.at(1))
        #expect(!health.mayPing)
        health.heard(now: Self.at(2))
        #expect(health.mayPing)
    }

    @Test func `a PING behind bytes that are sent slowly is waited for`() {
        // 100 bytes in a second: it is sent after 40 seconds, and has as much again.
        #expect(end(behind: 4000) { Int($0) * 100 } == 80)
    }

    @Test func `a peer that takes nothing more is dead, though bytes wait before the PING`() {
        #expect(end(behind: 4000) { _ in 0 } == Self.patience)
        #expect(end(behind: 4000) { min(Int($0), 5) * 100 } == 5 + Self.patience)
    }

    @Test func `bytes behind the PING do not prolong the wait`() {
        #expect(end(behind: 100) { Int($0) * 100 } == 1 + Self.patience)
    }
}
