import ArgumentParser
import HTTPTypes

/// `bluebonnet patch`.
struct PatchCommand: RequestCommand {
    static let method = HTTPRequest.Method.patch

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends a PATCH; fields are JSON unless --form.",
        discussion: """
            Example:
              bluebonnet patch :8080/users/42 tags:='["a", "b"]'
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
