import FoundationEssentials

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
    /// The name of the file in errors.
    private let name: String

    /// Takes a descriptor of the process, which stays open.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        isOwned = false
        name = "The output"
    }

    /// Opens and empties a file that must not be replaced: a device, a pipe, the target of a link.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``SystemFailure``.
    init(path: String) throws(SystemFailure) {
        // Swift makes a C string of the path that lives until the call returns.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemFailure(path, code: errno) }
        self.descriptor = descriptor
        isOwned = true
        name = path
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes everything, waiting for a slow reader.
    ///
    /// - Parameter bytes: The bytes.
    /// - Throws: ``SystemFailure``.
    func write(_ bytes: some Collection<UInt8>) throws(SystemFailure) {
        // The buffer is valid until the closure returns, and `write(all:)` does not keep it.
        let code = bytes.withContiguousStorageIfAvailable { unsafe write(all: UnsafeRawBufferPointer($0)) }
        guard let code else { return try write(Array(bytes)) }
        guard code == 0 else { throw SystemFailure(name, code: code) }
    }

    /// Writes all bytes; returns the error number, 0 without one.
    private func write(all bytes: UnsafeRawBufferPointer) -> Int32 {
        var offset = 0
        while offset < bytes.count {
            // `offset` is below the count, so that address and length stay inside the buffer.
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

    /// Waits for a terminal or pipe that another process has made non-blocking.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // The count is that of the entries, and `poll` does not keep the pointer.
        _ = unsafe poll(&entry, 1, -1)
    }
}

extension OutputFile {
    /// Writes a whole file, which replaces another one at once. A device, a pipe or a link is never
    /// replaced: the bytes are written to what it leads to.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - path: The path.
    ///   - noun: What the file is, for the message: “The archive”.
    /// - Throws: ``CommandFailure``.
    static func write(_ data: Data, to path: String, as noun: String) throws(CommandFailure) {
        do {
            switch FileKind(path: path) {
            case .link, .special: try OutputFile(path: path).write(data)
            case .missing, .regular, .directory: try data.write(to: HomeFolder.file(path), options: .atomic)
            }
        } catch {
            let reason = SystemFailure(path, of: error)?.description ?? "\(path): \(error)"
            throw CommandFailure(message: "\(noun) cannot be written: \(reason).", status: .transport)
        }
    }

    /// Checks that a file can be made, or replaced, at a path. Devices, pipes and links are not
    /// replaced, and not checked.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    static func checkFolder(of path: String) throws(CommandFailure) {
        switch FileKind(path: path) {
        case .directory: throw .usage(SystemFailure(path, code: EISDIR).description + ".")
        case .link, .special: return
        case .missing, .regular: break
        }
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "."
        // The C string of the path lives until the call returns.
        guard unsafe access(String(folder), W_OK | X_OK) == 0 else {
            throw .usage(SystemFailure(path, code: errno).description + ".")
        }
    }
}

/// The system's call, by a name that the methods of ``OutputFile`` do not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
