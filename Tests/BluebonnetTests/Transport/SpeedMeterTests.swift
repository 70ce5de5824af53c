import Foundation
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// The smoothed speed, by a clock that the test moves.
@Suite struct SpeedMeterTests {
    private static func at(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000) + .milliseconds(milliseconds)
    }

    /// A meter with these numbers of bytes, one every tenth of a second after the first bytes.
    private static func meter(_ samples: Int...) -> SpeedMeter {
        var meter = SpeedMeter()
        meter.add(1_000_000, at: at(0))
        for (index, count) in samples.enumerated() { meter.add(count, at: at(Int64(index + 1) * 100)) }
        return meter
    }

    @Test func `there is no speed in the first tenth of a second`() {
        #expect(SpeedMeter().speed(at: Self.at(5000)) == nil)
        var meter = Self.meter()
        meter.add(500, at: Self.at(99))
        #expect(meter.speed(at: Self.at(99)) == nil)
        #expect(meter.speed(at: Self.at(100)) == 5000)
    }

    @Test func `the first bytes only start the speed's clock, and the first sample is the speed`() {
        #expect(Self.meter(1000).speed(at: Self.at(100)) == 10_000)
    }

    @Test func `a later sample moves the speed by its weight`() throws {
        let speed = try #require(Self.meter(1000, 3000).speed(at: Self.at(200)))
        let expected = 10_000 + (1 - Foundation.exp(-0.1 / 2)) * (30_000 - 10_000)
        #expect(abs(speed - expected) < 0.001)
    }

    @Test func `the speed of a steady flow is exact`() throws {
        var meter = Self.meter()
        for step in 1...100 { meter.add(200, at: Self.at(Int64(step) * 100)) }
        let speed = try #require(meter.speed(at: Self.at(10_000)))
        #expect(abs(speed - 2000) < 0.001)
    }

    @Test func `pieces are gathered into samples of the speed`() {
        var meter = Self.meter()
        for millisecond in 1...100 { meter.add(10, at: Self.at(Int64(millisecond))) }
        #expect(meter.speed(at: Self.at(100)) == 10_000)
    }

    @Test func `the speed falls while no bytes are transferred`() throws {
        let meter = Self.meter(1000)
        let soon = try #require(meter.speed(at: Self.at(1000)))
        let later = try #require(meter.speed(at: Self.at(10_000)))
        #expect(soon < 10_000 && later < 1000 && later < soon)
        #expect(meter.speed(at: Self.at(100)) == 10_000)
    }
}
