#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A descriptor that bytes are written to, blocking the calling thread.
struct OutputFile: ~Copyable {
    private let descriptor: Int32
    private let isOwned: Bool

    /// Takes a descriptor of the process, which stays open.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
    }

    /// Opens and empties what stands at a path and is not to be replaced: a device, a pipe, what a
    /// link leads to.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``SystemFailure``.
    init(path: String) throws(SystemFailure) {
        // The C function reads the path while it runs.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemFailure(path, code: errno) }
        self.descriptor = descriptor
        isOwned = true
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Whether a person is looking at it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes everything, waiting for a slow reader.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``SystemFailure``.
    func write(_ bytes: some Collection<UInt8>) throws(SystemFailure) {
        // The buffer is only read while the closure runs.
        let code = bytes.withContiguousStorageIfAvailable { unsafe write(all: UnsafeRawBufferPointer($0)) }
        guard let code else { return try write(Array(bytes)) }
        guard code == 0 else { throw SystemFailure("The output", code: code) }
    }

    /// The error number, 0 without one.
    private func write(all bytes: UnsafeRawBufferPointer) -> Int32 {
        var offset = 0
        while offset < bytes.count {
            // Stays inside the buffer: `offset` is below its count.
            let count = unsafe systemWrite(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            if count >= 0 {
                offset += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN: waitUntilWritable()
            case let code: return code
            }
        }
        return 0
    }

    /// A terminal or pipe that somebody else has made non-blocking.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // One entry, and the pointer does not outlive the call.
        _ = unsafe poll(&entry, 1, -1)
    }
}

/// The system's call, by a name that the methods of ``OutputFile`` do not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
