public import NIOCore

/// Runs Swift tasks on one event loop. NIO has no such executor of its own.
public final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// Creates an executor for an event loop.
    public init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Runs a job in the loop's next turn.
    public func enqueue(_ job: consuming ExecutorJob) {
        // The runtime hands each job over once and the closure runs it once, which is what an
        // unowned job asks for.
        let job = UnownedJob(job)
        eventLoop.execute { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
