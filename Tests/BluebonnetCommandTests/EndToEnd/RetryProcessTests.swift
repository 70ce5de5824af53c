import Bluebonnet
import Foundation
import LocalServer
import Synchronization
import Testing

/// `--retry` and `--rate` of the commands.
@Suite(.timeLimit(.minutes(5)))
struct RetryProcessTests {
    /// A script that responds 503 so many times to each path, and asks for no wait.
    private func failing(_ times: Int) -> FaultServer.Script {
        let counts = Mutex<[String: Int]>([:])
        return .requests { request in
            let count = counts.withLock { counts in
                counts[request.target, default: 0] += 1
                return counts[request.target] ?? 0
            }
            return [count <= times ? .respond(503, body: "busy") : .respond(body: "ok")]
        }
    }

    @Test func `a request is sent again as often as --retry says`() async throws {
        try await FaultServer.run(failing(1)) { server in
            let none = try await Command.run("get", server.baseURL + "/a")
            #expect(none.status == 5)
            #expect(server.requests.count == 1)
            let output = try await Command.run("get", server.baseURL + "/b", "--retry", "2")
            #expect(output.status == 0)
            #expect(output.text == "ok")
            #expect(server.requests.count == 3)
        }
    }

    @Test func `--verbose says why and when a request is sent again`() async throws {
        try await FaultServer.run(failing(1)) { server in
            let output = try await Command.run("get", server.baseURL + "/a", "--retry", "1", "--verbose")
            #expect(output.status == 0)
            #expect(output.errors.contains("attempt 1 failed, the next one is in "), "\(output.errors)")
            #expect(output.errors.contains(" ms: The response has the status 503."), "\(output.errors)")
        }
    }

    @Test func `a result of batch says how often its request was sent again`() async throws {
        try await FaultServer.run(failing(1)) { server in
            let lines = [
                #"{"url": "\#(server.baseURL)/a"}"#,
                #"{"url": "\#(server.baseURL)/b", "method": "POST"}"#,
            ]
            let output = try await Command.run(
                "batch",
                "--retry",
                "1",
                "--ordered",
                input: lines.joined(separator: "\n")
            )
            #expect(output.status == 0)
            let results = try output.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            #expect(results.map { $0["status"]?.int } == [200, 503])
            #expect(results.map { $0["retries"]?.int } == [1, 0])
        }
    }

    @Test func `a download asks again before it begins`() async throws {
        try await FaultServer.run(failing(1)) { server in
            try await withDirectory { directory in
                let file = directory.appending(path: "a").path(percentEncoded: false)
                let output = try await Command.run("download", server.baseURL + "/a", "-o", file, "--retry", "1")
                #expect(output.status == 0)
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "ok")
            }
        }
    }

    @Test func `a rate holds the requests of batch back`() async throws {
        try await FaultServer.run(failing(0)) { server in
            let lines = (0..<11).map { #"{"url": "\#(server.baseURL)/\#($0)"}"# }
            let startedAt = ContinuousClock.now
            let output = try await Command.run("batch", "--rate", "50/s", input: lines.joined(separator: "\n"))
            #expect(output.status == 0)
            #expect(startedAt.duration(to: .now) >= .milliseconds(195))
            #expect(server.requests.count == 11)
        }
    }

    @Test func `a rate that is none is bad usage`() async throws {
        let output = try await Command.run("get", "http://127.0.0.1:1/", "--rate", "10/d")
        #expect(output.status == 2)
        #expect(output.errors.contains("--rate"))
    }
}
