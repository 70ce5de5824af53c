/// A response whose status was not 200.
public struct UnexpectedStatus: Error, CustomStringConvertible {
    private let status: Int

    /// Creates the error.
    ///
    /// - Parameter status: The status code that came.
    public init(status: Int) {
        self.status = status
    }

    /// A sentence for the log.
    public var description: String { "the server answered with status \(status)" }
}
