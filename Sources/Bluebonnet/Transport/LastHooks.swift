import NIOCore
import Synchronization

/// The last hooks of a task, or of a session. They are called although it is over, and have any
/// time until somebody waits for them who should not: a second from then on. After that they are
/// cancelled, as other code of the user's is at once (``StoppableCall``).
final class LastHooks: Call.Operation {
    private static let time = TimeAmount.seconds(1)

    private let work = StoppableCall()
    private let timers = Mutex<[Scheduled<Void>]>([])

    /// Calls the last hooks of a task. They are hurried when it was stopped, is stopped, or when
    /// its time is over.
    ///
    /// - Parameters:
    ///   - call: The task.
    ///   - deadline: The end of its time; nil for none.
    ///   - hooks: Calls them.
    static func run(
        for call: Call,
        until deadline: NIODeadline?,
        _ hooks: @escaping @Sendable () async -> Void
    ) async {
        let last = LastHooks()
        if call.attachToEnd(last) { last.hurry() }
        if let deadline { last.schedule(at: max(deadline, .now())) { $0.hurry() } }
        await last.run(hooks)
        call.detach(last)
    }

    /// Calls the hooks, and returns when they are over, or were cancelled and go on. Once.
    func run(_ hooks: @escaping @Sendable () async -> Void) async {
        try? await work.run(hooks)
        for timer in timers.withLock(\.self) { timer.cancel() }
    }

    /// Gives them a second from now on.
    func hurry() {
        schedule(at: .now() + Self.time) { $0.work.stop() }
    }

    private func schedule(at time: NIODeadline, _ body: @escaping @Sendable (LastHooks) -> Void) {
        let timer = StoppableCall.schedule(at: time) { [weak self] in
            if let self { body(self) }
        }
        timers.withLock { $0.append(timer) }
    }

    func cancel(with error: NetworkingError) {
        hurry()
    }

    func suspensionChanged() {}
    func priorityChanged() {}
}
