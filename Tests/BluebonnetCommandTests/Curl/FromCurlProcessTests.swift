import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// Lines run by curl and by `from-curl` against the same server.
@Suite(.timeLimit(.minutes(10)), .needs("curl")) struct FromCurlProcessTests {
    private static let anything = FaultServer.Script.requests { _ in [.respond(body: "")] }

    /// Redirects `/hop/STATUS/COUNT` so many times.
    private static let redirecting = FaultServer.Script.requests { request in
        let parts = request.target.split(separator: "?")[0].split(separator: "/")
        guard parts.count == 3, parts[0] == "hop", let status = Int(parts[1]), let count = Int(parts[2]), count > 0
        else { return [.respond(body: "")] }
        return [.respond(status, headers: [("Location", "/hop/\(status)/\(count - 1)")], body: "moved")]
    }

    @Test(arguments: CurlLines.understood)
    func `from-curl sends what curl sends`(line: String) async throws {
        try await withFiles { folder in
            try await FaultServer.run(Self.redirecting) { server in
                let line = Self.filled(line, for: server)
                let script = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : line
                let curl = try await Self.shell(script, in: folder)
                try #require(curl.status == 0, "\(curl.errors)")
                let expected = server.requests.map(SentRequest.init)
                try #require(!expected.isEmpty)
                let process = Command.process(["from-curl", line])
                let output = try await Self.run(process, in: folder)
                #expect(output.status == 0, "\(output.errors)")
                #expect(server.requests.dropFirst(expected.count).map(SentRequest.init) == expected)
            }
        }
    }

    @Test(arguments: CurlLines.refused)
    func `from-curl names what it does not support`(line: String, part: String) async throws {
        try await withFiles { folder in
            let line = line.replacing("URL", with: "http://127.0.0.1:1")
            let output = try await Command.run(["from-curl", line], in: folder)
            #expect(output.status == 2)
            #expect(output.errors.hasPrefix("bluebonnet: ") && output.errors.contains(part), "\(output.errors)")
        }
    }

    @Test func `the line may be words, and come from standard input`() async throws {
        try await FaultServer.run(Self.anything) { server in
            for (arguments, input) in [
                (["curl", "-d", "a b", server.baseURL], ""), (["-"], "curl -d 'a b' \\\n \(server.baseURL)\n"),
            ] {
                let output = try await Command.run(["from-curl"] + arguments, input: input)
                #expect(output.status == 0, "\(output.errors)")
                #expect(server.requests.last?.bodyText == "a b")
            }
        }
    }

    @Test func `--offline before the line shows the request and sends nothing`() async throws {
        let output = try await Command.run("from-curl", "--offline", "curl -d a=1 http://127.0.0.1:1/x")
        #expect(output.status == 0, "\(output.errors)")
        #expect(output.text.hasPrefix("POST /x HTTP/1.1\r\n"))
        #expect(output.text.hasSuffix("\r\n\r\na=1"))
        let behind = try await Command.run("from-curl", "curl http://127.0.0.1:1/x", "--offline")
        #expect(behind.status == 2 && behind.errors.contains("“--offline” stands behind the line"), "\(behind)")
    }

    @Test func `--filter, --pretty and -v before the line say how the response is shown`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: #"{"a":{"b":1}}"#)] }) { server in
            let line = "curl \(server.baseURL)/x"
            let picked = try await Command.run("from-curl", "--filter", "a.b", line)
            #expect(picked.status == 0 && picked.text == "1\n", "\(picked)")
            let shown = try await Command.run("from-curl", "-v", "--pretty=format", line)
            #expect(shown.text == "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", "\(shown)")
            #expect(shown.errors.hasPrefix("GET /x HTTP/1.1\n"), "\(shown)")
            let saved = try await Command.run("from-curl", "--filter", "a.b", line + " -o x")
            #expect(saved.status == 2 && saved.errors.contains("--filter"), "\(saved)")
        }
    }

    @Test func `an unknown word before the line is named, and errors are JSON with --json-errors`() async throws {
        let unknown = try await Command.run("from-curl", "--nope", "curl http://127.0.0.1:1/")
        #expect(unknown.status == 2 && unknown.errors.contains("“--nope” is not an option of from-curl"), "\(unknown)")
        let other = try await Command.run("from-curl", "wget http://127.0.0.1:1/")
        #expect(other.status == 2 && other.errors.contains("but with “wget”"), "\(other)")
        let failed = try await Command.run("from-curl", "--json-errors", "curl http://127.0.0.1:1/")
        let report = try JSONValue(parsing: failed.errors)
        #expect(failed.status == 1 && report["error"]?["code"] == "connect-failed", "\(failed)")
    }

    @Test(arguments: CurlLines.writing)
    func `from-curl writes what curl writes`(line: String) async throws {
        let script = FaultServer.Script.requests { request in
            switch request.target {
            case "/gone.txt": [.respond(404, headers: [("X-A", "b")], body: "gone")]
            case "/failed": [.respond(500, body: "failed")]
            case "/moved": [.respond(302, headers: [("Location", "/name.txt")], body: "moved")]
            case "/lost": [.respond(302, headers: [("Location", "http://127.0.0.1:1/x")], body: "moved")]
            case "/chunked":
                [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")]
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Type: a/b\r\n\r\n1234"), .close]
            case "/none": [.close]
            case "/packed": [.respond(headers: [("Content-Encoding", "gzip")], bytes: Self.packed)]
            // Whoever decodes it fails.
            case "/coded": [.respond(headers: [("Content-Encoding", "gzip")], body: "no gzip")]
            case "/named": [.respond(headers: [("Content-Disposition", "attachment; filename=b.txt")], body: "named")]
            default: [.respond(body: "saved")]
            }
        }
        try await FaultServer.run(script) { server in
            let line = Self.filled(line, for: server)
            try await withDirectory { curlFolder in
                try await withDirectory { folder in
                    let curl = try await Self.shell(line, in: curlFolder)
                    let output = try await Self.run(Command.process(["from-curl", line]), in: folder)
                    #expect((output.status == 0) == (curl.status == 0), "\(output.errors)\(curl.errors)")
                    #expect(output.text == curl.text)
                    #expect(try Self.files(in: folder) == Self.files(in: curlFolder), "\(output.errors)")
                }
            }
        }
    }

    /// The text `saved` as gzip (RFC 1952).
    private static let packed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 43, 78, 44, 75, 77, 1, 0, 37, 211, 227, 249, 5, 0, 0, 0,
    ]

    /// The files below a folder with their texts.
    private static func files(in folder: URL) throws -> [String: String] {
        var files: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            files[path] = (try? String(contentsOf: folder.appending(path: path), encoding: .utf8)) ?? "a folder"
        }
        return files
    }

    @Test func `-J does not replace a file`() async throws {
        let header = [("Content-Disposition", "attachment; filename=a")]
        try await withDirectory { folder in
            try await FaultServer.run(.requests { _ in [.respond(headers: header, body: "new")] }) { server in
                try Data("old".utf8).write(to: folder.appending(path: "a"))
                let output = try await Command.run(["from-curl", "curl -OJ \(server.baseURL)/b"], in: folder)
                #expect(output.status == 1, "\(output.errors)")
                #expect(try Self.files(in: folder) == ["a": "old"])
            }
        }
    }

    @Test func `-C - takes up what a lost connection has left`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nETag: \"1\"\r\nContent-Range: bytes 6-9/10\r\n\r\n6789"
        let script = FaultServer.Script.connections([
            [.readRequest, .send(head + "012345"), .close], [.readRequest, .send(rest), .close],
        ])
        try await withDirectory { folder in
            try await FaultServer.run(script) { server in
                let line = "curl -C - -O \(server.baseURL)/file"
                #expect(try await Command.run(["from-curl", line], in: folder).status == 1)
                let output = try await Command.run(["from-curl", line], in: folder)
                #expect(output.status == 0 && output.text == "", "\(output.errors)")
                #expect(server.requests.last?.value(of: "range") == "bytes=6-")
                #expect(try Self.files(in: folder) == ["file": "0123456789"])
            }
        }
    }

    @Test func `fifty redirects are followed, and no more`() async throws {
        try await FaultServer.run(Self.redirecting) { server in
            let output = try await Command.run("from-curl", "curl -L \(server.baseURL)/hop/302/51")
            #expect(output.status == 6 && server.requests.count == 51, "\(output.errors)")
        }
    }

    // MARK: The other way

    @Test(arguments: [
        [], ["a=1", "b:=2"], ["--form", "a=x y", "b=é"], ["--form", "f@photo.png;type=a/b", "a=1"],
        ["--raw", "it's\n"],
        ["PUT", "@photo.png"], ["X-A: 1", "X-B;", "q==a b"], ["-a", "ada:secret"], ["DELETE", "a=1"],
        ["--compress", "a=1"],
    ])
    func `--curl prints the same request for curl`(arguments: [String]) async throws {
        try await withFiles { folder in
            try await FaultServer.run(Self.anything) { server in
                let isMethod = arguments.first.map { ["PUT", "DELETE"].contains($0) } ?? false
                let items = Array(arguments.dropFirst(isMethod ? 1 : 0))
                let request = (isMethod ? [arguments[0]] : []) + [server.baseURL + "/x"] + items
                let sent = try await Command.run(request, in: folder)
                #expect(sent.status == 0, "\(sent.errors)")
                let expected = SentRequest(try #require(server.requests.last))
                let printed = try await Command.run(request + ["--curl"], in: folder)
                #expect(printed.status == 0 && server.requests.count == 1, "\(printed.errors)")
                let curl = try await Self.shell(printed.text, in: folder)
                #expect(curl.status == 0, "\(printed.text)\(curl.errors)")
                #expect(SentRequest(try #require(server.requests.last)) == expected, "\(printed.text)")
            }
        }
    }

    @Test(arguments: [
        [], ["--cookies", "off"], ["--cookies", "memory"], ["--cookies", "a jar.txt"], ["--cookies", "a=jar.txt"],
        ["--session", "./ada"], ["--session-read-only", "./ada"], ["--session", "./ada", "Cookie:own=1"],
    ])
    func `what --curl prints has the cookies that are kept, and those of a redirect`(options: [String]) async throws {
        let script = FaultServer.Script.requests { request in
            let cookie = [("Set-Cookie", "\(request.target.dropFirst())=1; Path=/")]
            return [
                request.target == "/hop"
                    ? .respond(302, headers: cookie + [("Location", "/end")])
                    : .respond(headers: cookie)
            ]
        }
        try await withFiles { folder in
            try await FaultServer.run(script) { server in
                // The order, and a second field, say nothing.
                func cookies() -> [Set<Substring>] {
                    server.requests.suffix(2).map { request in
                        Set(
                            request.headers.filter { $0.name.lowercased() == "cookie" }.flatMap {
                                $0.value.split(separator: "; ")
                            }
                        )
                    }
                }
                let kept = options.map { $0 == "--session-read-only" ? "--session" : $0 }.filter { !$0.contains(":") }
                for path in ["one", "hop"] {
                    #expect(try await Command.run(["get", "\(server.baseURL)/\(path)"] + kept, in: folder).status == 0)
                }
                let request = ["get", "\(server.baseURL)/hop"] + options
                #expect(try await Command.run(request, in: folder).status == 0)
                let expected = cookies()
                let printed = try await Command.run(request + ["--curl"], in: folder)
                let count = server.requests.count
                let curl = try await Self.shell(printed.text, in: folder)
                #expect(curl.status == 0 && server.requests.count == count + 2, "\(printed)\(curl.errors)")
                #expect(cookies() == expected, "\(printed.text)")
            }
        }
    }

    @Test func `--curl names Digest, and says what it leaves out`() async throws {
        try await withFiles { folder in
            try Data(#"{"hosts":{}}"#.utf8).write(to: folder.appending(path: "pins.json"))
            let arguments = [":1/", "-A", "digest", "-a", "ada:it's", "--pins", "pins.json", "--curl"]
            let output = try await Command.run(arguments, in: folder)
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.hasPrefix("# The pins of --pins are not in it"))
            #expect(output.text.contains("--digest \\\n  --user 'ada:it'\\''s'"), "\(output.text)")
        }
    }

    @Test func `--curl keeps an apostrophe with an accent in its word`() async throws {
        try await withFiles { folder in
            let credentials = "ada:it'\u{301}s"
            let output = try await Command.run([":1/", "-A", "digest", "-a", credentials, "--curl"], in: folder)
            #expect(output.status == 0, "\(output.errors)")
            let words = try await Self.shell("curl() { printf '%s\\n' \"$@\"; }\n\(output.text)", in: folder)
            #expect(words.status == 0, "\(words.errors)")
            #expect(words.text.split(separator: "\n").contains { $0.utf8.elementsEqual(credentials.utf8) })
        }
    }

    // MARK: Helpers

    private func withFiles(_ test: (URL) async throws -> Void) async throws {
        try await withDirectory { folder in
            let files: [String: Data] = [
                "data.json": Data(#"{"a":1}"#.utf8), "lines.txt": Data("one\r\ntwo é\n".utf8),
                "photo.png": Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0xFF]),
            ]
            for (name, content) in files { try content.write(to: folder.appending(path: name)) }
            try await test(folder)
        }
    }

    private static func filled(_ line: String, for server: FaultServer) -> String {
        let host = server.baseURL.replacing("http://", with: "")
        return line.replacing("URL", with: server.baseURL).replacing("HOST", with: host)
            .replacing("PORT", with: host.drop { $0 != ":" }.dropFirst())
    }

    /// Runs a line by bash, as a person does.
    private static func shell(_ line: String, in folder: URL) async throws -> Command.Output {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", line]
        return try await run(process, in: folder)
    }

    /// Runs a process that uses the proxies of its line, whatever the environment says.
    private static func run(_ process: Process, in folder: URL) async throws -> Command.Output {
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(["no_proxy": ""]) { $1 }
        return try await Command.run(process)
    }
}

