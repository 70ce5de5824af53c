import Dispatch
import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Threads for calls that block. Each kind of work has threads of its own, so that a dead name
/// server, a slow disk or a pipe without a reader delays nothing else.
///
/// A thread is started when work comes and none is idle, up to a limit; beyond it work waits for
/// its turn. The thread that worked last works next, and one that found no work for a while ends.
final class BlockingThreads: Sendable {
    /// For name lookups: each may hang for half a minute, so there may be many. A name has two.
    /// When 256 names hang at once, all others wait.
    static let lookups = BlockingThreads(limit: 512)
    /// For trust roots and client certificates, read once for a session.
    static let certificates = BlockingThreads(limit: 4)
    /// For the certificates of servers, which cost time and do not block.
    static let trust = BlockingThreads(limit: System.coreCount)
    /// For the decoding of images, and bodies that take long to parse, which costs time and memory.
    static let images = BlockingThreads(limit: System.coreCount)
    /// For regular files: a few more than cores, since some wait for the disk.
    static let files = BlockingThreads(limit: System.coreCount + 4)
    /// For the stores of cookies, each of which may wait ten seconds for another process. A jar
    /// uses one thread at a time.
    static let cookies = BlockingThreads(limit: .max)
    /// For pipes and devices, each of which may block for ever.
    static let pipes = BlockingThreads(limit: .max)

    /// Runs Swift tasks on the threads for regular files.
    static let fileExecutor = FileExecutor()

    final class FileExecutor: TaskExecutor {
        fileprivate init() {}

        func enqueue(_ job: consuming ExecutorJob) {
            // The runtime hands over each job once, and it is run once.
            let job = UnownedJob(job)
            let executor = unsafe asUnownedTaskExecutor()
            BlockingThreads.files.submit { unavailable in
                guard unavailable != nil else { return unsafe job.runSynchronously(on: executor) }
                // A job has to be run, but not where it was handed over, which may be an event
                // loop.
                DispatchQueue.global().async { unsafe job.runSynchronously(on: executor) }
            }
        }
    }

    /// The system gave no thread: too many exist, or memory is short.
    struct Unavailable: Error, CustomStringConvertible {
        let code: CInt

        var description: String { "No thread could be started: \(code.reason)" }
    }

    /// A piece of work. Called once, with an error when no thread can run it.
    typealias Job = @Sendable (Unavailable?) -> Void

    /// A thread, and the job that was handed to it.
    private final class Worker: Sendable {
        let wakeUp = DispatchSemaphore(value: 0)
        let job: Mutex<Job?>

        init(_ job: @escaping Job) {
            self.job = Mutex(job)
        }

        func takeJob() -> Job? {
            job.withLock { job in
                defer { job = nil }
                return job
            }
        }
    }

    private struct State {
        var idle: [Worker] = []
        var count = 0
        var queue = CircularBuffer<Job>()
    }

    private let limit: Int
    private let idleTime: Duration
    private let state = Mutex(State())

    init(limit: Int, idleTime: Duration = .seconds(10)) {
        self.limit = limit
        self.idleTime = idleTime
    }

    /// Whether work waits for a thread.
    var isAwaited: Bool { state.withLock { !$0.queue.isEmpty } }

    /// The number of threads, for tests.
    var count: Int { state.withLock { $0.count } }

    // MARK: Work

    /// Has a job run on one of the threads.
    func submit(_ job: @escaping Job) {
        let (idle, isQueued) = state.withLock { state -> (Worker?, Bool) in
            if let worker = state.idle.popLast() {
                worker.job.withLock { $0 = job }
                return (worker, false)
            }
            guard state.count < limit else {
                state.queue.append(job)
                return (nil, true)
            }
            state.count += 1
            return (nil, false)
        }
        if let idle {
            idle.wakeUp.signal()
        } else if !isQueued {
            start(job)
        }
    }

