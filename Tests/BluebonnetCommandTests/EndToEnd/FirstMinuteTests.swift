import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// The command as people use it before they have read anything.
@Suite(.timeLimit(.minutes(3))) struct FirstMinuteTests {
    private static let anything = FaultServer.Script.requests { _ in [.respond(body: "")] }

    @Test(arguments: [
        ([], [], "GET"), ([], ["X:1", "q==1"], "GET"), ([], ["a=1"], "POST"), ([], ["a:=1"], "POST"),
        (["GET"], [], "GET"), (["Get"], ["a=1"], "GET"), (["POST"], ["a=1"], "POST"), (["PROPFIND"], [], "PROPFIND"),
        (["propfind"], ["Depth:1"], "PROPFIND"), (["-v"], [], "GET"), (["-v", "PURGE"], [], "PURGE"),
        (["-f"], ["a=1"], "POST"), (["-v", "post"], ["a=1"], "POST"), (["-kLj"], [], "GET"),
    ])
    func `a request needs neither a command nor a method`(
        before: [String],
        items: [String],
        method: String
    ) async throws {
        try await FaultServer.run(Self.anything) { server in
            let output = try await Command.run(before + [server.baseURL + "/x"] + items)
            #expect(output.status == 0, "\(output.errors)")
            #expect(server.requests.first?.method == method)
            #expect(server.requests.first?.bodyText.contains("a") == items.contains { $0.hasPrefix("a") })
        }
    }

    @Test func `the scheme and localhost may be left out`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let port = try #require(URL(string: server.baseURL)?.port)
            for url in [":\(port)/x", "localhost:\(port)/x", "127.0.0.1:\(port)/x"] {
                let output = try await Command.run(url)
                #expect(output.status == 0, "\(output.errors)")
            }
            #expect(server.requests.map(\.requestLine) == Array(repeating: "GET /x HTTP/1.1", count: 3))
        }
    }

    @Test func `piped input makes the request a POST, and empty input does not`() async throws {
        try await FaultServer.run(Self.anything) { server in
            for (arguments, input) in [([], #"{"a":1}"#), ([], ""), (["--ignore-stdin"], "x")] {
                let output = try await Command.run(arguments + [server.baseURL], input: input)
                #expect(output.status == 0, "\(output.errors)")
            }
            #expect(server.requests.map(\.method) == ["POST", "GET", "GET"])
            #expect(server.requests.map(\.bodyText) == [#"{"a":1}"#, "", ""])
        }
    }

    @Test(.needs("script"), arguments: ["", "POST "])
    func `a terminal is never read for a body`(method: String) async throws {
        try await FaultServer.run(Self.anything) { server in
            // The terminal stays open, and nobody types.
            let run = try TerminalRun("\(method)\(server.baseURL)")
            #expect(try await run.finish() == 0)
            #expect(server.requests.map(\.bodyText) == [""])
        }
    }

    @Test func `a loop of a script keeps the list that it reads`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            let loop = "while read path; do \"$0\" \"$1/$path\"; done"
            process.arguments = ["-c", loop, Command.executable.path, server.baseURL]
            let (input, errors) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardError = errors
            try input.fileHandleForWriting.write(contentsOf: Data("one\ntwo\nthree\n".utf8))
            try input.fileHandleForWriting.close()
            let status = try process.start()
            let text = try errors.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(await status.value == 0)
            #expect(server.requests.map(\.requestLine) == ["one", "two", "three"].map { "GET /\($0) HTTP/1.1" })
            // The last one leaves no input behind.
            #expect(text.split(separator: "\n").count { $0.contains("Standard input is not sent") } == 2, "\(text)")
        }
    }

    @Test func `a pipe of a script that is never closed does not delay a request without a method`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "'\(Command.executable.path)' '\(server.baseURL)'; true"]
            let (input, errors) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardError = errors
            let status = try process.start()
            #expect(await status.value == 0)
            #expect(server.requests.map(\.method) == ["GET"])
            // What may be written later is not sent, and that is said.
            #expect(await errors.nextText().contains("Standard input is not sent"))
            try input.fileHandleForWriting.close()
        }
    }

    @Test(.needs("timeout"))
    func `a program that only runs the command passes on what is piped into it`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            let script = "(sleep 0.2; echo late) | timeout 60 '\(Command.executable.path)' '\(server.baseURL)'; true"
            process.arguments = ["-c", script]
            let status = try process.start()
            #expect(await status.value == 0)
            #expect(server.requests.map(\.bodyText) == ["late\n"])
        }
    }

    @Test(arguments: [
        (["downlod", "example.org"], "did you mean “download”?"), (["-X", "PUT", "x"], "method in front of the URL"),
        (["-H", "a:b", "x"], "Name:value"), (["-sS", "x"], "progress is shown on a terminal only"),
        (["get", "--verbos", "x"], "did you mean “--verbose”?"), (["-v", "download", "x"], "The command comes first"),
        (["help", "uplaod"], "did you mean “upload”?"), (["post"], "The argument <url> is missing."),
        (["-x", "proxy:3128", "example.org"], "write --proxy proxy:3128."),
        (["get", "http://x/", "-x", "http://proxy:3128"], "write --proxy http://proxy:3128."),
        (["get", "http://x/", "-x", "proxy:3128"], "write --proxy proxy:3128."),
        (["get", "http://x/", "-kx", "http://proxy:3128"], "write --proxy PROXY."),
        (["-F", "a=1", "x"], "HTTPie's -F is the default"), (["-A", "Mozilla/5.0", "x"], "User-Agent:NAME"),
        (["-r", "0-99", "example.org"], "write Range:bytes=0-99 behind"), (["-dco", "f", "x"], "-O for HTTPie's"),
        (["--unsorted", "x"], "the order is always that of the server"),
        (["--proxy=http:http://p:1", "x"], "the URL of the proxy without “http:”"),
        (["cookies", "lsit", "jar"], "did you mean “list”?"),
        (["image", "x"], "“bluebonnet image” has no command “x”"),
        (["example.org", "http://x"], "“http://x” is a second URL"), (["https:x/a"], "write https://x/a."),
        (["-XPOST", "x", "--print=h"], "method in front of the URL"), (["upload", ":1/x", "f"], "behind the files"),
        (["batch", "--job", "3"], "did you mean “--jobs”?"),
        (["get", "x", "--timeout", "y"], "--timeout must be a number of seconds, not “y”."),
    ])
    func `a mistake is answered with one line that has the right thing`(
        arguments: [String],
        part: String
    ) async throws {
        let output = try await Command.run(arguments)
        #expect(output.status == 2)
        #expect(output.text.isEmpty)
        #expect(output.errors.hasPrefix("bluebonnet: ") && output.errors.contains(part), "\(output.errors)")
        #expect(output.errors.split(separator: "\n").count == 1)
    }
}
