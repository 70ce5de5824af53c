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
        // The C function reads the path while it runs.
        let descriptor = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(path, code: errno) }
        self.descriptor = descriptor
        self.path = path == "-" ? "standard input" : path
        isOwned = path != "-"
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

    /// The next bytes as soon as there are any, or nil at the end.
    ///
    /// - Throws: ``SystemFailure``.
    func next() throws(SystemFailure) -> [UInt8]? {
        while true {
            var code: Int32 = 0
            let block = unsafe [UInt8](unsafeUninitializedCapacity: Self.blockSize) { buffer, count in
                // Reads at most the capacity of the buffer.
                let size = unsafe read(descriptor, buffer.baseAddress, Self.blockSize)
                code = size < 0 ? errno : 0
                count = max(0, size)
            }
            if code == 0 { return block.isEmpty ? nil : block }
            guard code == EINTR else { throw SystemFailure(path, code: code) }
        }
    }

    /// Everything up to the end.
    ///
    /// - Throws: ``SystemFailure``.
    consuming func readToEnd() throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let block = try next() { bytes += block }
        return bytes
    }
}
