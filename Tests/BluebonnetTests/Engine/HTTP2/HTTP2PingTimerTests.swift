import NIOCore
import Testing

@testable import Bluebonnet

/// When a PING is sent for a caller, as values.
@Suite struct HTTP2PingTimerTests {
    private static func at(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .milliseconds(milliseconds)
    }

    /// The data of the PING that is sent for the first caller.
    private func send(_ timer: inout HTTP2PingTimer, at milliseconds: Int64) -> UInt64? {
        guard case .send(let data) = timer.ask(now: Self.at(milliseconds)) else { return nil }
        return data
    }

    @Test func `one PING is under way at a time`() throws {
        var timer = HTTP2PingTimer()
        let data = try #require(send(&timer, at: 0))
        let second = timer.ask(now: Self.at(5))
        let time = timer.acknowledged(data, now: Self.at(7))
        let twice = timer.acknowledged(data, now: Self.at(8))
        #expect(second == .wait)
        #expect(time == .milliseconds(7) && twice == nil)
    }

    @Test func `the time of an answer is good for a moment`() throws {
        var timer = HTTP2PingTimer()
        let first = try #require(send(&timer, at: 0))
        _ = timer.acknowledged(first, now: Self.at(7))
        let soon = timer.ask(now: Self.at(49))
        let second = send(&timer, at: 50)
        #expect(soon == .reuse(.milliseconds(7)))
        #expect(second != nil && second != first)
    }

    @Test func `an answer that comes after its time is not that of the next PING`() throws {
        var timer = HTTP2PingTimer()
        let first = try #require(send(&timer, at: 0))
        let end = try #require(timer.deadline)
        let (before, after) = (timer.expire(now: end - .nanoseconds(1)), timer.expire(now: end))
        #expect(!before && after && timer.deadline == nil)
        let second = try #require(send(&timer, at: 100_000))
        let late = timer.acknowledged(first, now: Self.at(100_001))
        let right = timer.acknowledged(second, now: Self.at(100_002))
        #expect(late == nil && right == .milliseconds(2))
    }

    @Test func `PINGs for other purposes answer none of a caller`() throws {
        var timer = HTTP2PingTimer()
        _ = try #require(send(&timer, at: 0))
        let answers = [HTTP2Connection.healthPing, HTTP2Connection.probePing].map { data in
            var timer = timer
            return timer.acknowledged(data, now: Self.at(1))
        }
        #expect(answers == [nil, nil])
    }
}
