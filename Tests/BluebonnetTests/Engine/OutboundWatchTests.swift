import NIOCore
import Testing

@testable import Bluebonnet

/// Whether waiting bytes were sent, and whether none was sent for too long.
struct OutboundWatchTests {
    private static let stall = CompactTime(.seconds(10))

    private static func at(_ seconds: Double) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .nanoseconds(Int64(seconds * 1_000_000_000))
    }

    private func watch(handedOver count: Int) -> OutboundWatch {
        var watch = OutboundWatch()
        watch.handOver(count)
        return watch
    }

    @Test func `sent bytes extend the outbound deadline, added bytes do not`() {
        var watch = self.watch(handedOver: 100)
        watch.look(100, now: Self.at(0))
        #expect(watch.movedAt == Self.at(0))
        watch.handOver(50)
        let movedOnAdding = watch.look(150, now: Self.at(4))
        #expect(!movedOnAdding)
        #expect(!watch.isStalled(after: Self.stall, now: Self.at(9.9)))
        #expect(watch.isStalled(after: Self.stall, now: Self.at(10)))
        let hasMoved = watch.look(149, now: Self.at(10))
        #expect(hasMoved && !watch.isStalled(after: Self.stall, now: Self.at(19.9)))
        #expect(watch.isStalled(after: Self.stall, now: Self.at(20)))
    }

    @Test func `the outbound watch notices sent bytes although more were added`() {
        var watch = self.watch(handedOver: 100)
        watch.look(100, now: Self.at(0))
        watch.handOver(1000)
        let hasMoved = watch.look(1099, now: Self.at(5))
        #expect(hasMoved && watch.movedAt == Self.at(5))
    }

    @Test func `bytes that begin to wait have the whole outbound timeout`() {
        var watch = self.watch(handedOver: 100)
        watch.look(0, now: Self.at(0))
        watch.handOver(30)
        // Over TLS, more bytes wait than were handed over.
        let movedOverTLS = watch.look(52, now: Self.at(60))
        #expect(!movedOverTLS)
        #expect(watch.movedAt == Self.at(60))
        watch.handOver(1)
        let movedOnAdding = watch.look(75, now: Self.at(65))
        #expect(!movedOnAdding)
        #expect(watch.isStalled(after: Self.stall, now: Self.at(70)))
    }

    @Test func `the outbound watch has no deadline without waiting bytes or without a timeout`() {
        var watch = self.watch(handedOver: 100)
        watch.look(0, now: Self.at(0))
        #expect(!watch.isStalled(after: Self.stall, now: Self.at(1000)))
        watch.look(10, now: Self.at(0))
        #expect(!watch.isStalled(after: .none, now: Self.at(1000)))
    }

    @Test func `received bytes extend the outbound deadline`() {
        var watch = self.watch(handedOver: 100)
        watch.look(100, now: Self.at(0))
        watch.restart(now: Self.at(8))
        #expect(!watch.isStalled(after: Self.stall, now: Self.at(17.9)))
    }

    /// Seconds; nil for no limit.
    @Test(
        arguments: [
            (60, 60, 0, 1), (2, 60, 0, 0.5), (60, 0.4, 0, 0.1), (10, 60, 9.5, 10), (10, 60, 20, 10), (nil, 8, 0, 1),
            (nil, nil, 0, nil), (0.4, nil, 0, 0.1), (nil, 292 * 31_556_952, 0, 1),
        ] as [(Double?, Double?, Double, Double?)]
    )
    func `the outbound watch looks each second, or four times within the shortest timeout`(
        stall: Double?,
        firstByte: Double?,
        now: Double,
        look: Double?
    ) {
        var watch = self.watch(handedOver: 1)
        watch.look(1, now: Self.at(0))
        let found = watch.nextLook(
            stall: CompactTime(stall.map { .seconds($0) }),
            firstByte: CompactTime(firstByte.map { .seconds($0) }),
            now: Self.at(now)
        )
        #expect(found == look.map { Self.at($0) })
    }
}
