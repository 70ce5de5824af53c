import Bluebonnet

/// Why a line has no response: the `error` of its answer.
struct BatchError: Error, Equatable, Sendable {
    /// The code of a `NetworkingError`, or `invalid-line`.
    var code: String
    /// A sentence for a person.
    var message: String

    /// The line is not what a request looks like.
    static func invalidLine(_ message: String) -> BatchError {
        BatchError(code: "invalid-line", message: message)
    }

    /// The line asks for something that a later version can do.
    static func notAvailable(_ what: String) -> BatchError {
        BatchError(
            code: NetworkingError.Code.unsupportedFeature.rawValue,
            message: CommandFailure.notAvailable(what).message
        )
    }
}

extension BatchError {
    /// What the library says.
    init(_ error: NetworkingError) {
        self.init(code: error.code.rawValue, message: error.message)
    }
}
