import NIOCore
import NIOPosix

/// Runs Swift tasks on an event loop, so that a request from such a task stays on one thread.
///
/// Give it to `withTaskExecutorPreference`: whole programs or the part that talks to the network.
/// Code that blocks or computes for long does not belong on an event loop; response bodies above 32
/// KiB are decompressed and parsed elsewhere by themselves.
///
/// ```swift
/// try await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
///     let user: User = try await api.get("users/42")
/// }
/// ```
///
/// No counterpart in AFNetworking or Alamofire.
public final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    private init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// One executor per event loop of NIO's process-wide group.
    private static let all: [EventLoopTaskExecutor] = NIOSingletons.posixEventLoopGroup.makeIterator()
        .map { EventLoopTaskExecutor(eventLoop: $0) }

    /// An executor of the default event loops, another one at each call in turn.
    public static func next() -> EventLoopTaskExecutor {
        let loop = NIOSingletons.posixEventLoopGroup.next()
        return all.first { $0.eventLoop === loop } ?? EventLoopTaskExecutor(eventLoop: loop)
    }

    /// The executor that the present Swift task prefers: a new task does not inherit it as a child
    /// does. Where the runtime does not tell, only an executor of this type is found.
    static var preferred: (any TaskExecutor)? {
        #if compiler(>=6.3) && os(Linux)
            // The executor lives as long as the task that prefers it, which is this one.
            return unsafe withUnsafeCurrentTask { task in unsafe task?.unownedTaskExecutor?.asTaskExecutor() }
        #else
            return current
        #endif
    }

    /// The executor of the event loop on which the present Swift task runs, if it prefers that.
    private static var current: EventLoopTaskExecutor? {
        guard let loop = MultiThreadedEventLoopGroup.currentEventLoop,
            let executor = all.first(where: { $0.eventLoop === loop })
        else { return nil }
        let isPreferred = unsafe withUnsafeCurrentTask { task in
            unsafe task?.unownedTaskExecutor == executor.asUnownedTaskExecutor()
        }
        return isPreferred ? executor : nil
    }

    /// Whether the present code runs on an event loop's thread.
    static var isRunningOnEventLoop: Bool { MultiThreadedEventLoopGroup.currentEventLoop != nil }

    /// Runs a job on the event loop.
    ///
    /// - Parameter job: The job, from the Swift runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        // The runtime hands over each job once, and it is run once.
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        eventLoop.execute { unsafe job.runSynchronously(on: executor) }
    }
}
