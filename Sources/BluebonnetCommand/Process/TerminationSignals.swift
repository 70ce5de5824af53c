import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The signals that ask the process to end, so that it can put things in order first.
struct TerminationSignals {
    /// What the system calls for a signal; nil is its own way to end the process.
    typealias Handler = (@convention(c) (Int32) -> Void)?

    private let sources: [any DispatchSourceSignal]

    /// From now on the signals do not end the process by themselves.
    ///
    /// - Parameters:
    ///   - numbers: The signals. Those that the process was started to ignore, as `nohup` does,
    ///     stay ignored.
    ///   - handle: Is called with the number of each that comes, on another thread.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP], handle: @escaping @Sendable (Int32) -> Void) {
        sources = numbers.compactMap { number in
            // Where it was ignored, it is so now, too.
            if Self.isIgnoring(signal(number, SIG_IGN)) { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            source.activate()
            return source
        }
    }

    /// Stops the calls. Until then the signals are kept from ending the process.
    func stop() {
        for source in sources { source.cancel() }
    }

    /// Whether this is `SIG_IGN`, which C compares with `==`. Pointers to functions are not
    /// `Equatable` in Swift, and this one points to no function: it is the number 1 in the place of
    /// a pointer. So the bits have to be compared, also with `sigaction`, which tells the same
    /// pointer. Both types have the size of an `Int`, and nothing is called.
    static func isIgnoring(_ handler: Handler) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN as Handler, to: Int.self)
    }

    /// Ends the process by a signal, so that who started it sees why: a shell makes 130 of SIGINT
    /// and 143 of SIGTERM.
    static func end(by number: Int32) -> Never {
        Terminal.shared.endStatusUnlessBusy()
        signal(number, SIG_DFL)
        // The threads of Dispatch block signals.
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
        _exit(128 + number)
    }
}

extension TerminationSignals {
    /// How long the first signal waits for the work to end.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// How the process is to end.
    enum Ending: Sendable {
        /// By a signal that somebody sent.
        case signal(Int32)
        /// By the signal of a pipe whose reader has left.
        case brokenPipe
        /// With a status, because what is to be written cannot be.
        case status(ExitStatus)

        func end() -> Never {
            switch self {
            case .signal(let number): TerminationSignals.end(by: number)
            case .brokenPipe: TerminationSignals.end(by: SIGPIPE)
            case .status(let status): status.exit()
            }
        }
    }

    /// Ends the work that ``cancelling(_:)`` runs; false when it is ending already.
    private static let receiver = Mutex<(@Sendable (Ending) -> Bool)?>(nil)

    /// Ends the process for a reason of its own, as a signal does that ``cancelling(_:)`` gets.
    ///
    /// Returns only while such work runs, which has been cancelled then.
    ///
    /// - Parameters:
    ///   - ending: How it ends.
    ///   - tell: Says why, once.
    static func endInOrder(_ ending: Ending, tell: () -> Void = {}) {
        guard let receive = receiver.withLock({ $0 }) else {
            tell()
            ending.end()
        }
        // Everything else that is still written fails, too.
        if receive(ending) { tell() }
    }

    /// Runs work that leaves something behind when the process ends in its middle, such as half a
    /// file.
    ///
    /// A signal cancels the work, and the process ends by that signal when the work has ended. A
    /// second signal ends the process at once, and so do three seconds in which the work does not
    /// end.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let received = Mutex<Ending?>(nil)
        let task = Task { try await work() }
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
        let result = await task.result
        receiver.withLock { $0 = nil }
        received.withLock { $0 }?.end()
        signals.stop()
        return try result.get()
    }
}