/// What two requests of different programs have to have in common.
private struct SentRequest: Equatable {
    let line: String
    /// The fields in their order.
    let fields: [String]
    /// The fields that have another place in the two programs, which says nothing (RFC 9110 §5.3).
    let placedElsewhere: Set<String>
    let body: Data

    private static let othersPlaces: Set = [
        "host", "authorization", "proxy-authorization", "accept-encoding", "content-length", "transfer-encoding",
    ]

    init(_ request: FaultServer.Request) {
        // A path has no brackets and braces (RFC 3986 §3.3); curl sends them nevertheless. The case
        // of the digits behind a percent sign says nothing (RFC 3986 §6.2.2.1).
        let signs = ["[": "%5B", "]": "%5D", "{": "%7B", "}": "%7D"]
        let encoded = signs.reduce(request.requestLine) { $0.replacing($1.key, with: $1.value) }
        line = encoded.replacing(/%[0-9a-f]{2}/.ignoresCase()) { $0.output.uppercased() }
        let type = request.value(of: "content-type") ?? ""
        let boundary = type.firstMatch(of: /^multipart\/form-data; boundary=([^;]+)$/).map { String($0.1) }
        // A boundary that the line itself has is in both.
        let isMade = boundary.map { $0.hasPrefix("bluebonnet-") || $0.hasPrefix("------------------------") } ?? false
        func text(_ name: String, _ value: String) -> String? {
            switch name {
            // Each program names itself; curl waits for 100 Continue with every -T, and sends to
            // proxies a field that no standard has (RFC 9110 §7.6.1).
            case "user-agent" where value.hasPrefix("curl/") || value.hasPrefix("bluebonnet/"): return name
            case "expect", "proxy-connection": return nil
            case "content-length" where isMade: return nil
            // Sent with a POST and a PUT that have no body (RFC 9110 §8.6); curl does not.
            case "content-length" where value == "0": return nil
            case "content-type" where isMade: return "\(name): multipart/form-data"
            // --compressed asks for all that the program can decode.
            case "accept-encoding" where value.contains("deflate") && value.contains("br"): return name
            default: return "\(name): \(value)"
            }
        }
        let headers = request.headers.map { (name: $0.name.lowercased(), value: $0.value) }
        fields = headers.filter { !Self.othersPlaces.contains($0.name) }.compactMap(text)
        placedElsewhere = Set(headers.filter { Self.othersPlaces.contains($0.name) }.compactMap(text))
        guard isMade, let boundary else {
            body = Data(request.body)
            return
        }
        body = Data(request.body).replacing(Data(boundary.utf8), with: Data("boundary".utf8))
    }
}
