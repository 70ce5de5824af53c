import Testing

@testable import Bluebonnet

/// When windows grow, as values.
@Suite struct HTTP2BandwidthProbeTests {
    private let interval = HTTP2BandwidthProbe.interval

    /// A probe whose PING is under way, during which so many bytes have come.
    private func probing(_ count: Int) -> HTTP2BandwidthProbe {
        var probe = HTTP2BandwidthProbe()
        _ = probe.received(interval)
        _ = probe.received(count)
        return probe
    }

    /// Whether a PING follows each of these counts of bytes.
    private func pings(_ probe: inout HTTP2BandwidthProbe, _ counts: Int...) -> [Bool] {
        var pings: [Bool] = []
        for count in counts { pings.append(probe.received(count)) }
        return pings
    }

    @Test func `a probe begins with the first bytes of a large body, and not twice`() {
        var probe = HTTP2BandwidthProbe()
        let pings = pings(&probe, interval - 1, 1, 10 * interval)
        #expect(pings == [false, true, false])
    }

    @Test func `a window grows when more than half of it came within a round trip`() {
        var probe = probing(600)
        let (first, second) = (probe.acknowledged(size: 1000), probe.acknowledged(size: 1000))
        #expect(first == 1200 && second == nil)
    }

    @Test func `a window stays as it is when less came, and the next probe is later`() {
        var probe = probing(500)
        let size = probe.acknowledged(size: 1000)
        #expect(size == nil)
        let pings = pings(&probe, 2 * interval - 1, 1)
        #expect(pings == [false, true])
    }

    @Test func `a window grows up to the largest size`() {
        var probe = probing(HTTP2BandwidthProbe.largest)
        let size = probe.acknowledged(size: 1000)
        #expect(size == HTTP2BandwidthProbe.largest)
        _ = pings(&probe, interval, HTTP2BandwidthProbe.largest)
        let larger = probe.acknowledged(size: HTTP2BandwidthProbe.largest)
        #expect(larger == nil)
    }
}
