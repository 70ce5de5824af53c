/// A workload that the client cannot run.
public struct NoSuchWorkload: Error, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// A sentence for the log.
    public var description: String { "this client cannot run this workload" }
}

/// A system call that failed.
public struct SystemCallFailure: Error, CustomStringConvertible {
    /// The name of the call and its error number.
    public let description: String

    /// Creates the error.
    ///
    /// - Parameters:
    ///   - call: The name of the call, and of the file where there is one.
    ///   - number: The value of `errno` after it.
    public init(_ call: String, errno number: Int32) {
        description = "\(call) failed with errno \(number)"
    }
}

/// A response whose status was not 200.
public struct UnexpectedStatus: Error, CustomStringConvertible {
    private let status: Int

    /// Creates the error.
    ///
    /// - Parameter status: The status code of the response.
    public init(status: Int) {
        self.status = status
    }

    /// A sentence for the log.
    public var description: String { "the response had status \(status) instead of 200" }
}
