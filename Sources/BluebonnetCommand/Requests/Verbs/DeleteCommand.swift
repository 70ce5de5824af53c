import ArgumentParser
import HTTPTypes

/// `bluebonnet delete`.
struct DeleteCommand: RequestCommand {
    static let method = HTTPRequest.Method.delete

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends a DELETE and shows the response.",
        discussion: """
            Example:
              bluebonnet delete :8080/users/42
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
