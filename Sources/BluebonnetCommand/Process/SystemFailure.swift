import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The error of a system call on a file.
struct SystemFailure: Error, CustomStringConvertible {
    /// The error number of the system.
    let code: Int32

    /// Whether a deadline was over before there was anything to read.
    var isTimeout: Bool { code == ETIMEDOUT }

    /// The system's text for the error.
    let reason: String

    /// The name of the file and the reason.
    let description: String

    /// - Parameters:
    ///   - name: The path, or another name of the file.
    ///   - code: The error number.
    init(_ name: String, code: Int32) {
        self.code = code
        // `strerror` returns a C string for every number, and it is copied here.
        reason = unsafe String(cString: strerror(code))
        description = "\(name): \(reason)"
    }
}

extension SystemFailure {
    /// The failure of a system call of which Foundation tells, or that is one already; nil for
    /// another error.
    ///
    /// - Parameters:
    ///   - name: The path, or another name of the file.
    ///   - error: The error.
    init?(_ name: String, of error: any Error) {
        if let failure = error as? SystemFailure {
            self = failure
        } else if let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code {
            self.init(name, code: code.rawValue)
        } else {
            return nil
        }
    }
}
