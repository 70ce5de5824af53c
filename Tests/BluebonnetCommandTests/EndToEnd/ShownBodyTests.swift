import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct ShownBodyTests {
    private static let users = #"{"users":[{"name":"Ada","age":36},{"name":"Bob","age":40}]}"#

    private func withJSON(_ body: String, _ test: (String) async throws -> Void) async throws {
        let response = FaultStep.respond(headers: [("Content-Type", "application/json")], body: body)
        try await FaultServer.run(.requests { _ in [response] }) { server in try await test(server.baseURL) }
    }

    @Test func `--filter shows a part of the response`() async throws {
        try await withJSON(Self.users) { url in
            let pointed = try await Command.run("get", url, "--filter", "/users/1")
            #expect(pointed.text == "{\"name\":\"Bob\",\"age\":40}\n")
            let names = try await Command.run("get", url, "--filter", "users[].name")
            #expect(names.text == "\"Ada\"\n\"Bob\"\n")
            let raw = try await Command.run("get", url, "--filter", "users[].name", "--raw-output")
            #expect(raw.text == "Ada\nBob\n")
            let formatted = try await Command.run("get", url, "--filter", "/users/0", "--pretty", "format")
            #expect(formatted.text == "{\n  \"name\": \"Ada\",\n  \"age\": 36\n}\n")
        }
    }

    @Test func `a --filter that finds nothing, or a body that is not JSON, is a failure`() async throws {
        try await withJSON(Self.users) { url in
            let nothing = try await Command.run("get", url, "--filter", "/users/9")
            #expect(nothing.status == 1)
            #expect(nothing.text.isEmpty)
            #expect(nothing.errors.contains("The response has nothing at “/users/9”."))
        }
        try await withJSON("<p>") { url in
            let output = try await Command.run("get", url, "--filter", "/users")
            #expect(output.status == 1)
            #expect(output.errors.contains("The response is not JSON"))
        }
        let wrong = try await Command.run("get", "http://127.0.0.1:1", "--filter", "a[")
        #expect(wrong.status == 2)
    }

    @Test func `the body of a 4xx response is shown whole, also with --filter`() async throws {
        let response = FaultStep.respond(404, body: "no such user")
        try await FaultServer.run([.readRequest, response]) { server in
            let output = try await Command.run("get", server.baseURL, "--filter", "/name")
            #expect(output.text == "no such user")
            #expect(output.status == 4)
        }
    }

    @Test func `--stream shows a line before the next one is received`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest,
            .send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 26\r\n\r\n{\"n\": 1, \"s\":[1]}\n"
            ),
            .hold(gate), .send("{\"n\":2}\n"),
        ]
        try await FaultServer.run(script) { server in
            let run = try Conversation("get", server.baseURL, "--stream", "--filter", "n")
            #expect(await run.read() == "1")
            gate.open()
            #expect(await run.read() == "2")
            #expect(try await run.finish() == 0)
        }
    }

    @Test func `--raw-output requests no content coding and does not change the body`() async throws {
        let body = "{\"b\":1,  \"a\":[]}"
        try await FaultServer.run(
            .requests { _ in
                [.respond(headers: [("Content-Type", "application/json")], body: body)]
            }
        ) { server in
            let output = try await Command.run("get", server.baseURL, "--raw-output", "--pretty", "none")
            #expect(output.text == body)
            #expect(server.requests[0].value(of: "accept-encoding") == nil)
        }
    }

    @Test func `--offline prints the request and sends nothing`() async throws {
        // No server listens on port 1: a request would fail.
        let output = try await Command.run("post", "http://127.0.0.1:1/x", "a=1", "q==2", "X-Y:z", "--offline")
        #expect(output.status == 0)
        let parts = output.text.components(separatedBy: "\r\n\r\n")
        let lines = parts[0].split(separator: "\r\n")
        #expect(lines.first == "POST /x?q=2 HTTP/1.1")
        #expect(lines.contains("Host: 127.0.0.1:1"))
        #expect(lines.contains("X-Y: z"))
        #expect(lines.contains("Content-Length: 9"))
        #expect(parts[1] == #"{"a":"1"}"#)
    }

    @Test(arguments: [
        (["POST", "Content-Length:5", "a=b"], "The header Content-Length says \"5\", but the body has 9 bytes."),
        (["POST", "Transfer-Encoding:x", "a=b"], "but the body is not sent that way."),
        (["CONNECT"], "CONNECT asks a proxy for a tunnel"),
    ])
    func `--offline refuses what cannot be sent`(arguments: [String], message: String) async throws {
        let url = "http://127.0.0.1:1/x"
        let request = arguments.prefix(1) + [url] + arguments.dropFirst()
        let output = try await Command.run(request + ["--offline"])
        #expect(output.status == 2)
        #expect(output.text.isEmpty)
        #expect(output.errors.contains(message), "\(output.errors)")
    }

    @Test(.needs("script"))
    func `--offline shows small texts of files on a terminal, and the sizes of others`() async throws {
        try await withDirectory { folder in
            let (text, binary) = (folder.appending(path: "a.txt"), folder.appending(path: "b"))
            try Data("from a file".utf8).write(to: text)
            try Data(count: 100_000).write(to: binary)
            let shown = try await Command.onTerminal("put :1/x @\(text.path) --offline")
            #expect(shown.hasSuffix("\r\n\r\nfrom a file\r\n"), "\(shown)")
            let form = try await Command.onTerminal("post :1/x --form f@\(text.path) --offline")
            #expect(form.contains("name=\"f\"; filename=\"a.txt\"") && form.contains("from a file"), "\(form)")
            let size = try await Command.onTerminal("put :1/x @\(binary.path) --offline")
            #expect(size.contains("The body is not shown on a terminal: it is 100000 bytes from a file."), "\(size)")
        }
    }

    @Test func `--offline shows a file as the body`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString).txt")
        try Data("from a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try await Command.run("put", "http://127.0.0.1:1/x", "@\(file.path)", "--offline")
        #expect(output.text.contains("Content-Length: 11\r\n"))
        #expect(output.text.hasSuffix("\r\n\r\nfrom a file"))
    }

    @Test func `--offline shows the parts that --print names`() async throws {
        let request = ["post", "http://127.0.0.1:1/x", "a=1", "--offline"]
        #expect(try await Command.run(request + ["--print=B"]).text == #"{"a":"1"}"#)
        let head = try await Command.run(request + ["--print=H"]).text
        #expect(head.hasPrefix("POST /x HTTP/1.1\r\n") && head.hasSuffix("\r\n\r\n"))
        // There is no response.
        #expect(try await Command.run(request + ["--headers"]).text.isEmpty)
        let styled = try await Command.run(request + ["--pretty=format"]).text
        #expect(styled.hasPrefix("POST /x HTTP/1.1\nHost") && styled.hasSuffix("\n\n{\n  \"a\": \"1\"\n}\n"))
    }

    @Test func `what --offline prints into a pipe is the message that another program can send`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
            let request = ["post", server.baseURL + "/x?y", "a=é", "X:1"]
            let printed = try await Command.run(request + ["--offline"])
            #expect(try await Command.run(request).status == 0)
            let sent = try #require(server.requests.first)
            #expect(Array(printed.bytes) == sent.head + sent.rawBody, "\(printed.text)")
        }
    }
}
