import ArgumentParser
import HTTPTypes

/// `bluebonnet options`.
struct OptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "options",
        _superCommandName: BluebonnetCommand.name,
        abstract: "Sends an OPTIONS and shows the answer.",
        discussion: """
            Example:
              bluebonnet options -i :8080/users
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions

    func run() async throws {
        try await RequestRunner(method: .options, options: options).run()
    }
}
