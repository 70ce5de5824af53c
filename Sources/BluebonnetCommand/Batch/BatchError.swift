import Bluebonnet

/// The reason why a line has no response: the `error` of its result.
struct BatchError: Error, Equatable, Sendable {
    /// The code of a `NetworkingError`, or `invalid-line`.
    var code: String
    /// A sentence for a person.
    var message: String
    /// The rule that refused a server's certificates: `path-length`.
    var rule: String?

    /// An error of a line that does not describe a request.
    static func invalidLine(_ message: String) -> BatchError {
        BatchError(code: "invalid-line", message: message)
    }
}

extension BatchError {
    /// The code and the message of the library's error, and its rule of trust.
    init(_ error: NetworkingError) {
        self.init(code: error.code.rawValue, message: error.message, rule: error.trustRefusal?.rule.description)
    }
}
