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
    private let sources: [any DispatchSourceSignal]

    /// From now on the signals do not end the process by themselves.
    ///
    /// - Parameters:
    ///   - numbers: The signals. Those that the process was started to ignore, as `nohup` does, stay ignored.
    ///   - handle: Is called with the number of each that comes, on another thread.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP], handle: @escaping @Sendable (Int32) -> Void) {
        sources = numbers.filter { !Self.isIgnored($0) }.map { number in
            signal(number, SIG_IGN)
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

    private static func isIgnored(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_IGN)
        // Both are pointers to functions, or a small number in the place of one.
        let isIgnored = unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if !isIgnored { signal(number, handler) }
        return isIgnored
    }

    /// Ends the process by a signal, so that who started it sees why: a shell makes 130 of SIGINT and 143 of SIGTERM.
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

    /// Runs work that leaves something behind when the process ends in its middle, such as half a file.
    ///
    /// A signal cancels the work, and the process ends by that signal when the work has ended. A second signal ends the process
    /// at once, and so do three seconds in which the work does not end.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let received = Mutex<Int32?>(nil)
        let task = Task { try await work() }
        let signals = TerminationSignals { number in
            let isFirst = received.withLock { received in
                defer { received = received ?? number }
                return received == nil
            }
            guard isFirst else { end(by: number) }
            task.cancel()
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) { end(by: number) }
        }
        let result = await task.result
        if let number = received.withLock({ $0 }) { end(by: number) }
        signals.stop()
        return try result.get()
    }
}
