import ArgumentParser
import HTTPTypes

/// `bluebonnet get`.
struct GetCommand: RequestCommand {
    static let method = HTTPRequest.Method.get

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends a GET and shows the response.",
        discussion: """
            Examples:
              bluebonnet get example.org
              bluebonnet get :8080/users page==2 sort==name Accept:application/json
              bluebonnet get example.org/big.iso -o big.iso
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
