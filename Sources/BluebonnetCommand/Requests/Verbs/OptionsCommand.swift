import ArgumentParser
import HTTPTypes

/// `bluebonnet options`.
struct OptionsCommand: RequestCommand {
    static let method = HTTPRequest.Method.options

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends an OPTIONS and shows the response.",
        discussion: """
            Example:
              bluebonnet options -i :8080/users
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
