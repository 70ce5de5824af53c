import ArgumentParser
import HTTPTypes

/// `bluebonnet head`.
struct HeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "head",
        _superCommandName: BluebonnetCommand.name,
        abstract: "Sends a HEAD and shows the head of the answer.",
        discussion: """
            Example:
              bluebonnet head example.org/big.iso
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions

    func run() async throws {
        try await RequestRunner(method: .head, options: options).run()
    }
}
