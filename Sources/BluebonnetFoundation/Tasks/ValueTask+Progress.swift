public import Bluebonnet
public import Dispatch
public import Foundation
import Synchronization

extension ValueTask {
    /// A Foundation progress that follows the body of the request.
    ///
    /// ``downloadProgress(on:)`` describes its properties.
    ///
    /// - Parameter queue: The serial queue on which it changes. Default: the main queue.
    /// - Returns: A new progress with each call.
    public func uploadProgress(on queue: DispatchQueue = .main) -> Progress {
        makeProgress(queue) { $0.upload }
    }

    /// A Foundation progress that follows the body of the response.
    ///
    /// It counts bytes, is indeterminate while the length is not known, and changes at most ten
    /// times a second. Its `userInfo` has the speed and the time left. It is finished when the task
    /// has succeeded, and not before, also when all bytes are there; when the task fails, it stays
    /// where it was. Cancelling it cancels the task, and pausing it suspends the task while it
    /// runs; so does the same with a progress of which it is a child:
    ///
    /// <!-- snippet:
    /// let session = SessionManager()
    /// let request = Request(url: URL(filePath: "/"))
    /// let (first, second) = (session.dataTask(for: request), session.dataTask(for: request))
    /// -->
    /// ```swift
    /// let whole = Progress(totalUnitCount: 2)
    /// whole.addChild(first.downloadProgress(), withPendingUnitCount: 1)
    /// whole.addChild(second.downloadProgress(), withPendingUnitCount: 1)
    /// ```
    ///
    /// Foundation's progress on Linux has no lock and cannot be observed: it changes on one queue,
    /// where it is to be read as well. The progress of children and their parent belong on the same
    /// queue. A program with its own main loop, which does not run the main queue, gives another
    /// queue or reads ``SessionTask/progress``.
    ///
    /// Counterpart of `downloadProgressForTask:` of AFNetworking.
    ///
    /// - Parameter queue: The serial queue on which it changes. Default: the main queue.
    /// - Returns: A new progress with each call.
    public func downloadProgress(on queue: DispatchQueue = .main) -> Progress {
        makeProgress(queue) { $0.download }
    }

    private func makeProgress(
        _ queue: DispatchQueue,
        _ direction: @escaping @Sendable (TaskProgress) -> TransferProgress
    ) -> Progress {
        let follower = ProgressFollower(self, queue)
        follower.update(direction(currentProgress))
        // It belongs to the task, which nobody else may hold at its end. It takes no result, which
        // a journal keeps for others.
        whenOver { hasFailed in
            guard !hasFailed else { return }
            queue.async { follower.finish() }
        }
        // The last one is on the queue before the task is over.
        onProgress { update in queue.async { follower.update(direction(update)) } }
        return follower.progress
    }
}

/// Changes a progress as its task goes on, on one queue.
///
/// Foundation ends the process when a total becomes 0, and counts a child that is finished once and
/// for ever: so neither is the case before the end, whatever lengths a server sends.
final class ProgressFollower: Sendable {
    let progress: Progress
    private let queue: DispatchQueue
    private let isOver = Atomic(false)
    /// Whether the task was suspended by the progress.
    private let hasSuspended = Atomic(false)
    private let task: WeakTask

    private struct WeakTask: Sendable {
        weak let task: (any SessionTask)?
    }

    init(_ task: any SessionTask, _ queue: DispatchQueue) {
        self.queue = queue
        self.task = WeakTask(task: task)
        // Not a child of the current progress of this thread.
        progress = Progress.discreteProgress(totalUnitCount: -1)
        progress.isCancellable = true
        progress.isPausable = true
        progress.kind = .file
        progress.cancellationHandler = { [weak task] in task?.cancel() }
        // Foundation calls them on any thread, and in any order: what holds at the end counts.
        progress.pausingHandler = { [weak self] in self?.queue.async { self?.pauseOrResume() } }
        progress.resumingHandler = { [weak self] in self?.queue.async { self?.pauseOrResume() } }
    }

    private func pauseOrResume() {
        guard let task = task.task else { return }
        if progress.isPaused {
            // One that has not started begins to run suspended, at its next step.
            guard task.state == .running else { return }
            hasSuspended.store(true, ordering: .relaxed)
            task.suspend()
        } else if hasSuspended.exchange(false, ordering: .relaxed) {
            task.resume()
        }
    }

    func update(_ transfer: TransferProgress) {
        guard !isOver.load(ordering: .relaxed) else { return }
        let total = transfer.total.map { $0 > 0 ? Int64($0) : -1 } ?? -1
        if total != progress.totalUnitCount { setTotal(total) }
        let completed = Int64(transfer.completed)
        progress.completedUnitCount = total > 0 ? min(completed, total - 1) : completed
        progress.setUserInfoObject(transfer.bytesPerSecond.map { Int($0) }, forKey: .throughputKey)
        progress.setUserInfoObject(
            transfer.estimatedTimeRemaining.map { TimeInterval($0 / .seconds(1)) },
            forKey: .estimatedTimeRemainingKey
        )
        pauseOrResume()
    }

    private func setTotal(_ total: Int64) {
        let wasKnown = progress.totalUnitCount > 0
        progress.completedUnitCount = 0
        progress.totalUnitCount = total
        guard wasKnown, total < 0 else { return }
        // Foundation on Linux multiplies what it knows of a progress's own children by the old
        // total over the new one. A negative factor makes the whole look unfinished for ever, to
        // its parent too, so it is applied twice. It takes no part in going from −1 to 1.
        progress.totalUnitCount = 1
        progress.totalUnitCount = total
    }

    func finish() {
        isOver.store(true, ordering: .relaxed)
        guard progress.totalUnitCount > 0 else {
            let count = max(1, progress.completedUnitCount)
            progress.completedUnitCount = 0
            progress.totalUnitCount = count
            progress.completedUnitCount = count
            return
        }
        progress.completedUnitCount = progress.totalUnitCount
    }
}
