import Synchronization

/// A clock on which every sleep is over at once, and counted.
final class ImmediateClock: Clock {
    private let count = Mutex(0)

    var naps: Int { count.withLock { $0 } }

    var now: ContinuousClock.Instant { .now }

    var minimumResolution: Swift.Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Swift.Duration?) async throws {
        count.withLock { $0 += 1 }
    }
}
