import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SIGINT and SIGTERM as something to wait for, so that a server ends in order.
struct TerminationSignals {
    private let signals: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// From now on the signals do not end the process by themselves.
    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        self.signals = signals
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    /// Returns when one of the signals has come.
    func first() async {
        for await _ in signals { break }
        // Until here nothing else holds the sources.
        for source in sources { source.cancel() }
    }
}
