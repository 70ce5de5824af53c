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

    @Test(.enabled(if: geteuid() == 0, "only the superuser can give a file away"))
    func `a configuration file of another user is not used`() async throws {
        try await withSettings(#"{"default_options":["X-Default:1"]}"#, mode: 0o644) { environment in
            let file = try #require(environment["XDG_CONFIG_HOME"]) + "/bluebonnet/config.json"
            // The path lives until it returns.
            try #require(unsafe chown(file, 65_534, 65_534) == 0)
            let output = try await Command.run(["get", "localhost:1"], environment: environment)
            #expect(output.status == 2 && output.errors.contains("belongs to another user"), "\(output.errors)")
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

    @Test func `each URL of a download has the settings of its host`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "x")] }) { first in
            try await FaultServer.run(.requests { _ in [.respond(body: "x")] }) { second in
                let hosts =
                    #"{"127.0.0.1:\#(first.port)":["X-Host:1","--style=dark"],"127.0.0.1:\#(second.port)":["--auth=u:p"]}"#
                try await withSettings(#"{"default_options":["X-All:1","--form"],"hosts":\#(hosts)}"#) { environment in
                    try await withDirectory { folder in
                        let urls = ["\(first.baseURL)/a", "\(second.baseURL)/b", "\(first.baseURL)/c"]
                        let arguments = ["download", "--overwrite"] + urls + ["-d", folder.path, "-H", "X-Mine:1"]
                        let run = try await Command.run(arguments, environment: environment)
                        #expect(run.status == 0, "\(run.errors)")
                        #expect(try names(in: folder) == ["a", "b", "c"])
                        let without = try await Command.run(arguments + ["--no-config"], environment: environment)
                        #expect(without.status == 0, "\(without.errors)")
                    }
                }
                let fields = ["X-All", "X-Mine", "X-Host", "Authorization"]
                let (ones, twos) = (first.requests, second.requests)
                #expect(ones.count == 4 && twos.count == 2)
                for request in ones.prefix(2) {
                    #expect(fields.map { request.value(of: $0) } == ["1", "1", "1", nil])
                }
                let credential = "Basic " + Data("u:p".utf8).base64EncodedString()
                #expect(fields.map { twos[0].value(of: $0) } == ["1", "1", nil, credential])
                for request in ones.dropFirst(2) + twos.dropFirst() {
                    #expect(fields.map { request.value(of: $0) } == [nil, "1", nil, nil])
                }
            }
        }
    }

    @Test func `an upload has the settings of its host, and takes them to no other one`() async throws {
        try await FaultServer.run(.requests { _ in [.respond()] }) { other in
            let redirect = FaultStep.respond(307, headers: [("Location", other.baseURL)])
            try await FaultServer.run(.requests { _ in [redirect] }) { server in
                let hosts = #"{"127.0.0.1:\#(server.port)":["X-Host:1","Accept:a/b"]}"#
                try await withSettings(#"{"hosts":\#(hosts)}"#) { environment in
                    let file = environment["XDG_CONFIG_HOME", default: ""] + "/file"
                    try Data("text".utf8).write(to: URL(filePath: file))
                    let arguments = ["upload", file, "\(server.baseURL)/x", "-H", "X-Mine:1"]
                    let run = try await Command.run(arguments, environment: environment)
                    #expect(run.status == 0, "\(run.errors)")
                    let (first, second) = (try #require(server.requests.last), try #require(other.requests.last))
                    let fields = ["X-Host", "Accept", "X-Mine"]
                    #expect(fields.map { first.value(of: $0) } == ["1", "a/b", "1"])
                    #expect(fields.map { second.value(of: $0) } == [nil, "a/b", "1"])
                    #expect(second.bodyText == "text")
                }
            }
        }
    }

    @Test func `a WebSocket has the settings of its host`() async throws {
        try await WebSocketServer.run { peer, _ in
            let request = try await peer.readRequest()
            try await peer.send(peer.response([]))
            try await peer.send(.text(request.fields["x-host"] ?? "none"))
            try await peer.finish()
        } _: { server in
            let hosts = #"{"127.0.0.1:\#(server.port)":["X-Host:1","--retry=1"]}"#
            try await withSettings(#"{"hosts":\#(hosts)}"#) { environment in
                let run = try await Command.run(["ws", server.url, "--quiet"], environment: environment)
                #expect(run.text == "1\n", "\(run.errors)")
                let without = try await Command.run(["ws", server.url, "--no-config"], environment: environment)
                #expect(without.text == "none\n", "\(without.errors)")
            }
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
