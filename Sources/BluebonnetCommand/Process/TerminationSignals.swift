import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The signals that ask the process to end, so that it can clean up first.
struct TerminationSignals {
    /// The function that the system calls for a signal; nil is the system's default.
    typealias Handler = (@convention(c) (Int32) -> Void)?

    private let sources: [any DispatchSourceSignal]

    /// Handles the signals, which do not end the process by themselves from here on.
    ///
    /// - Parameters:
    ///   - numbers: The signals. Those that the process was started to ignore, as `nohup` does,
    ///     stay ignored.
    ///   - handle: Gets the number of each signal that comes, on another thread.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP], handle: @escaping @Sendable (Int32) -> Void) {
        let registrations = DispatchGroup()
        sources = numbers.compactMap { number in
            let before = signal(number, SIG_IGN)
            // A signal that was ignored stays ignored.
            if Self.isIgnoring(before) { return nil }
            // Dispatch sets its own handler at the first source of a signal only.
            if before != nil { signal(number, before) }
            // A queue of its own has a thread of its own. Those of the global queue may all wait,
            // on a machine with one CPU for the registrations below.
            let queue = DispatchQueue(label: "bluebonnet.signal")
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handle(number) }
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.activate()
            return source
        }
        // On a busy machine, another thread registers them much later.
        registrations.wait()
    }

    /// Stops the calls. Until then the signals are kept from ending the process.
    func stop() {
        for source in sources { source.cancel() }
    }

    /// Whether this is `SIG_IGN`, which C compares with `==`. Pointers to functions are not
    /// `Equatable` in Swift, and this one points to no function: it is the number 1 in the place of
    /// a pointer. So the bits are compared (`sigaction` returns the same pointer). The cast is
    /// valid: both types have the size of an `Int`, and the result is not called.
    static func isIgnoring(_ handler: Handler) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as Handler, to: Int.self)
    }

    /// Ends the process by a signal, so that the program that started it sees why: a shell makes
    /// 130 of SIGINT and 143 of SIGTERM.
    static func end(by number: Int32) -> Never {
        Terminal.shared.endStatusUnlessBusy()
        TerminalModes.restoreCurrent()
        signal(number, SIG_DFL)
        // The threads of Dispatch block signals. `sigemptyset` initializes the set, and none of the
        // calls keeps the pointer to it.
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        _exit(128 + number)
    }
}

extension TerminationSignals {
    /// The time that the work has to end after the first signal.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// The ways in which the process can end.
    enum Ending: Sendable {
        /// By a signal that the process received.
        case signal(Int32)
        /// By SIGPIPE, because the reader of a pipe has closed it.
        case brokenPipe
        /// With a status, because output cannot be written.
        case status(ExitStatus)

        func end() -> Never {
            switch self {
            case .signal(let number): TerminationSignals.end(by: number)
            case .brokenPipe: TerminationSignals.end(by: SIGPIPE)
            case .status(let status):
                TerminalModes.restoreCurrent()
                status.exit()
            }
        }
    }

    /// Cancels the work that ``cancelling(_:)`` runs; returns false when that was done already.
    private static let receiver = Mutex<(@Sendable (Ending) -> Bool)?>(nil)

    /// Ends the process without a signal from outside, as ``cancelling(_:)`` does after a signal.
    ///
    /// Returns only while such work runs; the work has been cancelled then.
    ///
    /// - Parameters:
    ///   - ending: The way in which it ends.
    ///   - tell: Prints the reason; called once.
    static func endInOrder(_ ending: Ending, tell: () -> Void = {}) {
        guard let receive = receiver.withLock({ $0 }) else {
            tell()
            ending.end()
        }
        // Later writes fail, too; only the first failure is printed.
        if receive(ending) { tell() }
    }

    /// Runs work that must clean up before the process ends, such as the removal of a half-written
    /// file.
    ///
    /// A signal cancels the work, and the process ends by that signal when the work has ended. A
    /// second signal ends the process at once, and so do three seconds in which the work does not
    /// end.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let received = Mutex<Ending?>(nil)
        // The work begins when signals are handled.
        let (starts, start) = AsyncStream.makeStream(of: Never.self)
        let task = Task {
            for await _ in starts {}
            return try await work()
        }
        let receive: @Sendable (Ending) -> Bool = { ending in
            let isFirst = received.withLock { received in
                defer { received = received ?? ending }
                return received == nil
            }
            guard isFirst else { return false }
            task.cancel()
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) { ending.end() }
            return true
        }
        let signals = TerminationSignals { number in
            if !receive(.signal(number)) { end(by: number) }
        }
        receiver.withLock { $0 = receive }
        start.finish()
        let result = await task.result
        receiver.withLock { $0 = nil }
        received.withLock { $0 }?.end()
        signals.stop()
        return try result.get()
    }
}
