import Testing

@testable import Bluebonnet

/// When windows grow, as values.
@Suite struct HTTP2BandwidthProbeTests {
    private let interval = HTTP2BandwidthProbe.interval

    @Test func `a probe begins with the first bytes of a large body, and not twice`() {
        var probe = HTTP2BandwidthProbe()
        let value1 = probe.received(interval - 1)
        #expect(!value1)
        let value2 = probe.received(1)
        #expect(value2)
        let value3 = probe.received(10 * interval)
        #expect(!value3)
    }

    @Test func `a window grows when more than half of it came within a round trip`() {
        var probe = HTTP2BandwidthProbe()
        _ = probe.received(interval)
        _ = probe.received(600)
        let value4 = probe.answered(size: 1000)
        #expect(value4 == 1200)
        let value5 = probe.answered(size: 1000)
        #expect(value5 == nil)
    }

    @Test func `a window stays as it is when less came`() {
        var probe = HTTP2BandwidthProbe()
        _ = probe.received(interval)
        _ = probe.received(500)
        let value6 = probe.answered(size: 1000)
        #expect(value6 == nil)
        let value7 = probe.received(interval - 1)
        #expect(!value7)
        let value8 = probe.received(1)
        #expect(value8)
    }

    @Test func `a window grows up to the largest size`() {
        var probe = HTTP2BandwidthProbe()
        _ = probe.received(interval)
        _ = probe.received(HTTP2BandwidthProbe.largest)
        let value9 = probe.answered(size: 1000)
        #expect(value9 == HTTP2BandwidthProbe.largest)
        _ = probe.received(interval)
        _ = probe.received(HTTP2BandwidthProbe.largest)
        let value10 = probe.answered(size: HTTP2BandwidthProbe.largest)
        #expect(value10 == nil)
    }
}
