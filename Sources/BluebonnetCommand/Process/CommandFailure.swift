import Bluebonnet

/// Ends the command with one line on standard error.
struct CommandFailure: Error, Sendable, Equatable {
    /// The text after `bluebonnet: `.
    var message: String
    var status: ExitStatus

    /// A failure of arguments that the command cannot use.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(message: message, status: .usage)
    }
}

extension CommandFailure {
    /// A request that failed: its code and its sentence.
    init(_ error: NetworkingError) {
        self.init(message: "\(error.code.rawValue): \(error.message)", status: ExitStatus(error))
        guard error.code == .redirectRefused, error.message.contains("sendsBodiesOnInsecureRedirects") else { return }
        message += " The option for this is --body-on-insecure-redirects."
    }
}
