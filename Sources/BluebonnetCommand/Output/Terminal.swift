import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The terminal of the process. Everything that is written to it is written here, so that the
/// status lines are never mixed with the output.
final class Terminal: Sendable {
    static let shared = Terminal()

    /// The size of the window in characters.
    struct Size: Equatable, Sendable {
        var columns = 80
        var rows = 24
    }

    private let lines = Mutex(StatusLines())

    /// The descriptor to which the status lines are drawn.
    private let descriptor: Int32 = 2

    private init() {}

    /// Draws the status lines in place of those that are there.
    ///
    /// - Parameter frame: Makes the lines for a size of the window; nil where nothing changes.
    func show(_ frame: (Size) -> StatusLines.Frame?) {
        let size = size
        guard var frame = frame(size) else { return }
        let isInBackground = isInBackground
        if isInBackground { frame.rows = [] }
        lines.withLock { lines in
            if isInBackground { lines.forget() }
            write(lines.show(frame, columns: size.columns))
        }
    }

    /// Leaves the status lines where they are: others have written below them.
    func forgetStatus() {
        lines.withLock { $0.forget() }
    }

    /// Removes the status lines; no others are drawn.
    func endStatus() {
        lines.withLock { write($0.end(columns: size.columns)) }
    }

    /// Removes the status lines, unless a thread is writing that may be blocked.
    func endStatusUnlessBusy() {
        _ = lines.withLockIfAvailable { write($0.end(columns: size.columns)) }
    }

    /// Writes bytes that are not the status lines to the terminal.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - body: Writes them.
    /// - Throws: What the body throws.
    func write<Failure: Error>(
        _ bytes: some BidirectionalCollection<UInt8>,
        with body: () throws(Failure) -> Void
    ) throws(Failure) {
        try lines.withLock { (lines) throws(Failure) in
            write(lines.makeWay(for: bytes, columns: size.columns))
            try body()
        }
    }

    /// Draws the status lines. It is not an error when that fails.
    private func write(_ bytes: [UInt8]) {
        if !bytes.isEmpty { try? OutputFile(descriptor: descriptor).write(bytes) }
    }

    /// Whether the shell has the terminal, and shows other output there.
    private var isInBackground: Bool {
        let group = tcgetpgrp(descriptor)
        return group >= 0 && group != getpgrp()
    }

    private var size: Size { Self.size(of: descriptor) }

    /// The size of the window; read each time, since it changes. 80 by 24 when the terminal does
    /// not say.
    static func size(of descriptor: Int32) -> Size {
        var size = winsize()
        // The call writes at most one `winsize`, and does not keep the pointer.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Size() }
        return Size(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : Size().rows)
    }
}
