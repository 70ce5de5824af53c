import ArgumentParser
import HTTPTypes

/// `bluebonnet post`.
struct PostCommand: RequestCommand {
    static let method = HTTPRequest.Method.post

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends a POST; fields are JSON unless --form.",
        discussion: """
            Examples:
              bluebonnet post :8080/users name=Ada age:=36
              bluebonnet post :8080/login --form user=ada photo@cat.png
              bluebonnet post :8080/upload @photo.png
              date | bluebonnet post :8080/notes @- Content-Type:text/plain
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
