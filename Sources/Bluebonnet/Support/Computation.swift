import Dispatch

/// Work that keeps a processor busy: parsing, decoding, compressing.
///
/// It does not belong on an event loop, whose connections would all wait meanwhile, nor on the
/// actor of its caller. Work that waits, for a disk or a name server, belongs on
/// ``BlockingThreads``: here there are only as many threads as cores.
enum Computation {
    /// Up to this size, work takes less time than the way to another thread and back.
    static let inlineSize = 32 * 1024

    /// Whether large work does not belong where the present code runs: on an event loop, or on the
    /// actor of its caller.
    static func belongsElsewhere(caller: (any Actor)?) -> Bool {
        caller != nil || EventLoopTaskExecutor.isRunningOnEventLoop
    }

    /// Does the work off the event loop and off the caller's actor.
    static func elsewhere<Output: Sendable, Failure>(
        _ work: @escaping @Sendable () throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let result = await withTaskExecutorPreference(globalConcurrentExecutor) { await run(work) }
        return try result.get()
    }

    /// Does work that takes long for its size, or waits for another process that does it: on
    /// threads of its own, so that all of it together never keeps Swift tasks from running.
    static func lengthy<Output: Sendable, Failure>(
        _ work: @escaping @Sendable () throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let result = await withCheckedContinuation { continuation in
            BlockingThreads.images.submit { unavailable in
                let run = { @Sendable in
                    continuation.resume(returning: Result { () throws(Failure) in try work() })
                }
                // Without a thread it is not done where it was handed over.
                if unavailable == nil { run() } else { DispatchQueue.global().async(execute: run) }
            }
        }
        return try result.get()
    }

    @concurrent
    private static func run<Output: Sendable, Failure>(
        _ work: @Sendable () throws(Failure) -> Output
    ) async -> Result<Output, Failure> {
        Result { () throws(Failure) in try work() }
    }
}
