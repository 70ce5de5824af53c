import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct RequestProcessTests {
    @Test func `the body is written unchanged where the output is not a terminal`() async throws {
        let body = #"{"b":1,  "a":[]}"#
        try await FaultServer.run([.readRequest, .respond(headers: [("Content-Type", "application/json")], body: body)])
        {
            server in
            let output = try await Command.run("get", server.baseURL + "/x", "a==1", "X-Test:yes")
            #expect(output.text == body)
            #expect(output.errors.isEmpty)
            #expect(output.status == 0)
            let request = server.requests[0]
            #expect(request.requestLine == "GET /x?a=1 HTTP/1.1")
            #expect(request.value(of: "x-test") == "yes")
        }
    }

    @Test func `--pretty formats and colours without a terminal`() async throws {
        let response = FaultStep.respond(headers: [("Content-Type", "application/json")], body: #"{"a":1}"#)
        try await FaultServer.run(.requests { _ in [response] }) { server in
            let formatted = try await Command.run("get", server.baseURL, "--pretty", "format")
            #expect(formatted.text == "{\n  \"a\": 1\n}\n")
            let colored = try await Command.run("get", server.baseURL, "--pretty", "all")
            #expect(colored.text.contains("\u{1B}[1;34m\"a\"\u{1B}[0m: "))
        }
    }

    @Test(arguments: ["post", "put", "patch", "delete", "options", "get"])
    func `each command for a method sends that method and JSON`(method: String) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "")]) { server in
            let output = try await Command.run(method, server.baseURL + "/", "name=Ada", "n:=1")
            #expect(output.status == 0)
            let request = server.requests[0]
            #expect(request.method == method.uppercased())
            #expect(request.bodyText == #"{"name":"Ada","n":1}"#)
            #expect(request.value(of: "content-type") == "application/json")
        }
    }

    @Test func `the command for HEAD shows the response head`() async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("head", server.baseURL + "/get")
            #expect(output.text.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(output.status == 0)
        }
    }

    @Test func `-i shows the head on standard output and -v everything on standard error`() async throws {
        try await LocalServer.run { server in
            let included = try await Command.run("get", "-i", server.baseURL + "/robots.txt")
            #expect(included.text.hasPrefix("HTTP/1.1 200 OK\nContent-Type: text/plain"))
            #expect(included.text.contains("\n\nUser-agent"))
            let verbose = try await Command.run("get", "-v", server.baseURL + "/redirect/1")
            #expect(verbose.text.hasPrefix("{"))
            #expect(verbose.errors.contains("GET /get HTTP/1.1\nHost: 127.0.0.1:"))
            #expect(verbose.errors.contains("redirected to \(server.baseURL)/get\n"))
            #expect(verbose.errors.contains("HTTP/1.1 200 OK\n"))
            #expect(verbose.errors.contains("first byte "))
        }
    }

    @Test func `standard input is sent for @-`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { server in
            _ = try await Command.run("post", server.baseURL, "@-", "Content-Type:text/plain", input: "from stdin")
            #expect(server.requests[0].bodyText == "from stdin")
            #expect(server.requests[0].value(of: "content-type") == "text/plain")
        }
    }

    @Test func `-o writes the body to a file, but not that of an error status`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "out-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await LocalServer.run { server in
            let missing = try await Command.run("get", server.baseURL + "/nowhere", "-o", file.path)
            #expect(missing.status == 4)
            #expect(missing.errors.contains("404 Not Found: nothing was written"))
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let found = try await Command.run("get", server.baseURL + "/bytes/100000", "-o", file.path)
            #expect(found.status == 0)
            #expect(found.bytes.isEmpty)
            #expect(try Data(contentsOf: file).count == 100_000)
        }
    }

    @Test(
        arguments: [
            ("/status/204", [], 0), ("/status/404", [], 4), ("/status/503", [], 5),
            ("/status/404", ["--no-check-status"], 0),
            ("/redirect/1", ["--no-follow"], 3), ("/redirect/3", ["--max-redirects", "2"], 6),
            ("/delay/10", ["--timeout", "0.2"], 28), ("/get", ["--unix-socket", "/no/such/socket"], 1),
            ("/get", ["--multipart"], 2), ("/get", ["word"], 2), ("/get", ["--pretty", "nicely"], 2),
            ("/get", ["--timeout", "-1"], 2), ("/get", ["--timeout", "nan"], 2), ("/get", ["--timeout", "inf"], 2),
            ("/get", ["--timeout", "1e300"], 2), ("/get", ["--connect-timeout", "0"], 2),
            ("/get", ["--timeout", "1e9"], 0), ("/get", ["--timeout", "1e-9"], 28),
            ("/get", ["--max-redirects", "-1"], 2), ("/get", ["--max-redirects", "99999999999999999999"], 2),
            ("/redirect/1", ["--max-redirects", "9223372036854775807"], 0),
        ] as [(String, [String], Int32)]
    )
    func `the exit status of the command says what happened`(path: String, options: [String], status: Int32)
        async throws
    {
        try await LocalServer.run { server in
            let output = try await Command.run(["get", server.baseURL + path] + options)
            #expect(output.status == status)
            // A 4xx or 5xx without a body is reported in a message.
            #expect(output.errors.isEmpty == ([0, 3].contains(status) && !path.hasPrefix("/status/404")))
        }
    }

    @Test func `-o writes to a pipe and does not replace it`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path
        // mkfifo reads the path only during the call, for which Swift keeps the C string alive.
        let result = unsafe mkfifo(path, 0o600)
        try #require(result == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await FaultServer.run([.readRequest, .respond(body: "through a pipe")]) { server in
            async let run = Command.run("get", server.baseURL, "-o", path)
            let text = await withCheckedContinuation { continuation in
                DispatchQueue(label: "pipe").async {
                    // Opening a pipe for reading waits until the command opens it for writing.
                    let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd()
                    continuation.resume(returning: bytes.map { String(decoding: $0, as: UTF8.self) })
                }
            }
            let output = try await run
            #expect(text == "through a pipe")
            #expect(output.status == 0)
            #expect(FileKind(path: path) == .special)
        }
    }

    @Test func `-o writes to the target of a symbolic link and keeps the link`() async throws {
        let directory = FileManager.default.temporaryDirectory
        let (file, link) = (directory.appending(path: UUID().uuidString), directory.appending(path: UUID().uuidString))
        defer { for url in [file, link] { try? FileManager.default.removeItem(at: url) } }
        try Data("something that was longer".utf8).write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            let output = try await Command.run("get", server.baseURL, "-o", link.path)
            #expect(output.status == 0)
            #expect(try String(contentsOf: file, encoding: .utf8) == "new")
            #expect(FileKind(path: link.path) == .link)
        }
    }

    @Test(.needs("script"))
    func `a terminal shows JSON in colours, and no binary bodies`() async throws {
        try await LocalServer.run { server in
            let json = try await Command.onTerminal("get \(server.baseURL)/get")
            #expect(json.contains("{\r\n  \u{1B}[1;34m\"args\"\u{1B}[0m: "))
            let plain = try await Command.onTerminal("get \(server.baseURL)/get", environment: "NO_COLOR=1")
            #expect(plain.contains("{\r\n  \"args\": "))
            let image = try await Command.onTerminal("get \(server.baseURL)/image/png")
            #expect(image.hasPrefix("bluebonnet: The body is binary (image/png)"))
        }
    }

    @Test func `an error is a sentence with a piece of advice`() async throws {
        let port = FaultServer.unusedPort
        let output = try await Command.run("get", ":\(port)/")
        #expect(output.status == 1)
        let sentence = "localhost:\(port) could not be reached: Connection refused."
        #expect(output.errors == "bluebonnet: \(sentence) No server listens there: check the port.\n")
    }

    @Test func `an error is JSON with --json-errors`() async throws {
        let output = try await Command.run("get", ":\(FaultServer.unusedPort)/", "--json-errors")
        let report = try JSONValue(parsing: output.errors)
        #expect(report["error"]?["code"] == "connect-failed" && report["exitStatus"] == 1)
        for arguments in [["get", ":1/", "--nope", "--json-errors"], ["post", ":1/", "a", "--json-errors"]] {
            let output = try await Command.run(arguments)
            #expect(output.status == 2)
            #expect(try JSONValue(parsing: output.errors)["error"]?["code"] == "invalid-usage", "\(output.errors)")
        }
    }

    @Test(arguments: [([], 4), (["-q"], 4), (["-o", "f"], 4), (["--no-check-status"], 0)])
    func `the status of a failure without a body is JSON with --json-errors`(
        options: [String],
        status: Int
    ) async throws {
        try await LocalServer.run { server in
            try await withDirectory { directory in
                let arguments = ["get", "\(server.baseURL)/status/404", "--json-errors"] + options
                let output = try await Command.run(arguments, in: directory)
                #expect(output.status == Int32(status) && output.text.isEmpty)
                let report = try JSONValue(parsing: output.errors)
                #expect(report["error"]?["code"] == "unacceptable-status-code", "\(output.errors)")
                #expect(report["error"]?["message"]?.string?.hasPrefix("404 Not Found") == true, "\(output.errors)")
                #expect(report["exitStatus"] == JSONValue(status))
            }
        }
    }

    @Test func `a certificate is checked, and accepted with --cacert or --insecure`() async throws {
        let certificates = try TestCertificates.shared()
        try await certificates.withFiles { files in
            try await LocalServer.run(.init(tls: ServerTLS(certificates.localhost))) { server in
                let url = server.baseURL + "/get"
                let trusted = try await Command.run("get", url, "--cacert", files.authority)
                #expect(trusted.status == 0)
                let insecure = try await Command.run("get", url, "--insecure")
                #expect(insecure.status == 0)
                let untrusted = try await Command.run(
                    "get",
                    url,
                    "--cacert",
                    files.path("untrusted.pem"),
                    "--json-errors"
                )
                #expect(untrusted.status == 60)
                #expect(untrusted.errors.contains("\"code\":\"certificate-untrusted\""))
                let missing = try await Command.run("get", url, "--cacert", "/no/such/file")
                #expect(missing.status == 2)
                #expect(missing.errors == "bluebonnet: --cacert: /no/such/file: No such file or directory.\n")
            }
            try await LocalServer.run(.init(tls: ServerTLS(certificates.expired))) { server in
                let get = ["get", server.baseURL + "/get", "--json-errors"]
                let expired = try await Command.run(get + ["--cacert", files.authority])
                #expect(expired.status == 60)
                #expect(expired.errors.contains("\"code\":\"certificate-expired\""))
            }
        }
    }

    @Test func `a redirect sends a body from https to http only with --body-on-insecure-redirects`() async throws {
        let tls = ServerTLS(try TestCertificates.shared().localhost)
        try await FaultServer.run(.requests { _ in [.respond(body: "")] }) { open in
            let redirect = FaultStep.respond(307, headers: [("Location", open.baseURL + "/there")], body: "")
            try await FaultServer.run(.requests { _ in [redirect] }, options: .init(tls: tls)) { server in
                let request = ["post", server.baseURL, "--insecure", "a=secret"]
                let line = #"{"url":"\#(server.baseURL)","method":"POST","body":"secret"}"#
                let option = "--body-on-insecure-redirects"
                let refused = try await Command.run(request + ["--json-errors"])
                #expect(refused.status == 1)
                #expect(refused.errors.contains("\"code\":\"redirect-refused\""))
                #expect(refused.errors.contains("The option for this is \(option)."))
                let refusedLine = try await Command.run("batch", "--insecure", input: line)
                #expect(refusedLine.text.contains(#""code":"redirect-refused""#))
                #expect(open.requests.isEmpty)
                #expect(try await Command.run(request + [option]).status == 0)
                #expect(open.requests.last?.bodyText == #"{"a":"secret"}"#)
                #expect(try await Command.run("batch", "--insecure", option, input: line).status == 0)
                #expect(open.requests.last?.bodyText == "secret")
            }
        }
    }

    @Test func `--no-insecure-redirects forbids redirects from https to http`() async throws {
        let tls = ServerTLS(try TestCertificates.shared().localhost)
        let option = "--no-insecure-redirects"
        try await FaultServer.run(.requests { _ in [.respond(body: "open")] }) { open in
            let redirect = FaultStep.respond(302, headers: [("Location", open.baseURL + "/there")], body: "")
            try await FaultServer.run(.requests { _ in [redirect] }, options: .init(tls: tls)) { server in
                let request = ["get", server.baseURL, "--insecure"]
                // "follow" of a line allows no more than the option.
                let line = #"{"url":"\#(server.baseURL)","redirect":"follow"}"#
                let refused = try await Command.run(request + [option, "--json-errors"])
                #expect(refused.status == 1 && refused.errors.contains("\"code\":\"redirect-refused\""), "\(refused)")
                #expect(!refused.errors.contains("--body-on-insecure-redirects"))
                let refusedLine = try await Command.run("batch", "--insecure", option, input: line)
                #expect(refusedLine.text.contains(#""code":"redirect-refused""#), "\(refusedLine)")
                #expect(open.requests.isEmpty)
                #expect(try await Command.run(request + [option, "--no-follow"]).status == 3)
                #expect(try await Command.run(request).text == "open")
                #expect(try await Command.run("batch", "--insecure", input: line).status == 0)
            }
        }
        for arguments in [["get", ":1/"], ["batch"]] {
            let output = try await Command.run(arguments + [option, "--body-on-insecure-redirects"])
            #expect(output.status == 2 && output.errors.contains(option), "\(output)")
        }
    }

    @Test func `a client certificate is sent to a server that asks for one`() async throws {
        let certificates = try TestCertificates.shared()
        let tls = ServerTLS(certificates.localhost, clientAuthorities: [certificates.authority])
        try await certificates.withFiles { files in
            try await LocalServer.run(.init(tls: tls)) { server in
                let arguments = ["get", server.baseURL + "/get", "--cacert", files.authority]
                let identity = ["--cert", files.path("client.pem"), "--key", files.path("client.key")]
                let known = try await Command.run(arguments + identity)
                #expect(known.status == 0)
                let unknown = try await Command.run(arguments)
                #expect(unknown.status != 0)
            }
        }
    }

    @Test func `a Unix-domain socket is reached with the host of the URL`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s\(UInt32.random(in: 0 ... .max))").path
        try await LocalServer.run(.init(address: .unixSocket(path))) { _ in
            let output = try await Command.run("get", "example.org/headers", "--unix-socket", path)
            #expect(output.status == 0)
            #expect(output.text.contains(#""Host": "example.org""#))
        }
    }
}
