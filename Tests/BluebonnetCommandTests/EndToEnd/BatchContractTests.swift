import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// Each test is a sentence of the contract of `batch` that the other tests do not show.
@Suite(.timeLimit(.minutes(5))) struct BatchContractTests {
    private func results(_ output: Command.Output) throws -> [JSONValue] {
        try output.text.split(separator: "\n").map { try JSONValue(parsing: $0) }
    }

    private func result(_ line: String, _ options: String...) async throws -> JSONValue {
        let output = try await Command.run(["batch"] + options, input: line)
        return try #require(try results(output).first)
    }

    @Test func `a part of a multipart form has the type and file name of its line`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "data.bin")
            try Data("from a file".utf8).write(to: file)
            try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
                let parts =
                    #"[{"name":"f","file":"\#(file.path)","type":"image/png","filename":"a.png"},{"name":"n","value":"v"}]"#
                let result = try await result(
                    #"{"url":"\#(server.baseURL)/","method":"POST","multipart":\#(parts)}"#
                )
                #expect(result["status"] == 200)
                let body = try #require(server.requests.first).bodyText
                #expect(body.contains("name=\"f\"; filename=\"a.png\"\r\nContent-Type: image/png\r\n"))
                #expect(body.contains("\r\n\r\nfrom a file\r\n"))
                #expect(body.contains("name=\"n\"\r\n\r\nv\r\n"))
            }
        }
    }

    @Test func `numbers of the json member and of the id keep their text`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
            let line = #"{"id":[1e2, 1.50],"url":"\#(server.baseURL)/","method":"POST","json":{"a":1.50,"b":[1e2,-0]}}"#
            let output = try await Command.run("batch", input: line)
            #expect(output.text.hasPrefix(#"{"id":[1e2,1.50],"status":200,"#))
            #expect(server.requests.first?.bodyText == #"{"a":1.50,"b":[1e2,-0]}"#)
        }
    }

    @Test func `a line that is too long has a result, and those after it the right numbers`() async throws {
        try await LocalServer.run { server in
            let input = """
                {"url":"\(server.baseURL)/uuid"}
                {"url":"\(server.baseURL)/uuid","body":"\(String(repeating: "x", count: 3_000_000))"}
                {"url":"\(server.baseURL)/uuid"}
                """
            let output = try await Command.run("batch", "--ordered", "--max-line", "2000000", input: input)
            let results = try results(output)
            #expect(results.map { $0["id"] } == [1, 2, 3])
            #expect(results.map { $0["status"] } == [200, nil, 200])
            #expect(results[1]["error"]?["code"] == "invalid-line")
            #expect(output.status == 1)
        }
    }

    @Test func `a file that cannot be written is named in the error`() async throws {
        try await LocalServer.run { server in
            let result = try await result(#"{"url":"\#(server.baseURL)/uuid","output":"/nonexistent/x"}"#)
            #expect(result["error"]?["code"] == "output-failed")
            let message = try #require(result["error"]?["message"]?.string)
            #expect(message.contains("/nonexistent/x: No such file"), "\(message)")
        }
    }

    @Test func `the body of an HTTP error is written to the output, too`() async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "out")
            try await FaultServer.run([.readRequest, .respond(404, body: "gone")]) { server in
                let result = try await result(#"{"url":"\#(server.baseURL)/","output":"\#(file.path)"}"#)
                #expect(result["status"] == 404)
                #expect(result["bytes"] == 4)
                #expect(try String(contentsOf: file, encoding: .utf8) == "gone")
            }
        }
    }

    @Test func `credentials are used for Basic at once, and for a Digest challenge`() async throws {
        try await LocalServer.run { server in
            for path in ["basic-auth/ada/secret", "digest-auth/auth/ada/secret"] {
                let line =
                    #"{"url":"\#(server.baseURL)/\#(path)","credentials":{"user":"ada","password":"secret"}}"#
                let result = try await result(line)
                #expect(result["status"] == 200)
            }
        }
    }

    @Test func `bytes, and the limit of --max-body, count the body after decoding`() async throws {
        try await LocalServer.run { server in
            let line = #"{"url":"\#(server.baseURL)/gzip"}"#
            let result = try await result(line)
            let body = try #require(result["body"]?.string)
            #expect(result["bytes"]?.int == body.utf8.count)
            let length = result["headers"]?.array?.first { $0[0] == "Content-Length" }?[1]?.string.flatMap(Int.init)
            let size = try #require(length)
            #expect(size < body.utf8.count)
            let limited = try await self.result(line, "--max-body", "\(size)")
            #expect(limited["error"]?["code"] == "body-too-large")
        }
    }

    @Test(arguments: ["HEAD", "OPTIONS", "DELETE", "PROPFIND", "QUERY"])
    func `any method is sent as it is written`(method: String) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
            let result = try await result(#"{"url":"\#(server.baseURL)/","method":"\#(method)"}"#)
            #expect(result["status"] == 200)
            #expect(server.requests.first?.method == method)
        }
    }

    @Test func `cookies of a line are sent with the next one where --cookies says so`() async throws {
        try await LocalServer.run { server in
            let input = """
                {"url":"\(server.baseURL)/cookies/set/a/b"}
                {"url":"\(server.baseURL)/cookies"}
                """
            for (store, expected) in [("off", false), ("memory", true)] {
                let output = try await Command.run("batch", "--jobs", "1", "--cookies", store, input: input)
                let last = try #require(try results(output).last?["body"]?.string)
                #expect(try JSONValue(parsing: last)["cookies"] == (expected ? ["a": "b"] : [:]))
            }
        }
    }

    @Test func `a response of the cache says so`() async throws {
        try await LocalServer.run { server in
            let line = #"{"url":"\#(server.baseURL)/cache/60"}"#
            let output = try await Command.run(
                "batch",
                "--jobs",
                "1",
                "--cache",
                "memory",
                input: "\(line)\n\(line)\n\(line.dropLast()),\"cache\":\"reload\"}\n"
            )
            #expect(try results(output).map { $0["fromCache"]?.bool } == [false, true, false])
        }
    }

    @Test func `retries are counted in the result`() async throws {
        let script = FaultServer.Script.connections([
            [.readRequest, .respond(503), .close], [.readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            let result = try await result(#"{"url":"\#(server.baseURL)/"}"#, "--retry", "2")
            #expect(result["status"] == 200)
            #expect(result["retries"] == 1)
        }
    }

    @Test func `a host with letters outside ASCII is a wrong URL`() async throws {
        let result = try await result(#"{"url":"http://b\u00FCcher.example/"}"#)
        #expect(result["error"]?["code"] == "invalid-url")
    }

    @Test func `requests to more hosts than there may be open files are sent`() async throws {
        try await LocalServer.run { server in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            let port = try #require(server.baseURL.split(separator: ":").last)
            process.arguments = [
                "-c", #"ulimit -n 100; exec "$0" batch --connect-to "::127.0.0.1:$1""#, Command.executable.path,
                String(port),
            ]
            let lines = (0..<200).map { #"{"url":"http://host\#($0).example/uuid"}"# }
            let output = try await Command.run(process, input: lines.joined(separator: "\n"))
            let statuses = try results(output).map { $0["status"] }
            #expect(statuses == Array(repeating: 200, count: lines.count))
        }
    }

    @Test func `a switch to another protocol that was not asked for has its status beside the error`() async throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head)]) { server in
            let result = try await result(#"{"url":"\#(server.baseURL)/"}"#)
            #expect(result["error"]?["code"] == "unexpected-response")
            #expect(result["status"] == 101)
        }
    }
}
