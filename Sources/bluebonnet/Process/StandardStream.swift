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

    /// Writes a text and a line end.
    func write(line: String) {
        var bytes = Array(line.utf8)
        if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
        write(bytes)
    }

    /// Writes everything, waiting for a slow reader. When the reader has gone away the process ends as one that SIGPIPE ends.
    func write(_ bytes: some Collection<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            // The buffer is only read while the closure runs.
            unsafe write(all: UnsafeRawBufferPointer(bytes))
        }
        if isContiguous == nil { write(Array(bytes)) }
    }

    private func write(all bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset < bytes.count {
            // Stays inside the buffer: `offset` is below its count.
            #if canImport(Glibc)
                let count = unsafe Glibc.write(
                    descriptor,
                    bytes.baseAddress?.advanced(by: offset),
                    bytes.count - offset
                )
            #elseif canImport(Musl)
                let count = unsafe Musl.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            #else
                let count = unsafe Darwin.write(
                    descriptor,
                    bytes.baseAddress?.advanced(by: offset),
                    bytes.count - offset
                )
            #endif
            if count > 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR:
                continue
            case EAGAIN:
                waitUntilWritable()
            case EPIPE:
                // SwiftNIO ignores the signal; a filter whose reader has left ends by it.
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
                ExitStatus.transport.exit()
            default:
                return
            }
        }
    }

    /// A terminal or pipe that somebody else has made non-blocking.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // One entry, and the pointer does not outlive the call.
        _ = unsafe poll(&entry, 1, -1)
    }
}
