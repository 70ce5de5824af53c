import NIOCore
import NIOPosix
import Synchronization

/// Gives a reader the progress of a call: not more often than ten times a second while bytes are
/// transferred, twice a second while only the speed falls, and at the end.
final class ProgressReporter: Sendable {
    private struct State {
        var pace = ProgressPace()
        var ticks: RepeatedTask?
        var isOver = false
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> NIODeadline
    private let counts: @Sendable () -> Call.Counts?
    private let continuation: AsyncStream<TaskProgress>.Continuation

    init(_ call: Call, _ continuation: AsyncStream<TaskProgress>.Continuation) {
        now = call.now
        counts = { [weak call] in call?.counts }
        self.continuation = continuation
    }

    /// Notes the counts of this moment; nil when the call is over.
    func note(_ counts: Call.Counts?) {
        guard let counts else { return end() }
        let now = now()
        state.withLock { state in
            guard !state.isOver else { return }
            if state.pace.isDue(counts, at: now) { give(counts) }
            if state.ticks == nil, !counts.isComplete, counts.sent > 0 || counts.received > 0 {
                state.ticks = startTicks()
            }
        }
    }

    /// Not on the loops of the session, which may be shut down and drop the timer.
    private func startTicks() -> RepeatedTask {
        let interval = ProgressPace.interval
        return NIOSingletons.posixEventLoopGroup.any().scheduleRepeatedTask(initialDelay: interval, delay: interval) {
            [weak self] ticks in
            guard let self else { return ticks.cancel() }
            tick()
        }
    }

    private func tick() {
        // The time first: counts that come meanwhile are given as newer ones. And not under the
        // lock, since they take that of the call.
        let now = now()
        guard let counts = counts() else { return }
        state.withLock { state in
            guard !state.isOver, state.pace.isDueAtTick(counts, at: now) else { return }
            give(counts)
        }
    }

    private func end() {
        let last = counts()
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            state.ticks?.cancel()
            if let last, state.pace.isNew(last) { give(last) }
        }
        continuation.finish()
    }

    /// Stops for a reader who has gone.
    func stop() {
        state.withLock { state in
            state.isOver = true
            state.ticks?.cancel()
            state.ticks = nil
        }
    }

    private func give(_ counts: Call.Counts) {
        continuation.yield(TaskProgress(counts))
    }
}

/// When a progress is due, as a value without a clock.
struct ProgressPace {
    /// The shortest time between two steps.
    static let interval = TimeAmount.milliseconds(100)
    /// The time between two steps while no bytes move and the speed falls.
    static let stallInterval = TimeAmount.milliseconds(500)

    private var given: (counts: Call.Counts, time: NIODeadline)?

    /// Whether changed counts are given at once: those of a new hop, the first bytes of a direction
    /// and the last ones are.
    mutating func isDue(_ counts: Call.Counts, at now: NIODeadline) -> Bool {
        guard let given else { return give(counts, at: now) }
        guard counts != given.counts else { return false }
        let isAtOnce = counts.beginsHop(after: given.counts) || counts.beginsOrCompletes(after: given.counts)
        return isAtOnce || now >= given.time + Self.interval ? give(counts, at: now) : false
    }

    /// Whether the counts are given at a tick.
    mutating func isDueAtTick(_ counts: Call.Counts, at now: NIODeadline) -> Bool {
        guard let given else { return give(counts, at: now) }
        guard counts != given.counts else { return false }
        let hasBytes = counts.sent != given.counts.sent || counts.received != given.counts.received
        guard now >= given.time + (hasBytes ? Self.interval : Self.stallInterval) else { return false }
        return give(counts, at: now)
    }

    /// Whether the counts at the end are news.
    func isNew(_ counts: Call.Counts) -> Bool {
        counts != given?.counts ?? Call.Counts()
    }

    private mutating func give(_ counts: Call.Counts, at now: NIODeadline) -> Bool {
        given = (counts, now)
        return true
    }
}

extension Call.Counts {
    /// Whether all is transferred that is expected.
    fileprivate var isComplete: Bool {
        expectedToReceive.map { received >= $0 } ?? false && (expectedToSend.map { sent >= $0 } ?? true)
    }

    /// Whether it is another hop than that of the earlier counts: each begins at zero, or at what
    /// it continues.
    fileprivate func beginsHop(after earlier: Self) -> Bool {
        sent < earlier.sent || received < earlier.received
    }

    /// Whether a direction has its first bytes or all of them since then.
    fileprivate func beginsOrCompletes(after earlier: Self) -> Bool {
        (earlier.sent == 0 && sent > 0) || (earlier.received == 0 && received > 0)
            || (sent == expectedToSend && earlier.sent != sent)
            || (received == expectedToReceive && earlier.received != received)
    }
}
