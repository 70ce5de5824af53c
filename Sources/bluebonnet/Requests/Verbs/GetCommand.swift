import ArgumentParser
import HTTPTypes

/// `bluebonnet get`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        _superCommandName: BluebonnetCommand.name,
        abstract: "Sends a GET and shows the answer.",
        discussion: """
            Examples:
              bluebonnet get example.org
              bluebonnet get :8080/users page==2 sort==name Accept:application/json
              bluebonnet get example.org/big.iso -o big.iso
            \(RequestRunner.exitStatusHelp)
            """
    )

    @OptionGroup var options: RequestOptions

    func run() async throws {
        try await RequestRunner(method: .get, options: options).run()
    }
}
