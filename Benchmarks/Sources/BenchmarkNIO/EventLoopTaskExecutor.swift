public import NIOCore

/// Runs Swift tasks on one event loop. NIO itself has no such executor.
public final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// Creates an executor for an event loop.
    public init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Runs a job in the loop's next turn.
    public func enqueue(_ job: consuming ExecutorJob) {
        // An unowned job must run exactly once: the runtime passes each job to `enqueue` once, and
        // the closure runs it once.
        let job = UnownedJob(job)
        eventLoop.execute { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
