import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct PrintedPartsProcessTests {
    private static let response = FaultStep.respond(headers: [("X", "1")], body: "hello")
    private static let sent = "POST / HTTP/1.1\nHost: 127.0.0.1:"
    private static let received = "HTTP/1.1 200 Scripted\nContent-Length: 5\nX: 1\n\n"

    private func run(_ options: String...) async throws -> Command.Output {
        try await FaultServer.run(.requests { _ in [Self.response] }) { server in
            try await Command.run(["post", server.baseURL, "a=1"] + options)
        }
    }

    @Test func `--print shows head and body of the request and of the response`() async throws {
        let all = try await run("--print=HBhb").text
        #expect(all.hasPrefix(Self.sent))
        #expect(all.hasSuffix("\n\n{\"a\":\"1\"}\n\n\(Self.received)hello"), "\(all)")
        #expect(try await run("-p", "h").text == Self.received)
        #expect(try await run("--headers").text == Self.received)
        #expect(try await run("--body").text == "hello")
    }

    @Test func `--response-charset and --response-mime change no byte in a pipe, and have to be known`() async throws {
        #expect(try await run("--response-charset=big5", "--response-mime=text/xml").text == "hello")
        #expect(try await run("--response-charset=none").status == 2)
        #expect(try await run("--response-mime=xml").status == 2)
    }

    @Test func `--meta shows connection, bytes and phases, and no body`() async throws {
        let text = try await run("--meta").text
        #expect(text.contains("  server    127.0.0.1:"), "\(text)")
        #expect(text.contains("  received  head "), "\(text)")
        #expect(text.contains("  total     "), "\(text)")
        #expect(!text.contains("hello"))
    }

    @Test func `--all shows every hop in its order`() async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("get", server.baseURL + "/redirect/2", "--all")
            let lines = output.text.split(separator: "\n").filter {
                $0.hasPrefix("GET ") || $0.hasPrefix("HTTP/") || $0.hasPrefix("{")
            }
            #expect(
                lines == [
                    "GET /redirect/2 HTTP/1.1", "HTTP/1.1 302 Found", "GET /relative-redirect/1 HTTP/1.1",
                    "HTTP/1.1 302 Found", "GET /get HTTP/1.1", "HTTP/1.1 200 OK", "{",
                ],
                "\(output.text)"
            )
        }
    }

    @Test func `-v and --all show the response that ends redirects in an error`() async throws {
        try await LocalServer.run { server in
            let request = ["get", server.baseURL + "/redirect/3", "--max-redirects=1", "-v", "--all"]
            let output = try await Command.run(request)
            #expect(output.status == 6)
            for text in [output.text, output.errors] {
                let heads = text.split(separator: "\n").filter { $0.hasPrefix("GET ") || $0.hasPrefix("HTTP/") }
                #expect(
                    heads == [
                        "GET /redirect/3 HTTP/1.1", "HTTP/1.1 302 Found", "GET /relative-redirect/2 HTTP/1.1",
                        "HTTP/1.1 302 Found",
                    ],
                    "\(text)"
                )
            }
        }
    }

    @Test func `--quiet shows nothing, and the status of an error`() async throws {
        let good = try await run("--quiet")
        #expect(good.text == "" && good.errors == "" && good.status == 0)
        try await FaultServer.run([.readRequest, .respond(404, body: "long story")]) { server in
            let bad = try await Command.run("get", "-q", server.baseURL)
            #expect(bad.text == "" && bad.status == 4)
            #expect(bad.errors == "bluebonnet: 404 Scripted\n")
        }
    }

    @Test func `the response to OPTIONS shows its head`() async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("options", server.baseURL + "/get")
            #expect(output.text.hasPrefix("HTTP/1.1 200 OK\n"), "\(output.text)")
            #expect(output.text.contains("Allow: GET, HEAD, OPTIONS\n"), "\(output.text)")
        }
    }

    @Test func `-v shows the head of a request before there is a response`() async throws {
        let gate = FaultGate()
        try await FaultServer.run([.readRequest, .hold(gate), Self.response]) { server in
            let process = Command.process(["get", "-v", server.baseURL + "/slow"])
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            let status = try process.start()
            var text = ""
            while !text.contains("\n\n") {
                let next = await errors.nextText()
                if next.isEmpty { break }
                text += next
            }
            #expect(text.hasPrefix("GET /slow HTTP/1.1\n"), "\(text)")
            #expect(text.contains("\nAccept-Encoding: "), "\(text)")
            #expect(!text.contains("HTTP/1.1 200"))
            gate.open()
            #expect(await status.value == 0)
        }
    }

    @Test func `-v shows each hop of a redirect, and where it leads`() async throws {
        try await LocalServer.run { server in
            let errors = try await Command.run("get", "-v", server.baseURL + "/redirect/1").errors
            let first = try #require(errors.range(of: "GET /redirect/1 HTTP/1.1\n"))
            let second = try #require(errors.range(of: "HTTP/1.1 302 Found\n"))
            let third = try #require(errors.range(of: "redirected to \(server.baseURL)/get\n"))
            let fourth = try #require(errors.range(of: "GET /get HTTP/1.1\n"))
            #expect(first.lowerBound < second.lowerBound && second.lowerBound < third.lowerBound)
            #expect(third.lowerBound < fourth.lowerBound)
            #expect(errors.contains("; 2 requests in "), "\(errors)")
            // The second request uses the connection of the first one.
            let attempts = errors.ranges(of: "connecting to ")
            #expect(attempts.count == 1 && attempts[0].lowerBound < second.lowerBound, "\(errors)")
        }
    }

    @Test func `after an authentication, -v shows the times of the last request`() async throws {
        try await LocalServer.run { server in
            let url = server.baseURL + "/digest-auth/auth/user/secret"
            let output = try await Command.run("get", "-v", url, "-a", "user:secret", "-A", "digest")
            #expect(output.status == 0)
            let times = try #require(output.errors.firstMatch(of: /first byte ([0-9.]+) ms, total ([0-9.]+) ms/))
            let (first, total) = (try #require(Double(times.1)), try #require(Double(times.2)))
            #expect(first <= total, "\(output.errors)")
        }
    }
}

