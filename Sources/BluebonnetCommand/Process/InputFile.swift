#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file or standard input, read in blocks that block the calling thread.
struct InputFile: ~Copyable {
    private static let blockSize = 1 << 16

    private let descriptor: Int32
    private let path: String
    private let isOwned: Bool

    /// Opens a file.
    ///
    /// - Parameter path: The path; `-` is standard input.
    /// - Throws: ``SystemFailure``.
    init(path: String) throws(SystemFailure) {
        // Swift makes a C string of the path that lives until the call returns.
        let descriptor = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(path, code: errno) }
        self.descriptor = descriptor
        self.path = path == "-" ? "standard input" : path
        isOwned = path != "-"
    }

    /// Finds out whether a file can be read, without opening it: a pipe can be opened only once.
    ///
    /// - Parameter path: The path.
    /// - Throws: ``SystemFailure``.
    static func checkAccess(to path: String) throws(SystemFailure) {
        // Swift makes a C string of the path that lives until the call returns.
        guard unsafe access(path, R_OK) == 0 else { throw SystemFailure(path, code: errno) }
    }

    /// Takes a descriptor of the process, which stays open.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        path = "The input"
        isOwned = false
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Reads as soon as there are bytes.
    ///
    /// - Parameter deadline: The end of the waiting; nil waits for ever.
    /// - Returns: The next bytes, or nil at the end.
    /// - Throws: ``SystemFailure``; its code is `ETIMEDOUT` at the deadline.
    func next(until deadline: ContinuousClock.Instant? = nil) throws(SystemFailure) -> [UInt8]? {
        if let deadline { try waitUntilReadable(until: deadline) }
        while true {
            var code: Int32 = 0
            let block = unsafe [UInt8](unsafeUninitializedCapacity: Self.blockSize) { buffer, count in
                // `read` writes at most `blockSize` bytes, which is the capacity of the buffer.
                let size = unsafe read(descriptor, buffer.baseAddress, Self.blockSize)
                code = size < 0 ? errno : 0
                count = max(0, size)
            }
            if code == 0 { return block.isEmpty ? nil : block }
            switch code {
            case EINTR: continue
            // Another process that shares the descriptor has made it non-blocking.
            case EAGAIN: try waitUntilReadable(until: deadline)
            default: throw SystemFailure(path, code: code)
            }
        }
    }

    /// Reads up to the end.
    ///
    /// - Parameters:
    ///   - deadline: The end of the waiting; nil waits for ever.
    ///   - limit: The number of bytes beyond which nothing more is read, for an input without an
    ///     end. Default: none.
    /// - Returns: All bytes, or more than the limit.
    /// - Throws: ``SystemFailure``; its code is `ETIMEDOUT` at the deadline.
    consuming func readToEnd(
        until deadline: ContinuousClock.Instant? = nil,
        beyond limit: Int = .max
    ) throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit, let block = try next(until: deadline) { bytes += block }
        return bytes
    }

    private func waitUntilReadable(until deadline: ContinuousClock.Instant?) throws(SystemFailure) {
        // An input that never ends always has something to read.
        guard deadline.map({ .now < $0 }) ?? true, isReadable(until: deadline) else {
            throw SystemFailure(path, code: ETIMEDOUT)
        }
    }

    /// Waits until there are bytes, the end or an error to read.
    ///
    /// - Parameter deadline: The end of the waiting; nil waits for ever.
    /// - Returns: Whether there is one of them.
    func isReadable(until deadline: ContinuousClock.Instant?) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            // A day at a time, since `poll` takes an `Int32` of milliseconds.
            let milliseconds = left.map { Int32((min($0, .seconds(86_400)) / .milliseconds(1)).rounded(.up)) }
            // The count is that of the entries, and `poll` does not keep the pointer.
            let count = unsafe poll(&entry, 1, milliseconds ?? -1)
            if count > 0 { return true }
            if count == 0, left == .zero { return false }
            // An input that `poll` refuses is read, which reports the error.
            if count < 0, errno != EINTR, errno != EAGAIN { return true }
        }
    }
}
