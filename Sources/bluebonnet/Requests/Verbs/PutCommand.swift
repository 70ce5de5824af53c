import ArgumentParser
import HTTPTypes

/// `bluebonnet put`.
struct PutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        _superCommandName: BluebonnetCommand.name,
        abstract: "Sends a PUT; fields are JSON unless --form.",
        discussion: """
            Examples:
              bluebonnet put :8080/users/42 name=Ada
              bluebonnet put :8080/files/photo.png @photo.png
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions

    func run() async throws {
        try await RequestRunner(method: .put, options: options).run()
    }
}
