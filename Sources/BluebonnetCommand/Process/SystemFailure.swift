#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A system call on a file that failed.
struct SystemFailure: Error, CustomStringConvertible {
    /// The number that the system gave.
    let code: Int32

    /// Whether there was nothing to read in time.
    var isTimeout: Bool { code == ETIMEDOUT }

    /// The file and the system's words.
    let description: String

    /// - Parameters:
    ///   - name: The path, or another name of the file.
    ///   - code: The error number.
    init(_ name: String, code: Int32) {
        self.code = code
        // The text is copied before the next call of the C library.
        let reason = unsafe String(cString: strerror(code))
        description = "\(name): \(reason)"
    }
}
