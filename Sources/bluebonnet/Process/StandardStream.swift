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

    /// Whether a person is looking at it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes a text and a line end, unless it has one.
    func write(line: String) {
        write(line.utf8.last == UInt8(ascii: "\n") ? line.utf8 : "\(line)\n".utf8)
    }

    /// Writes everything, waiting for a slow reader. What cannot be written ends the process: there is nobody left to tell.
    func write(_ bytes: some BidirectionalCollection<UInt8>) {
        do throws(SystemFailure) {
            guard isTerminal else { return try OutputFile(descriptor: descriptor).write(bytes) }
            try Terminal.shared.write(bytes) { () throws(SystemFailure) in
                try OutputFile(descriptor: descriptor).write(bytes)
            }
        } catch {
            if error.code == EPIPE {
                // SwiftNIO ignores the signal; a filter whose reader has left ends by it.
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
            }
            if descriptor == 1 { Self.error.write(line: "bluebonnet: output-failed: \(error)") }
            ExitStatus.transport.exit()
        }
    }
}
