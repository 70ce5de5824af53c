import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal of the process: whoever writes to it goes through here, so that the status line
/// never stands in the output.
final class Terminal: Sendable {
    static let shared = Terminal()

    private let line = Mutex(StatusLine())

    /// Where the status line is drawn.
    private let descriptor: Int32 = 2

    private init() {}

    /// Draws the status line in place of the one that is there.
    ///
    /// - Parameter text: Makes the text for a number of columns.
    func show(_ text: (Int) -> String) {
        let text = text(columns)
        line.withLock { write($0.show(text)) }
    }

    /// Takes the status line away; no other is drawn.
    func endStatus() {
        line.withLock { write($0.end()) }
    }

    /// Takes the status line away, unless somebody is writing who may be blocked.
    func endStatusUnlessBusy() {
        _ = line.withLockIfAvailable { write($0.end()) }
    }

    /// Writes what is no status line to the terminal.
    ///
    /// - Parameters:
    ///   - bytes: What is written.
    ///   - body: Writes it.
    /// - Throws: What the body throws.
    func write<Failure: Error>(
        _ bytes: some BidirectionalCollection<UInt8>,
        with body: () throws(Failure) -> Void
    ) throws(Failure) {
        try line.withLock { (line) throws(Failure) in
            write(line.makeWay(for: bytes))
            try body()
        }
    }

    /// What cannot be drawn is nobody's loss.
    private func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { try? OutputFile(descriptor: descriptor).write(bytes) }
    }

    /// The width of the window now; asked each time, since it changes. 80 when the terminal does
    /// not say.
    private var columns: Int {
        var size = winsize()
        // The structure is only used while the call runs.
        let result = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
