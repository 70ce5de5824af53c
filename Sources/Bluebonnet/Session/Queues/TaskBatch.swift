import Synchronization

/// Tasks of which one wants to know when all are over, whatever starts them.
///
/// ``TaskQueue/add(_:)-([ValueTask])`` makes one for the tasks of a queue.
///
/// Counterpart of `enqueueBatchOfHTTPRequestOperations:progressBlock:completionBlock:` of
/// AFNetworking 1 and of `batchOfRequestOperations:` of AFNetworking 2.
public final class TaskBatch: Sendable {
    /// The tasks, in the order in which they were given.
    public let tasks: [any ValueTask]
    private let count: Count
    /// Held, since the tasks that wait need it.
    private let queue: TaskQueue?

    /// Groups tasks that somebody else starts.
    ///
    /// - Parameter tasks: The tasks; one that is given twice counts once. None make a batch that is
    ///   finished.
    public convenience init(_ tasks: [any ValueTask]) {
        self.init(tasks, in: nil)
    }

    init(_ tasks: [any ValueTask], in queue: TaskQueue?) {
        var seen = Set<ObjectIdentifier>()
        self.tasks = tasks.filter { seen.insert(ObjectIdentifier($0)).inserted }
        self.queue = queue
        count = Count(total: self.tasks.count)
        for task in self.tasks { Self.watch(task, count) }
    }

    /// The tasks hold the count and not the batch, which holds them.
    private static func watch(_ task: some ValueTask, _ count: Count) {
        task.whenOver { count.taskEnded(hasFailed: $0) }
    }

    // MARK: Progress

    /// How many tasks are over now.
    public var currentProgress: BatchProgress { count.progress }

    /// The progress when a task is over, until all are. A slow reader gets the newest.
    public var progress: AsyncStream<BatchProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: BatchProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        onProgress { continuation.yield($0) }
        whenComplete { _ in continuation.finish() }
        return stream
    }

    /// Calls the closure when a task is over, with a value or an error, on no particular thread,
    /// one call after the other.
    ///
    /// - Parameter body: Gets the progress.
    public func onProgress(_ body: @escaping @Sendable (BatchProgress) -> Void) {
        count.add(body)
    }

    /// Calls the closure once when all tasks are over, on no particular thread, after the last
    /// progress; at once if they are. It is called also when tasks have failed. Closures that were
    /// given to ``ValueTask/whenComplete(_:)`` of a task before the batch was made have returned by
    /// then; later ones may come after it.
    ///
    /// - Parameter body: Gets the last progress.
    public func whenComplete(_ body: @escaping @Sendable (BatchProgress) -> Void) {
        count.whenFinished(body)
    }

    /// Waits until all tasks are over. Cancelling the Swift task that waits cancels them.
    public func finish() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenComplete { _ in continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Cancels all tasks.
    public func cancel() {
        guard let queue else {
            for task in tasks { task.cancel() }
            return
        }
        queue.cancel(tasks)
    }
}

extension TaskBatch {
    /// Counts the tasks that are over, and tells of it.
    private final class Count: Sendable {
        typealias Listener = @Sendable (BatchProgress) -> Void

        private struct State {
            var progress: BatchProgress
            var listeners: [Listener] = []
            var completions: [Listener] = []
            /// Progress that the listeners have not got.
            var open: [BatchProgress] = []
            var isTelling = false
        }

        private let state: Mutex<State>

        init(total: Int) {
            state = Mutex(State(progress: BatchProgress(total: total)))
        }

        var progress: BatchProgress { state.withLock(\.progress) }

        func add(_ listener: @escaping Listener) {
            state.withLock { state in
                if !state.progress.isFinished || state.isTelling { state.listeners.append(listener) }
            }
        }

        func whenFinished(_ body: @escaping Listener) {
            let last = state.withLock { state in
                let isOver = state.progress.isFinished && !state.isTelling
                if !isOver { state.completions.append(body) }
                return isOver ? state.progress : nil
            }
            if let last { body(last) }
        }

        func taskEnded(hasFailed: Bool) {
            let tells = state.withLock { state in
                state.progress.finished += 1
                if hasFailed { state.progress.failed += 1 }
                state.open.append(state.progress)
                defer { state.isTelling = true }
                return !state.isTelling
            }
            // Otherwise another thread is telling, one progress after the other.
            if tells { tell() }
        }

        private func tell() {
            while true {
                let (open, listeners, end) = state.withLock { state -> ([BatchProgress], [Listener], [Listener]) in
                    let open = state.open
                    state.open = []
                    guard open.isEmpty else { return (open, state.listeners, []) }
                    state.isTelling = false
                    guard state.progress.isFinished else { return ([], [], []) }
                    defer { (state.listeners, state.completions) = ([], []) }
                    return ([], [], state.completions)
                }
                for progress in open { for listener in listeners { listener(progress) } }
                guard open.isEmpty else { continue }
                let last = progress
                for completion in end { completion(last) }
                return
            }
        }
    }
}

/// How many tasks of a ``TaskBatch`` are over.
///
/// Counterpart of the numbers that the progress block of AFNetworking's batches gets.
public struct BatchProgress: Sendable, Hashable {
    /// The tasks that are over, with a value or an error.
    public var finished: Int
    /// Those of them that have failed.
    public var failed: Int
    /// All tasks.
    public var total: Int

    /// Makes a progress, for tests and previews.
    ///
    /// - Parameters:
    ///   - finished: The tasks that are over. Default: 0.
    ///   - failed: Those of them that have failed. Default: 0.
    ///   - total: All tasks. Default: 0.
    public init(finished: Int = 0, failed: Int = 0, total: Int = 0) {
        self.finished = finished
        self.failed = failed
        self.total = total
    }

    /// The part of the tasks that is over, 0 to 1; 1 when there are none.
    public var fractionCompleted: Double {
        total > 0 ? max(0, min(1, Double(finished) / Double(total))) : 1
    }

    /// Whether all are over.
    public var isFinished: Bool { finished >= total }
}
