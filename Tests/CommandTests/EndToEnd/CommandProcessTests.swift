import Testing

@testable import bluebonnet

@Suite(.timeLimit(.minutes(2))) struct CommandProcessTests {
    @Test func `the version is printed`() async throws {
        let output = try await Command.run("--version")
        #expect(output.text == "\(BluebonnetCommand.version)\n")
        #expect(output.status == 0)
    }

    @Test(arguments: ["get", "head", "post", "put", "patch", "delete", "options", "batch"])
    func `every command has help with an example and the exit status`(command: String) async throws {
        let output = try await Command.run(command, "--help")
        #expect(output.status == 0)
        #expect(output.text.contains("Example"))
        #expect(output.text.contains("Exit status:"))
        #expect(output.text.contains("bluebonnet \(command) "))
    }

    @Test(arguments: [[], ["nope"], ["get"], ["--nope"]])
    func `no command is bad usage, as is an unknown one`(arguments: [String]) async throws {
        let output = try await Command.run(arguments)
        #expect(output.status == (arguments.isEmpty ? 0 : 2))
        #expect(output.errors.isEmpty == arguments.isEmpty)
    }

    @Test func `the demo shows what it promises`() async throws {
        let output = try await Command.run("demo")
        #expect(output.status == 0, "\(output.text) \(output.errors)")
        #expect(output.text.contains("All \(DemoStep.all.count) steps showed what they promise."))
    }
}
