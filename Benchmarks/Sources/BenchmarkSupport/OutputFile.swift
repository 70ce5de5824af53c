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

    /// Opens a file for writing; what it held is gone.
    ///
    /// - Parameter path: Where the file is or shall be.
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
    /// - Parameter bytes: What to write; it is not kept.
    /// - Throws: ``SystemCallFailure`` when the disk is full or broken.
    public func write(_ bytes: UnsafeRawBufferPointer) throws {
        try unsafe Self.write(bytes, to: descriptor)
    }

    /// Prints a text to the standard error stream.
    static func printError(_ text: String) {
        var copy = text
        // The buffer lives as long as the closure; a lost message changes no result.
        copy.withUTF8 { try? unsafe Self.write(UnsafeRawBufferPointer($0), to: standardError) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            // `rebasing` stays inside the caller's buffer, which outlives this call.
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
