import ArgumentParser
import Bluebonnet
import LocalServer

/// `bluebonnet demo`.
struct DemoCommand: NamedCommand {
    static let name = "demo"

    static let configuration = CommandConfiguration(
        commandName: name,
        _superCommandName: MainCommand.name,
        abstract: "Shows what the library does, with an embedded server.",
        discussion: """
            Starts the embedded server, runs the main uses of the library one by
            one, and checks each response. Needs no network. The exit status is 1
            when a step fails.
            """
    )

    func run() async throws {
        let output = StandardStream.output
        let certificates = try TestCertificates.shared()
        try await LocalServer.run { server in
            output.write(line: "Bluebonnet \(MainCommand.version), a tour. The server is at \(server.baseURL).")
            let stage = DemoStage(server: server, session: SessionManager(), certificates: certificates)
            for (position, step) in DemoStep.all.enumerated() {
                output.write(line: "\n\(position + 1). \(step.title)\n   \(step.code)")
                try await run(step, on: stage, output)
            }
            await stage.session.shutdown()
        }
        output.write(line: "\nAll \(DemoStep.all.count) steps succeeded.")
    }

    private func run(_ step: DemoStep, on stage: DemoStage, _ output: StandardStream) async throws {
        do {
            output.write(line: "   → \(try await step.run(stage))")
        } catch {
            output.write(line: "   ✗ \(error)")
            throw CommandFailure(message: "The demo failed at “\(step.title)”: \(error)", status: .transport)
        }
    }
}
