import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct BatchProcessTests {
    private func json(_ line: String?) throws -> JSONValue {
        try JSONValue(parsing: try #require(line))
    }

    private func results(_ output: Command.Output) throws -> [JSONValue] {
        try output.text.split(separator: "\n").map { try JSONValue(parsing: $0) }
    }

    @Test func `a batch line has its result before the next line is written`() async throws {
        try await LocalServer.run { server in
            let batch = try Conversation("batch", "-")
            for number in 0..<20 {
                try batch.write(#"{"id":\#(number),"url":"\#(server.baseURL)/get?n=\#(number)"}"#)
                let result = try json(await batch.read())
                #expect(result["id"]?.int == number)
                #expect(result["status"] == 200)
                #expect(result["timings"]?["reused"]?.bool == (number > 0))
                let body = try JSONValue(parsing: result["body"]?.string ?? "")
                #expect(body["args"]?["n"]?.string == "\(number)")
            }
            #expect(try await batch.finish() == 0)
        }
    }

    @Test func `batch results are written as requests finish, and with --ordered in the order of lines`() async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/slow" ? [.hold(gate), .respond(body: "slow")] : [.respond(body: "fast")]
        }
        for isOrdered in [false, true] {
            try await FaultServer.run(script) { server in
                let lines = ["slow", "fast"].map { #"{"id":"\#($0)","url":"\#(server.baseURL)/\#($0)"}"# }
                let batch = try isOrdered ? Conversation("batch", "--ordered") : Conversation("batch")
                for line in lines { try batch.write(line) }
                try await server.waitForRequests(2)
                if isOrdered { gate.open() }
                let first = try json(await batch.read())
                #expect(first["body"] == (isOrdered ? "slow" : "fast"))
                gate.open()
                let second = try json(await batch.read())
                #expect(second["body"] == (isOrdered ? "fast" : "slow"))
                #expect(try await batch.finish() == 0)
            }
        }
    }

    @Test func `an invalid batch line has a result and does not stop the run`() async throws {
        try await LocalServer.run { server in
            let input = """
                {"url":"\(server.baseURL)/status/404"}
                not json

                {"id":"u","url":"\(server.baseURL)/get","unknown":1}
                {"id":"last","url":"\(server.baseURL)/get"}
                """
            let output = try await Command.run("batch", "--ordered", input: input)
            #expect(output.status == 1)
            let results = try results(output)
            try #require(results.count == 5)
            #expect(results.map { $0["id"] } == [1, 2, 3, "u", "last"])
            #expect(results.map { $0["status"]?.int } == [404, nil, nil, nil, 200])
            #expect(results.map { $0["error"]?["code"]?.string != nil } == [false, true, true, true, false])
            #expect(results[3]["error"]?["message"]?.string?.contains("unknown") == true)
        }
    }

    @Test func `an HTTP error status is a batch result and not an error`() async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("batch", input: #"{"url":"\#(server.baseURL)/status/500"}"#)
            #expect(output.status == 0)
        }
    }

    @Test func `batch results show informational responses, trailer fields and Latin-1 bytes`() async throws {
        let response: [UInt8] =
            Array(
                """
                HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 Fine\r\nX: caf
                """.utf8
            ) + [0xE9]
            + Array("\r\nX: 2\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: ".utf8) + [0xFF]
            + Array("\r\n\r\n".utf8)
        try await FaultServer.run([.readRequest, .send(response)]) { server in
            let line = #"{"url":"\#(server.baseURL)/","headers":[["A","\u00e9\u00ff"],["a","2"]]}"#
            let output = try await Command.run("batch", input: line)
            #expect(output.status == 0)
            let result = try json(output.text)
            #expect(result["status"] == 200)
            #expect(result["reason"] == "Fine")
            #expect(result["httpVersion"] == "1.1")
            #expect(result["interim"] == [[103, [["Link", "</a.css>"]]]])
            #expect(result["headers"] == [["X", "caf\u{E9}"], ["X", "2"], ["Transfer-Encoding", "chunked"]])
            #expect(result["trailers"] == [["T", "\u{FF}"]])
            #expect(result["body"] == "abc")
            let request = server.requests[0]
            #expect(request.head.firstRange(of: Array("A: ".utf8) + [0xE9, 0xFF] + Array("\r\na: 2\r\n".utf8)) != nil)
        }
    }

    @Test func `a batch request has only the fields of its line and the defaults of a session`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
            let line = #"{"url":"\#(server.baseURL)/x","method":"PUT","headers":{"b":"1"},"body":"abc"}"#
            let output = try await Command.run("batch", input: line)
            #expect(output.status == 0)
            let request = server.requests[0]
            #expect(request.method == "PUT")
            #expect(request.bodyText == "abc")
            #expect(Set(request.headers.map(\.name)) == ["Host", "b", "Accept-Encoding", "Content-Length"])
        }
    }

    @Test func `a batch error after the response head has the status, too`() async throws {
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"
        for output in ["", #","output":"/dev/null/no""#] {
            try await FaultServer.run([.readRequest, .send(half), .close]) { server in
                let line = #"{"id":8,"url":"\#(server.baseURL)/"\#(output)}"#
                let run = try await Command.run("batch", input: line)
                #expect(run.status == 1)
                let result = try json(run.text)
                #expect(result["id"] == 8)
                #expect(result["status"] == 200)
                #expect(result["error"]?["code"]?.string == (output.isEmpty ? "truncated-response" : "output-failed"))
                #expect(result["body"] == nil)
            }
        }
    }

    @Test func `a batch line can send a file and write the response body to a file`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "batch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (source, target) = (directory.appending(path: "in"), directory.appending(path: "out"))
        try Data("from a file".utf8).write(to: source)
        try await FaultServer.run([.readRequest, .respond(body: "into a file")]) { server in
            let line =
                #"{"url":"\#(server.baseURL)/","method":"POST","bodyFile":"\#(source.path)","output":"\#(target.path)"}"#
            let output = try await Command.run("batch", input: line)
            let result = try json(output.text)
            #expect(result["bytes"] == 11)
            #expect(result["body"] == nil)
            #expect(try String(contentsOf: target, encoding: .utf8) == "into a file")
            #expect(server.requests[0].bodyText == "from a file")
        }
    }

    @Test(arguments: ["follow", "manual", "error"])
    func `batch redirects are followed, shown or refused`(policy: String) async throws {
        try await LocalServer.run { server in
            let line = #"{"url":"\#(server.baseURL)/redirect/2","redirect":"\#(policy)"}"#
            let result = try json(try await Command.run("batch", input: line).text)
            switch policy {
            case "follow":
                #expect(result["status"] == 200)
                #expect(result["redirects"]?.array?.count == 2)
                #expect(result["url"]?.string == "\(server.baseURL)/get")
            case "manual":
                #expect(result["status"] == 302)
                #expect(result["redirects"] == [])
            default:
                #expect(result["error"]?["code"] == "redirect-refused")
                #expect(result["status"] == 302)
            }
        }
    }

    @Test func `the timeout of a batch line ends its request`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            let line = #"{"url":"\#(server.baseURL)/","timeout":0.2}"#
            let output = try await Command.run("batch", input: line)
            #expect(try json(output.text)["error"]?["code"] == "request-timeout")
            #expect(output.status == 1)
        }
    }

    @Test func `a batch body above --max-body is an error`() async throws {
        try await LocalServer.run { server in
            let line = #"{"url":"\#(server.baseURL)/bytes/1001"}"#
            let output = try await Command.run("batch", "--max-body", "1000", input: line)
            #expect(try json(output.text)["error"]?["code"] == "body-too-large")
            #expect(try json(output.text)["status"] == 200)
        }
    }

    @Test func `batch sends as many requests at the same time as --jobs says`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), .respond(body: "x")]) { server in
            let line = #"{"url":"\#(server.baseURL)/"}"# + "\n"
            let input = String(repeating: line, count: 12)
            async let run = Command.run("batch", "--jobs", "12", input: input)
            try await server.waitForRequests(12)
            gate.open()
            let output = try await run
            #expect(output.status == 0)
            #expect(try results(output).count == 12)
        }
    }

    @Test func `thousands of batch lines from a file all have results`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "lines-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await FaultServer.run(.requests { _ in [.respond(body: "x")] }) { server in
            let lines = (1...5000).map { #"{"url":"\#(server.baseURL)/\#($0)"}"# }
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let output = try await Command.run("batch", "--jobs", "16", "--ordered", file.path)
            #expect(output.status == 0)
            #expect(try results(output).map { $0["id"]?.int } == Array(1...5000))
        }
    }

    @Test(arguments: [
        ["--jobs", "0"], ["-j", "x"], ["--cache", ""], ["--cookies", ""], ["--pin", "sha256/x"],
        ["--proxy", "ftp://p"], ["--http2", "--http1.1"], ["--retry", "-1"], ["--retry", "x"], ["--rate", "0/s"],
        ["--timeout", "0"], ["--key", "k"], ["--nope"],
        ["/no/such/file"], ["/"], ["--max-body", "-1"], ["--jobs", "-1"], ["--jobs", "10001"],
        ["--jobs", "999999999999"], ["--jobs", "99999999999999999999"], ["--timeout", "nan"], ["--timeout", "-inf"],
        ["--max-body", "99999999999999999999"], ["--max-line", "0"], ["--max-line", "4000000001"],
    ])
    func `bad usage of batch exits with status 2 and a message`(arguments: [String]) async throws {
        let process = ["batch"] + arguments
        let output = try await Command.run(process)
        #expect(output.status == 2)
        #expect(!output.errors.isEmpty)
        #expect(output.text.isEmpty)
    }

    @Test func `the error about a batch limit says what the limit is`() async throws {
        #expect(try await Command.run("batch", "--jobs", "10001").errors.contains("--jobs must be between 1 and 10000"))
        #expect(try await Command.run("batch", "--jobs", "-1").errors.contains("--jobs must be between 1 and 10000."))
        #expect(
            try await Command.run("batch", "--timeout", "-1").errors.contains(
                "--timeout must be a number of seconds above 0"
            )
        )
        #expect(try await Command.run("batch", "--help").text.contains("1 to 10000"))
    }

    @Test func `batch accepts the largest numbers as limits`() async throws {
        try await LocalServer.run { server in
            let line = #"{"url":"\#(server.baseURL)/bytes/100"}"#
            let output = try await Command.run(
                "batch",
                "--jobs",
                "10000",
                "--max-body",
                "9223372036854775807",
                "--timeout",
                "1e9",
                input: line
            )
            #expect(output.status == 0)
            #expect(try json(output.text)["bytes"] == 100)
        }
    }

    @Test func `batch accepts options that ask for the default`() async throws {
        let output = try await Command.run("batch", "--cache", "off", "--cookies", "off", "--retry", "0", "--http1.1")
        #expect(output.status == 0)
        #expect(output.text.isEmpty)
    }
}
