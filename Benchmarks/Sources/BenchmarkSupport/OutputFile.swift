#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file written with plain `write` calls, so that every client pays the same for it.
public struct OutputFile: ~Copyable {
    /// The standard error stream's descriptor.
    static let standardError: Int32 = 2

    private let descriptor: Int32

    /// Opens a file for writing and removes its content.
    ///
    /// - Parameter path: The path of the file; it is created if it does not exist.
    /// - Throws: ``SystemCallFailure`` when it cannot be opened.
    public init(replacing path: String) throws {
        // The path is copied by the call.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemCallFailure("open \(path)", errno: errno) }
    }

    deinit {
        _ = close(descriptor)
    }

    /// Writes all bytes at the end of the file.
    ///
    /// - Parameter bytes: The bytes to write; no pointer to them is kept.
    /// - Throws: ``SystemCallFailure`` when the disk is full or broken.
    public func write(_ bytes: UnsafeRawBufferPointer) throws {
        try unsafe Self.write(bytes, to: descriptor)
    }

    /// The size of a file in bytes.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The size.
    /// - Throws: ``SystemCallFailure`` when there is no such file.
    public static func size(of path: String) throws -> Int {
        var status = stat()
        // The path is copied by the call.
        guard unsafe stat(path, &status) == 0 else { throw SystemCallFailure("stat \(path)", errno: errno) }
        return Int(status.st_size)
    }

    /// Prints a text to the standard error stream.
    static func printError(_ text: String) {
        var copy = text
        // The buffer is valid until the closure returns, and `write` keeps no pointer to it. The
        // error is ignored: a lost message changes no result.
        copy.withUTF8 { try? unsafe Self.write(UnsafeRawBufferPointer($0), to: standardError) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            // `rest` is a part of the caller's buffer, which is valid until this call returns.
            let slice = unsafe UnsafeRawBufferPointer(rebasing: rest)
            #if canImport(Glibc)
                let count = unsafe Glibc.write(descriptor, slice.baseAddress, slice.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.write(descriptor, slice.baseAddress, slice.count)
            #else
                let count = unsafe Darwin.write(descriptor, slice.baseAddress, slice.count)
            #endif
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw SystemCallFailure("write", errno: errno)
            }
            unsafe rest = rest.dropFirst(count)
        }
    }
}
