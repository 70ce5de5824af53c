import ArgumentParser
import HTTPTypes

/// `bluebonnet put`.
struct PutCommand: RequestCommand {
    static let method = HTTPRequest.Method.put

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends a PUT; fields are JSON unless --form.",
        discussion: """
            Examples:
              bluebonnet put :8080/users/42 name=Ada
              bluebonnet put :8080/files/photo.png @photo.png
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