    /// Runs work to its end, unless the task is cancelled already.
    ///
    /// - Throws: What the work throws, `CancellationError` or ``Unavailable``.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await runEvenIfCancelled(work)
    }

    /// Runs work to its end, also in a task that is cancelled: to clean up.
    func runEvenIfCancelled<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            submit { unavailable in
                if let unavailable {
                    continuation.resume(throwing: unavailable)
                } else {
                    continuation.resume(with: Result { try work() })
                }
            }
        }
    }

    /// Runs work that may never end. When the task is cancelled its caller goes on at once, and the
    /// work is left to itself; it can ask whether it is still wanted.
    ///
    /// - Throws: What the work throws, `CancellationError` or ``Unavailable``.
    func runUntilCancelled<Value: Sendable>(
        _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws -> Value
    ) async throws -> Value {
        let call = AbandonableCall<Value>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
                submit { unavailable in
                    if let unavailable {
                        call.end(.failure(unavailable))
                    } else {
                        call.end(Result { try work { call.isWanted } })
                    }
                }
            }
        } onCancel: {
            call.end(.failure(CancellationError()))
        }
    }

    // MARK: Threads

    private func start(_ job: @escaping Job) {
        let worker = Worker(job)
        let code = Self.startThread { [self] in
            while let job = nextJob(of: worker) { job(nil) }
        }
        guard code != 0 else { return }
        let (stranded, idle) = state.withLock { state -> ([Job], Worker?) in
            state.count -= 1
            if let worker = state.idle.popLast() {
                worker.job.withLock { $0 = job }
                return ([], worker)
            }
            state.queue.append(job)
            // The other threads take it when they have done their work.
            guard state.count == 0 else { return ([], nil) }
            defer { state.queue.removeAll() }
            return (Array(state.queue), nil)
        }
        idle?.wakeUp.signal()
        for job in stranded { job(Unavailable(code: code)) }
    }

    /// Waits for work; nil when none came and the thread is to end.
    private func nextJob(of worker: Worker) -> Job? {
        if let job = worker.takeJob() { return job }
        let queued = state.withLock { state -> Job? in
            if let job = state.queue.popFirst() { return job }
            state.idle.append(worker)
            return nil
        }
        if let queued { return queued }
        if worker.wakeUp.wait(timeout: .now() + idleTime.seconds) == .timedOut {
            let isIdle = state.withLock { state in
                guard let index = state.idle.firstIndex(where: { $0 === worker }) else { return false }
                state.idle.remove(at: index)
                state.count -= 1
                return true
            }
            if isIdle { return nil }
            // A job was handed over at the last moment.
            worker.wakeUp.wait()
        }
        return worker.takeJob()
    }

    private final class ThreadBody: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// A write beyond the limit for the size of files (RLIMIT_FSIZE) is to return EFBIG. The signal
    /// of it, which the thread that writes gets, would end the process.
    private static func blockSignalOfLongFiles() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGXFSZ)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Returns the system's error, or 0.
    private static func startThread(_ body: @escaping @Sendable () -> Void) -> CInt {
        // The thread takes the reference that is handed to it; where there is no thread, it is
        // given back here.
        let box = unsafe Unmanaged.passRetained(ThreadBody(body))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { box in
                BlockingThreads.blockSignalOfLongFiles()
                if let box = unsafe box { unsafe Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            },
            box.toOpaque()
        )
        if code == 0 { pthread_detach(thread) } else { unsafe box.release() }
        return code
    }
}

/// A call whose caller may go on before it has ended. Its state goes from `notBegun` to `awaited`
/// to `over`, or to `over` at once.
private final class AbandonableCall<Value: Sendable>: Sendable {
    private enum State {
        case notBegun
        case awaited(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.notBegun)

    var isWanted: Bool {
        state.withLock { state in
            if case .awaited = state { true } else { false }
        }
    }

    /// False when it is over already.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard case .notBegun = state else { return false }
            state = .awaited(continuation)
            return true
        }
    }

    /// The first end counts.
    func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            defer { state = .over }
            guard case .awaited(let continuation) = state else { return nil }
            return continuation
        }
        continuation?.resume(with: result)
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

/// Work with regular files for the other products of the package.
package enum FileWork {
    /// Does work that blocks for a short time, on the threads for regular files, to its end.
    ///
    /// - Parameter work: The work.
    /// - Returns: Its value.
    /// - Throws: What the work throws, or that no thread could be started.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await BlockingThreads.files.runEvenIfCancelled(work)
    }

    /// Does work without waiting for it.
    ///
    /// - Parameter work: The work.
    package static func begin(_ work: @escaping @Sendable () -> Void) {
        // Where no thread can be started, nothing is done: it is work that can wait.
        BlockingThreads.files.submit { unavailable in
            if unavailable == nil { work() }
        }
    }
}

/// The decoding of images for another product of the package.
package enum ImageWork {
    /// Decodes on the threads for images, of which there are at most as many as cores.
    ///
    /// - Parameter work: The work, to its end; it is not begun where the task is cancelled.
    /// - Returns: Its value.
    /// - Throws: What the work throws, `CancellationError`, or that no thread could be started.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await BlockingThreads.images.run(work)
    }
}

/// Waits of the other products of the package that may have no end.
package enum EndlessWork {
    /// Does work that may block for ever, on a thread of its own.
    ///
    /// - Parameter work: The work. It is not done where no thread can be started.
    package static func begin(_ work: @escaping @Sendable () -> Void) {
        BlockingThreads.pipes.submit { unavailable in
            if unavailable == nil { work() }
        }
    }
}
