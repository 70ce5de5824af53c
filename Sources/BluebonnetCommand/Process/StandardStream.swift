#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output or standard error, written without buffering.
struct StandardStream: Sendable {
    static let output = StandardStream(descriptor: 1)
    static let error = StandardStream(descriptor: 2)

    private let descriptor: Int32

    /// Opens the standard streams that the process was started without. Otherwise a file or a
    /// connection could get the number of such a stream, and the output that is meant for it.
    ///
    /// Reading standard input and writing to standard output fail as before; messages on standard
    /// error are lost.
    static func replaceClosed() {
        for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] as [(Int32, Int32)]
        where fcntl(descriptor, F_GETFD) == -1 {
            // `open` takes the lowest number that is free, which is this one. The C string of the
            // path lives until it returns.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The width of the terminal in characters; nil where it is none.
    var columns: Int? { isTerminal ? Terminal.size(of: descriptor).columns : nil }

    /// Writes a text, and a line end unless the text has one.
    func write(line: String) {
        write(line.utf8.last == UInt8(ascii: "\n") ? line.utf8 : "\(line)\n".utf8)
    }

    /// Writes everything, waiting for a slow reader. When that fails, the process ends, since it
    /// has no other place to report it. The method only returns then while
    /// ``TerminationSignals/cancelling(_:)`` cleans up first.
    func write(_ bytes: some BidirectionalCollection<UInt8>) {
        do throws(SystemFailure) {
            guard isTerminal else { return try OutputFile(descriptor: descriptor).write(bytes) }
            try Terminal.shared.write(bytes) { () throws(SystemFailure) in
                try OutputFile(descriptor: descriptor).write(bytes)
            }
        } catch {
            // SwiftNIO ignores SIGPIPE; a filter whose reader has closed the pipe must end by it.
            if error.code == EPIPE { return TerminationSignals.endInOrder(.brokenPipe) }
            TerminationSignals.endInOrder(.status(.transport)) {
                if descriptor == 1 { ErrorReport.write(CommandFailure(outputFailure: error)) }
            }
        }
    }
}
