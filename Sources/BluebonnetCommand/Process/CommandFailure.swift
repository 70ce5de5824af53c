import Bluebonnet
import HTTPTypes

/// Ends the command with one line on standard error.
struct CommandFailure: Error, Sendable, Equatable {
    /// The text after `bluebonnet: `.
    var message: String
    var status: ExitStatus
    /// The kind of failure for programs; of an error of the library its code.
    var code = "failed"

    /// A failure of arguments that the command cannot use.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(message: message, status: .usage, code: "invalid-usage")
    }
}

extension CommandFailure {
    /// A response whose status is a failure of a transfer.
    init(_ head: ResponseHead) {
        let status = ExitStatus(statusCode: head.status.code)
        self.init(
            message: "\(head.status)",
            status: status == .success ? .transport : status,
            code: NetworkingError.Code.unacceptableStatusCode.rawValue
        )
    }

    /// Standard output that cannot be written.
    init(outputFailure: SystemFailure) {
        self.init(message: "\(outputFailure).", status: .transport, code: "output-failed")
    }

    /// A request that failed: its sentence, and what can be done about it.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - ofRequest: Whether the command is one of requests.
    init(_ error: NetworkingError, ofRequest: Bool = false) {
        let sentence = [".", "?", "!"].contains(error.message.suffix(1)) ? error.message : error.message + "."
        let advice = FailureAdvice.text(for: error, ofRequest: ofRequest)
        let message = [sentence, advice].compactMap(\.self).joined(separator: " ")
        self.init(message: message, status: ExitStatus(error), code: error.code.rawValue)
    }
}
