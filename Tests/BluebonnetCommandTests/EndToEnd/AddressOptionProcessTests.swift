import Foundation
import LocalServer
import Testing

/// The options of the command for the two ends of a connection.
@Suite(.timeLimit(.minutes(5)))
struct AddressOptionProcessTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    @Test(arguments: ["name.test", "*"])
    func `--resolve has the addresses of a host, and -v shows the attempts`(host: String) async throws {
        try await FaultServer.run(Self.ok) { server in
            let output = try await Command.run(
                "get",
                "http://name.test:\(server.port)/",
                "-v",
                "--resolve",
                "\(host):\(server.port):[::1],127.0.0.1"
            )
            #expect(output.status == 0 && output.text == "ok")
            #expect(server.requests[0].value(of: "host") == "name.test:\(server.port)")
            #expect(output.errors.contains("connecting to [::1]:\(server.port) at "))
            #expect(output.errors.contains(": failed: Connection refused after "))
            #expect(output.errors.contains("connecting to 127.0.0.1:\(server.port) at "))
            #expect(output.errors.contains(": connected after "))
        }
    }

    @Test func `--connect-to has another host and port, and the name stays`() async throws {
        try await FaultServer.run(Self.ok) { server in
            let output = try await Command.run(
                "get",
                "http://name.test/",
                "--connect-to",
                "name.test:80:other.test:\(server.port)",
                "--resolve",
                "other.test:\(server.port):127.0.0.1"
            )
            #expect(output.status == 0 && output.text == "ok")
            #expect(server.requests[0].value(of: "host") == "name.test")
        }
    }

    @Test func `--timings and an archive have the addresses that were tried`() async throws {
        let archive = FileManager.default.temporaryDirectory.appending(path: "har-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: archive) }
        try await FaultServer.run(Self.ok) { server in
            let output = try await Command.run(
                "get",
                "http://name.test:\(server.port)/",
                "--timings",
                "--har",
                archive.path,
                "--resolve",
                "name.test:\(server.port):::1,127.0.0.1"
            )
            #expect(output.status == 0)
            #expect(output.errors.contains("tried     [::1]:\(server.port) at "))
            #expect(output.errors.contains("tried     127.0.0.1:\(server.port) at "))
            let text = try String(contentsOf: archive, encoding: .utf8)
            #expect(text.contains("_addressAttempts") && text.contains("failed: Connection refused"))
        }
    }

    @Test func `-4, -6 and --interface choose addresses`() async throws {
        try await FaultServer.run(Self.ok) { server in
            let url = "http://name.test:\(server.port)/"
            let resolve = ["--resolve", "name.test:\(server.port):[::1],127.0.0.1"]
            let four = try await Command.run(["get", url, "-v", "-4"] + resolve)
            #expect(four.status == 0 && !four.errors.contains("[::1]"))
            let six = try await Command.run(["get", url, "-6"] + resolve)
            #expect(six.status == 1 && six.errors.contains("Connection refused"))
            let address = try await Command.run(["get", url, "--interface", "127.0.0.1"] + resolve)
            #expect(address.status == 0)
            let missing = try await Command.run(["get", url, "--interface", "none0"] + resolve)
            #expect(missing.status == 1 && missing.errors.contains("There is no interface “none0”."))
        }
    }

    @Test func `batch takes the options too`() async throws {
        try await FaultServer.run(Self.ok) { server in
            let output = try await Command.run(
                "batch",
                "-",
                "--resolve",
                "name.test:\(server.port):127.0.0.1",
                "-4",
                input: #"{"url": "http://name.test:\#(server.port)/"}"# + "\n"
            )
            #expect(output.status == 0 && output.text.contains("200"))
        }
    }

    @Test(arguments: [
        ["-4", "-6"], ["--interface", ""], ["--resolve", "a.test"], ["--resolve", "+a.test:1:::1"],
        ["--connect-to", "a.test:80"],
    ])
    func `options that say nothing are refused`(options: [String]) async throws {
        let output = try await Command.run(["get", "http://127.0.0.1:1/"] + options)
        #expect(output.status == 2)
    }
}
