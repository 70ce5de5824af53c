import NIOCore
import Testing

@testable import Bluebonnet

/// When a connection is tested, and when it is dead, as values.
@Suite struct HTTP2HealthTests {
    private static func at(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .seconds(seconds)
    }

    @Test func `a connection that is used again after a pause is tested once`() {
        var health = HTTP2Health(now: Self.at(0))
        let value11 = health.begin(now: Self.at(HTTP2Health.pause - 1))
        #expect(!value11)
        let value12 = health.begin(now: Self.at(HTTP2Health.pause))
        #expect(value12)
        let value13 = health.begin(now: Self.at(HTTP2Health.pause + 1))
        #expect(!value13)
    }

    @Test func `a connection on which a stream hears nothing is tested, and is dead without an answer`() {
        var health = HTTP2Health(now: Self.at(0))
        let silence = HTTP2Health.silence
        let value14 = health.expire(now: Self.at(silence - 1), hasStreams: true)
        #expect(value14 == .goOn)
        let value15 = health.expire(now: Self.at(silence), hasStreams: true)
        #expect(value15 == .ping)
        let end = silence + HTTP2Health.patience
        let value16 = health.expire(now: Self.at(end - 1), hasStreams: true)
        #expect(value16 == .goOn)
        let value17 = health.expire(now: Self.at(end), hasStreams: true)
        #expect(value17 == .dead)
    }

    @Test func `whatever comes is an answer`() {
        var health = HTTP2Health(now: Self.at(0))
        _ = health.expire(now: Self.at(HTTP2Health.silence), hasStreams: true)
        health.heard(now: Self.at(25))
        let value18 = health.expire(now: Self.at(30), hasStreams: true)
        #expect(value18 == .goOn)
        #expect(health.nextDeadline(hasStreams: true) == Self.at(25 + HTTP2Health.silence))
    }

    @Test func `an idle connection is not tested`() {
        var health = HTTP2Health(now: Self.at(0))
        #expect(health.nextDeadline(hasStreams: false) == nil)
        let value19 = health.expire(now: Self.at(1000), hasStreams: false)
        #expect(value19 == .goOn)
    }

    @Test func `a PING that was asked for is sent unless one is under way`() {
        var health = HTTP2Health(now: Self.at(0))
        let first = health.test(now: Self.at(1))
        let second = health.test(now: Self.at(1))
        #expect(first && !second)
        #expect(health.nextDeadline(hasStreams: false) == Self.at(1 + HTTP2Health.patience))
    }
}
