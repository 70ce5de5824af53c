import ArgumentParser
import HTTPTypes

/// `bluebonnet delete`.
struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        _superCommandName: BluebonnetCommand.name,
        abstract: "Sends a DELETE and shows the answer.",
        discussion: """
            Example:
              bluebonnet delete :8080/users/42
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions

    func run() async throws {
        try await RequestRunner(method: .delete, options: options).run()
    }
}
