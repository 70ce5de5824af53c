import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct SettingsProcessTests {
    private func withSettings(_ text: String, mode: Int = 0o600, _ test: ([String: String]) async throws -> Void)
        async throws
    {
        try await withDirectory { folder in
            let file = folder.appending(path: "bluebonnet/config.json")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            try await test(["XDG_CONFIG_HOME": folder.path])
        }
    }

    @Test(arguments: [["get"], [], ["POST"]])
    func `requests have the headers and options of the configuration file`(command: [String]) async throws {
        try await FaultServer.run(.requests { _ in [.respond(headers: [("A", "1")], body: "x")] }) { server in
            let settings =
                #"{"default_options":["X-Default:1"],"hosts":{"127.0.0.1:\#(server.port)":["--print=h","X-Host:2"]}}"#
            try await withSettings(settings) { environment in
                let output = try await Command.run(command + [server.baseURL], environment: environment)
                #expect(output.status == 0, "\(output.errors)")
                #expect(output.text.hasPrefix("HTTP/1.1 200") && output.text.contains("\nA: 1\n"), "\(output.text)")
                #expect(server.requests.last?.value(of: "x-default") == "1")
                #expect(server.requests.last?.value(of: "x-host") == "2")
                let without = try await Command.run(
                    command + [server.baseURL, "--no-config"],
                    environment: environment
                )
                #expect(without.text == "x")
                #expect(server.requests.last?.value(of: "x-default") == nil)
            }
        }
    }

    @Test func `a file with secrets that others can read, or that others can change, is not used`() async throws {
        for (settings, mode, hint) in [
            (#"{"default_options":["--bearer=secret"]}"#, 0o644, "has secrets that others can read"),
            (#"{"default_options":["--json"]}"#, 0o666, "can be changed by others"),
        ] {
            try await withSettings(settings, mode: mode) { environment in
                let output = try await Command.run(["get", "http://127.0.0.1:1/"], environment: environment)
                #expect(output.status == 2)
                #expect(output.errors.contains("config.json \(hint)"), "\(output.errors)")
                #expect(!output.errors.contains("secret:") && !output.errors.contains("=secret"))
            }
        }
    }

    @Test func `a redirect to another server takes no headers of a host there`() async throws {
        try await FaultServer.run(.requests { _ in [.respond()] }) { other in
            let redirect = FaultStep.respond(302, headers: [("Location", other.baseURL)])
            try await FaultServer.run(.requests { _ in [redirect] }) { server in
                let host = #"{"127.0.0.1:\#(server.port)":["X-Host:1","Authorization:Bearer t","Accept:a/b"]}"#
                try await withSettings(#"{"default_options":["X-All:1"],"hosts":\#(host)}"#) { environment in
                    let run = try await Command.run(["get", server.baseURL, "X-Mine:1"], environment: environment)
                    #expect(run.status == 0, "\(run.errors)")
                    let names = ["X-All", "X-Mine", "Accept", "X-Host", "Authorization"]
                    let (first, second) = (try #require(server.requests.first), try #require(other.requests.first))
                    #expect(names.map { first.value(of: $0) } == ["1", "1", "a/b", "1", "Bearer t"])
                    #expect(names.map { second.value(of: $0) } == ["1", "1", "a/b", nil, nil])
                }
            }
        }
    }

    @Test func `a file that cannot be used is an error of usage for programs, too`() async throws {
        try await withSettings(#"{"default_options":["--nope"]}"#) { environment in
            let arguments = ["get", "http://127.0.0.1:1/", "--json-errors"]
            let output = try await Command.run(arguments, environment: environment)
            #expect(output.status == 2)
            #expect(output.errors.contains(#""code":"invalid-usage""#), "\(output.errors)")
        }
    }

    @Test func `batch does not read the configuration file`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "x")]) { server in
            try await withSettings(#"{"default_options":["X-Default:1","--nope"]}"#) { environment in
                let file = environment["XDG_CONFIG_HOME", default: ""] + "/lines"
                try Data(#"{"url":"\#(server.baseURL)"}"#.utf8).write(to: URL(filePath: file))
                let output = try await Command.run(["batch", file], environment: environment)
                #expect(output.status == 0)
                #expect(server.requests[0].value(of: "x-default") == nil)
            }
        }
    }
}
