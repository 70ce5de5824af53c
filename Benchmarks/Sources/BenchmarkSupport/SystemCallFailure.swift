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