@Suite(.timeLimit(.minutes(5)), .needs("script")) struct ShownOnTerminalTests {
    private func show(_ response: FaultStep, _ options: String = "", environment: String = "") async throws -> String {
        try await FaultServer.run(.requests { _ in [response] }) { server in
            try await Command.onTerminal("get \(server.baseURL) \(options)", environment: environment)
        }
    }

    @Test func `nothing in a body or a head steers the terminal`() async throws {
        let title = "\u{1B}]0;pwned\u{07}"
        let bodies = [
            ("text/plain", "a\(title)b\rc"), ("text/html", "<p>\(title)</p>"),
            ("application/json", #"{"a":"\u{9B}2J"}"#), ("application/x-www-form-urlencoded", "a=\(title)"),
            ("text/event-stream", "data: \(title)\n\n"), ("application/xml", "<a>\(title)</a>"),
        ]
        for (type, body) in bodies {
            let head = [("Content-Type", type), ("X-Title", "\u{9B}2J")]
            let text = try await show(.respond(headers: head, body: body), "-i -v", environment: "NO_COLOR=1")
            #expect(
                !text.contains("\u{1B}") && !text.contains("\u{07}") && !text.contains("\u{9B}"),
                "\(type): \(text)"
            )
        }
    }

    @Test func `no reason phrase and no media type steers the terminal`() async throws {
        let missing = FaultStep.send("HTTP/1.1 404 No\u{9B}31m\r\nContent-Length: 0\r\n\r\n")
        let type = "application/\u{9B}31m\u{202E}x"
        let binary = FaultStep.respond(headers: [("Content-Type", type)], bytes: [0])
        for (response, options) in [
            (missing, ""), (missing, "-o /dev/null"), (binary, ""), (binary, "--filter a --json-errors"),
        ] {
            let text = try await show(response, options, environment: "NO_COLOR=1")
            #expect(!text.contains("\u{9B}") && !text.contains("\u{202E}"), "\(text)")
            #expect(text.contains("404 No") || text.contains("application/"), "\(text)")
        }
    }

    @Test func `no download to standard output and no cookie steers the terminal`() async throws {
        let text = "a\u{1B}]0;x\u{07}\u{9B}31m\r\u{202E}\u{7F}z"
        let cookies = [("Set-Cookie", "n\u{9B}=v\u{202E}; Path=/")]
        try await withDirectory { folder in
            try await FaultServer.run(.requests { _ in [.respond(headers: cookies, body: text)] }) { server in
                let jar = folder.appending(path: "cookies.txt").path
                let download = try await Command.onTerminal("download \(server.baseURL)/x -o - --cookies \(jar)")
                #expect(download.hasPrefix("a") && download.contains("z"), "\(download)")
                let export = try await Command.onTerminal("cookies export \(jar)")
                #expect(export.contains("127.0.0.1\t"), "\(export)")
                let json = try await Command.onTerminal("cookies export \(jar) --json")
                #expect(json.contains("\\u009b") && json.contains("\\u202e"), "\(json)")
                for shown in [download, export, json] {
                    let unwanted: Set<Unicode.Scalar> = ["\u{1B}", "\u{07}", "\u{9B}", "\u{202E}", "\u{7F}"]
                    #expect(unwanted.isDisjoint(with: shown.unicodeScalars), "\(shown)")
                }
            }
        }
    }

    @Test func `no result of batch steers the terminal, and its values are the same`() async throws {
        try await withDirectory { folder in
            try await FaultServer.run(.requests { _ in [.respond(body: "a\u{9B}31m\u{202E}z")] }) { server in
                let lines = folder.appending(path: "lines").path
                try Data(#"{"url":"\#(server.baseURL)"}"#.utf8).write(to: URL(filePath: lines))
                let shown = try await Command.onTerminal("batch \(lines)")
                #expect(shown.contains(#""a\u009b31m\u202ez""#), "\(shown)")
                let piped = try await Command.run("batch", lines).text
                #expect(piped.contains("a\u{9B}31m\u{202E}z"), "\(piped)")
            }
        }
    }

    @Test func `text in another charset is shown in UTF-8, and a binary body is not shown`() async throws {
        let latin = FaultStep.respond(
            headers: [("Content-Type", "text/plain; charset=iso-8859-1")],
            bytes: [0x63, 0xE9]
        )
        #expect(try await show(latin) == "cé\r\n")
        // Every other byte of a text in UTF-16 is a NUL.
        for (type, bytes) in [
            ("text/plain; charset=utf-16le", [0x63, 0, 0xE9, 0]), ("text/plain", [0xFF, 0xFE, 0x63, 0, 0xE9, 0]),
            ("text/plain; charset=utf-16", [0xFE, 0xFF, 0, 0x63, 0, 0xE9]),
        ] as [(String, [UInt8])] {
            let response = FaultStep.respond(headers: [("Content-Type", type)], bytes: bytes)
            #expect(try await show(response) == "cé\r\n", "\(type)")
        }
        let json = FaultStep.respond(
            headers: [("Content-Type", "application/json")],
            bytes: Array("{\0\"\0a\0\"\0:\01\0}\0".utf8)
        )
        #expect(try await show(json, environment: "NO_COLOR=1") == "{\r\n  \"a\": 1\r\n}\r\n")
        let binary = FaultStep.respond(headers: [("Content-Type", "image/png")], bytes: [0x89, 0x50, 0x4E, 0x47])
        #expect(try await show(binary).contains("The body is binary (image/png)"))
    }

    @Test func `--response-charset and --response-mime say how a body is shown`() async throws {
        let text = FaultStep.respond(headers: [("Content-Type", "text/plain")], bytes: [0xA4, 0xA4, 0xA4, 0xE5])
        #expect(try await show(text, "--response-charset=big5") == "中文\r\n")
        let xml = FaultStep.respond(headers: [("Content-Type", "text/plain")], body: "<a><b>x</b></a>")
        let shown = try await show(xml, "--response-mime=text/xml", environment: "NO_COLOR=1")
        #expect(shown == "<a>\r\n  <b>x</b>\r\n</a>\r\n", "\(shown)")
    }

    @Test func `the picture of the phases ends -v on a terminal`() async throws {
        let text = try await show(.respond(body: "x"), "-v", environment: "NO_COLOR=1")
        #expect(text.contains("  wait  ") && text.contains("  total  "), "\(text)")
        // Each time is there once.
        #expect(text.contains("new connection") && !text.contains("first byte"), "\(text)")
        #expect(text.contains("▏") || text.contains("█"))
    }

    @Test(arguments: [50, 30])
    func `the picture of the phases is as wide as the terminal`(columns: Int) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "x")] }) { server in
            let run = try TerminalRun("get \(server.baseURL) -v", columns: columns, environment: "NO_COLOR=1")
            #expect(try await run.finish() == 0)
            let phases = run.text.split { $0.isNewline }.filter { $0.hasPrefix("  ") && $0.contains(" ms") }
            #expect(phases.contains { $0.contains("wait") })
            #expect(phases.allSatisfy { $0.count < columns }, "\(run.text)")
            #expect(phases.contains { $0.contains("▏") || $0.contains("█") || $0.contains("▕") } == (columns == 50))
        }
    }

    @Test func `--style chooses the colours`() async throws {
        let json = FaultStep.respond(headers: [("Content-Type", "application/json")], body: #"{"a":1}"#)
        #expect(try await show(json, "--style dark").contains("\u{1B}[38;5;75m\"a\""))
        #expect(try await show(json, environment: "TERM=xterm-256color").contains("\u{1B}[38;5;63m\"a\""))
        #expect(try await show(json, "--style mono").contains("\u{1B}[1m\"a\""))
    }
}
