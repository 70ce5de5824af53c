import Synchronization

// Other test targets have this file through a link.

/// A clock that moves only by `move(by:)` and by its sleeps: a sleep moves it to its deadline and
/// returns at once.
final class SteppingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let state = Mutex((now: Duration.zero, sleeps: [Duration]()))

    var now: Instant { Instant(offset: state.withLock { $0.now }) }

    var minimumResolution: Duration { .zero }

    /// Moves the clock.
    func move(by duration: Duration) {
        state.withLock { $0.now += duration }
    }

    /// The length of each sleep.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.sleeps.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}
