import ArgumentParser
import HTTPTypes

/// `bluebonnet patch`.
struct PatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        _superCommandName: BluebonnetCommand.name,
        abstract: "Sends a PATCH; fields are JSON unless --form.",
        discussion: """
            Example:
              bluebonnet patch :8080/users/42 tags:='["a", "b"]'
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions

    func run() async throws {
        try await RequestRunner(method: .patch, options: options).run()
    }
}
