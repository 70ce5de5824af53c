import ArgumentParser
import HTTPTypes

/// `bluebonnet head`.
struct HeadCommand: RequestCommand {
    static let method = HTTPRequest.Method.head

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Sends a HEAD and shows the head of the response.",
        discussion: """
            Example:
              bluebonnet head example.org/big.iso
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions
}
