import Bluebonnet

/// Ends the command with one line on standard error.
struct CommandFailure: Error, Sendable, Equatable {
    /// What stands after `bluebonnet: `.
    var message: String
    var status: ExitStatus

    /// What the command was asked cannot be done.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(message: message, status: .usage)
    }

    /// Something that a later version can do.
    static func notAvailable(_ what: String) -> CommandFailure {
        .usage("\(what) is not available yet in version \(MainCommand.version).")
    }
}

extension CommandFailure {
    /// A request that failed: its code and its sentence.
    init(_ error: NetworkingError) {
        self.init(message: "\(error.code.rawValue): \(error.message)", status: ExitStatus(error))
        // The only redirect that a request of the command refuses.
        if error.code == .redirectRefused { message += " Here that is --body-on-insecure-redirects." }
    }
}
