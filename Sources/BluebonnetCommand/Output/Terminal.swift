import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal of the process. Everything that is written to it is written here, so that the
/// status line is never mixed with the output.
final class Terminal: Sendable {
    static let shared = Terminal()

    private let line = Mutex(StatusLine())

    /// The descriptor to which the status line is drawn.
    private let descriptor: Int32 = 2

    private init() {}

    /// Draws the status line in place of the one that is there.
    ///
    /// - Parameter text: Makes the text for a number of columns.
    func show(_ text: (Int) -> String) {
        let text = text(columns)
        line.withLock { write($0.show(text)) }
    }

    /// Removes the status line; no other is drawn.
    func endStatus() {
        line.withLock { write($0.end()) }
    }

    /// Removes the status line, unless a thread is writing that may be blocked.
    func endStatusUnlessBusy() {
        _ = line.withLockIfAvailable { write($0.end()) }
    }

    /// Writes bytes that are not the status line to the terminal.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - body: Writes them.
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

    /// Draws the status line. It is not an error when that fails.
    private func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { try? OutputFile(descriptor: descriptor).write(bytes) }
    }

    /// The width of the window; read each time, since it changes. 80 when the terminal does not
    /// say.
    private var columns: Int {
        var size = winsize()
        // The call writes at most one `winsize`, and does not keep the pointer.
        let result = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
