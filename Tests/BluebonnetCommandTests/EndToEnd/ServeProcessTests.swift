import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct ServeProcessTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `serve prints its URL, responds, and exits with status 0 after a signal`(signal: Int32) async throws {
        let server = try Conversation("serve")
        let url = try #require(await server.read())
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try await Command.run("get", url + "/get").status == 0)
        #expect(await server.end(with: signal) == 0)
    }

    @Test func `serve listens on a Unix-domain socket, and its URL says so`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s\(UInt32.random(in: 0 ... .max))").path
        let server = try Conversation("serve", "--unix", path)
        let url = try #require(await server.read())
        #expect(url.hasPrefix("http+unix://%2F"))
        #expect(try await Command.run("get", url + "get").status == 0)
        #expect(await server.end(with: SIGTERM) == 0)
    }

    @Test func `serve with --tls responds over TLS`() async throws {
        let server = try Conversation("serve", "--tls")
        let url = try #require(await server.read())
        #expect(url.hasPrefix("https://localhost:"))
        #expect(try await Command.run("get", url + "/get", "--insecure").status == 0)
        #expect(await server.end(with: SIGTERM) == 0)
    }

    @Test func `serve --tls prints the file and the fingerprint with which its certificate can be trusted`()
        async throws
    {
        let process = Command.process(["serve", "--tls"])
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        let status = try process.start()
        var told = ""
        while !told.contains("sha256/") || !told.hasSuffix("\n") {
            let next = await errors.nextText()
            if next.isEmpty { break }
            told += next
        }
        let url = await output.nextText().trimmingCharacters(in: .whitespacesAndNewlines)
        let file = try #require(told.firstMatch(of: /Its file: (.*)/)).1
        #expect(told.contains(/Its fingerprint \(SHA-256\): ([0-9A-F]{2}:){31}[0-9A-F]{2}\n/), "\(told)")
        let pin = try #require(told.firstMatch(of: /sha256\/[A-Za-z0-9+\/]{43}=/)).0
        let trusted = try await Command.run("get", "\(url)/get", "--cacert", "\(file)", "--pin", "\(pin)")
        #expect(trusted.status == 0, "\(trusted.errors)")
        #expect(try await Command.run("get", "\(url)/get").status == 60)
        process.terminate()
        #expect(await status.value == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(file)"))
    }

    @Test func `serve --log writes a line for each request`() async throws {
        let process = Command.process(["serve", "--log"])
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        let status = try process.start()
        let url = await output.nextText().trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try await Command.run("get", "\(url)/status/404").status == 4)
        let line = await errors.nextText()
        #expect(line.contains(/^127\.0\.0\.1 GET \/status\/404 HTTP\/1\.1 404 0 B in [0-9.]+ ms\n/), "\(line)")
        process.terminate()
        #expect(await status.value == 0)
    }

    @Test(arguments: ["gzip", "deflate", "brotli", "zstd"])
    func `each content coding of serve is undone`(coding: String) async throws {
        try await LocalServer.run { server in
            let output = try await Command.run("get", "\(server.baseURL)/\(coding)", "-i", "--pretty", "none")
            #expect(output.text.contains("Content-Encoding: "), "\(output.errors)")
            #expect(output.text.contains("\"method\": \"GET\""), "\(output.text)")
        }
    }

    @Test(arguments: [
        ("reset", "connection-lost"), ("close", "connection-lost"), ("truncate/5", "truncated-response"),
        ("garbage", "malformed-status-line"), ("chunk", "malformed-chunk"), ("lengths", "conflicting-framing"),
    ])
    func `each fault of serve is an error of its own`(fault: String, code: String) async throws {
        try await LocalServer.run { server in
            let line = #"{"url":"\#(server.baseURL)/fault/\#(fault)"}"#
            let output = try await Command.run("batch", input: line)
            #expect(output.text.contains(#""code":"\#(code)""#), "\(output.text)")
        }
    }

    @Test func `a port that is in use is named, with what to do`() async throws {
        try await LocalServer.run { server in
            let run = try await Command.run("serve", "--port", "\(server.port)")
            let sentence = "port \(server.port) is in use. --port takes another one, and --port 0 one that is free."
            #expect(run.errors == "bluebonnet: The server cannot listen: \(sentence)\n")
            #expect(run.status == 1)
        }
        let unknown = try await Command.run("serve", "--host", "nohost.invalid")
        let sentence = "bluebonnet: The server cannot listen: the host name “nohost.invalid” could not be resolved: "
        #expect(unknown.errors.hasPrefix(sentence), "\(unknown.errors)")
    }
}
