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

    /// Opens what the process was started without, so that no file and no connection gets its
    /// number, and then what is meant for standard output or standard error.
    ///
    /// Reading standard input and writing to standard output fail as before; what standard error
    /// was to show is lost.
    static func replaceClosed() {
        for (descriptor, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_WRONLY)] as [(Int32, Int32)]
        where fcntl(descriptor, F_GETFD) == -1 {
            // It gets the lowest number that is free, which is this one. The C function reads the
            // path while it runs.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Whether a person is looking at it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a text and a line end, unless it has one.
    func write(line: String) {
        write(line.utf8.last == UInt8(ascii: "\n") ? line.utf8 : "\(line)\n".utf8)
    }

    /// Writes everything, waiting for a slow reader. What cannot be written ends the process: there
    /// is nobody left to tell. It only returns then where ``TerminationSignals/cancelling(_:)``
    /// puts something in order first.
    func write(_ bytes: some BidirectionalCollection<UInt8>) {
        do throws(SystemFailure) {
            guard isTerminal else { return try OutputFile(descriptor: descriptor).write(bytes) }
            try Terminal.shared.write(bytes) { () throws(SystemFailure) in
                try OutputFile(descriptor: descriptor).write(bytes)
            }
        } catch {
            // SwiftNIO ignores the signal; a filter whose reader has left ends by it.
            if error.code == EPIPE { return TerminationSignals.endInOrder(.brokenPipe) }
            TerminationSignals.endInOrder(.status(.transport)) {
                if descriptor == 1 { Self.error.write(line: "bluebonnet: output-failed: \(error)") }
            }
        }
    }
}
