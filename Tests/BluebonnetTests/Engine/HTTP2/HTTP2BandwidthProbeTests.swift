import NIOCore
import Testing

@testable import Bluebonnet

/// When windows grow, as values.
@Suite struct HTTP2BandwidthProbeTests {
    private let interval = HTTP2BandwidthProbe.interval

    private func time(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .milliseconds(milliseconds)
    }

    /// A probe whose PING is under way since the start, during which so many bytes have come.
    private func probing(_ count: Int, countsLinkOnly: Bool = false) -> HTTP2BandwidthProbe {
        var probe = HTTP2BandwidthProbe(countsLinkOnly: countsLinkOnly)
        _ = pings(&probe, interval, count)
        return probe
    }

    /// Whether a PING follows each of these counts of bytes.
    private func pings(_ probe: inout HTTP2BandwidthProbe, _ counts: Int...) -> [Bool] {
        var pings: [Bool] = []
        for count in counts { pings.append(probe.received(count, now: time(0))) }
        return pings
    }

    @Test func `a probe begins with the first bytes of a large body, and not twice`() {
        var probe = HTTP2BandwidthProbe()
        let pings = pings(&probe, interval - 1, 1, 10 * interval)
        #expect(pings == [false, true, false])
    }

    @Test func `a window grows when more than half of it came within a round trip`() {
        var probe = probing(600)
        let first = probe.acknowledged(size: 1000, now: time(1))
        let second = probe.acknowledged(size: 1000, now: time(2))
        #expect(first == 1200 && second == nil)
    }

    @Test func `a window stays as it is when less came, and the next probe is later`() {
        var probe = probing(500)
        let size = probe.acknowledged(size: 1000, now: time(1))
        #expect(size == nil)
        let pings = pings(&probe, 2 * interval - 1, 1)
        #expect(pings == [false, true])
    }

    @Test func `a window grows up to the largest size`() {
        var probe = probing(HTTP2BandwidthProbe.largest)
        let size = probe.acknowledged(size: 1000, now: time(1))
        #expect(size == HTTP2BandwidthProbe.largest)
        _ = pings(&probe, interval, HTTP2BandwidthProbe.largest)
        let larger = probe.acknowledged(size: HTTP2BandwidthProbe.largest, now: time(1))
        #expect(larger == nil)
    }

    /// A probe of a server whose SETTINGS came back after 10 ms.
    private func probingAfterSettings(_ count: Int, countsLinkOnly: Bool) -> HTTP2BandwidthProbe {
        var probe = probing(count, countsLinkOnly: countsLinkOnly)
        probe.sentSettings(now: time(0))
        probe.settingsAcknowledged(now: time(10))
        return probe
    }

    @Test(arguments: [(10, 1200), (11, 1090), (12, nil), (1000, nil)] as [(Int64, Int?)])
    func `bytes that wait in sockets do not count where the link alone does`(after: Int64, size: Int?) {
        var probe = probingAfterSettings(600, countsLinkOnly: true)
        #expect(probe.acknowledged(size: 1000, now: time(after)) == size)
    }

    @Test func `a round trip is as long as the shortest one that was seen`() {
        var probe = probingAfterSettings(600, countsLinkOnly: true)
        #expect(probe.acknowledged(size: 1000, now: time(2)) == 1200)
        _ = pings(&probe, interval, 3000)
        // A fifth of these came within 2 ms.
        #expect(probe.acknowledged(size: 1000, now: time(10)) == 1200)
        // Other acknowledgements of SETTINGS than the first one tell nothing.
        probe.settingsAcknowledged(now: time(0))
        _ = pings(&probe, interval, 3000)
        #expect(probe.acknowledged(size: 1000, now: time(10)) == 1200)
    }

    @Test func `otherwise they count too`() {
        var probe = probingAfterSettings(600, countsLinkOnly: false)
        #expect(probe.acknowledged(size: 1000, now: time(1000)) == 1200)
    }
}
