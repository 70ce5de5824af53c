import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct ItemProcessTests {
    private static let anything = FaultServer.Script.requests { _ in [.respond(body: "")] }

    @Test func `the parts of a form have the order of the items`() async throws {
        try await withDirectory { folder in
            try Data("x".utf8).write(to: folder.appending(path: "x.txt"))
            try await FaultServer.run(Self.anything) { server in
                let items = ["--form", "f@x.txt;filename=y.bin", "b=1", "a=2", "f@x.txt;type=a/b", "b=3"]
                let output = try await Command.run([server.baseURL] + items, in: folder)
                #expect(output.status == 0, "\(output.errors)")
                let body = try #require(server.requests.first?.bodyText)
                let heads = body.matches(of: /name="([^"]*)"(?:; filename="([^"]*)")?(?:\r\nContent-Type: (.*))?\r\n/)
                #expect(heads.map { String($0.1) } == ["f", "b", "a", "f", "b"])
                #expect(heads.compactMap { $0.2.map(String.init) } == ["y.bin", "x.txt"])
                #expect(heads.compactMap { $0.3.map(String.init) } == ["application/octet-stream", "a/b"])
            }
        }
    }

    @Test func `a part of a form can be standard input, or a pipe of the shell`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let output = try await Command.run([server.baseURL, "--form", "f@-", "a=1"], input: "piped")
            #expect(output.status == 0, "\(output.errors)")
            #expect(server.requests.last?.bodyText.contains("filename=\"-\"") == true)
            #expect(server.requests.last?.bodyText.contains("\r\n\r\npiped\r\n") == true)
            let process = Process()
            process.executableURL = URL(filePath: "/bin/bash")
            let script = "\"$0\" --form \"$1\" 'f@'<(printf abc)';filename=x.txt' </dev/null"
            process.arguments = ["-c", script, Command.executable.path, server.baseURL]
            let status = try process.start()
            #expect(await status.value == 0)
            #expect(server.requests.last?.bodyText.contains("filename=\"x.txt\"") == true)
            #expect(server.requests.last?.bodyText.contains("\r\n\r\nabc\r\n") == true)
        }
    }

    @Test(arguments: ["multipart/form-data", "multipart/mixed; a=b"])
    func `a Content-Type of a form gets the boundary that it lacks`(type: String) async throws {
        try await FaultServer.run(Self.anything) { server in
            let output = try await Command.run(server.baseURL, "--multipart", "a=1", "Content-Type:\(type)")
            #expect(output.status == 0, "\(output.errors)")
            let request = try #require(server.requests.first)
            let sent = try #require(request.value(of: "content-type"))
            #expect(sent.hasPrefix("\(type); boundary="))
            let boundary = try #require(sent.split(separator: "boundary=").last)
            #expect(request.bodyText.hasPrefix("--\(boundary)\r\n"))
        }
    }

    @Test func `the boundary of a Content-Type is that of the form`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let type = "multipart/form-data; boundary=chosen"
            let output = try await Command.run(server.baseURL, "--multipart", "a=1", "Content-Type:\(type)")
            #expect(output.status == 0, "\(output.errors)")
            #expect(server.requests.first?.values(of: "content-type") == [type])
            #expect(server.requests.first?.bodyText.hasSuffix("--chosen--\r\n") == true)
        }
    }

    @Test(arguments: [
        ["a=@~/x.txt"], ["a:=@~/x.txt"], ["a==@~/x.txt"], ["X:@~/x.txt"], ["@~/x.txt"], ["--form", "a@~/x.txt"],
    ])
    func `a tilde is the home folder in every item`(items: [String]) async throws {
        try await withDirectory { folder in
            try Data("12345".utf8).write(to: folder.appending(path: "x.txt"))
            try await FaultServer.run(Self.anything) { server in
                let output = try await Command.run([server.baseURL] + items, environment: ["HOME": folder.path])
                #expect(output.status == 0, "\(output.errors)")
                let request = try #require(server.requests.first)
                let all = request.requestLine + request.bodyText + (request.value(of: "x") ?? "")
                #expect(all.contains("12345"))
            }
        }
    }

    @Test(arguments: [["@~root"], ["--form", "a@~root"], ["a=@~root"]])
    func `a tilde in front of a name is a part of it`(items: [String]) async throws {
        try await withDirectory { folder in
            try Data("12345".utf8).write(to: folder.appending(path: "~root"))
            try await FaultServer.run(Self.anything) { server in
                let output = try await Command.run([server.baseURL] + items, in: folder)
                #expect(output.status == 0, "\(output.errors)")
                #expect(server.requests.first?.bodyText.contains("12345") == true)
            }
        }
    }

    @Test(arguments: [["a=1"], ["--raw", "abc"], ["@x.txt"], ["@-"], ["--form", "f@x.txt", "a=1"], []])
    func `--chunked tells no length`(items: [String]) async throws {
        try await withDirectory { folder in
            try Data("from a file".utf8).write(to: folder.appending(path: "x.txt"))
            try await LocalServer.run { server in
                let arguments = [server.baseURL + "/post", "--chunked"] + items
                let output = try await Command.run(arguments, in: folder, input: "piped")
                #expect(output.status == 0, "\(output.errors)")
                let seen = try JSONValue(parsing: output.bytes)
                #expect(seen["headers"]?["Transfer-Encoding"] == "chunked", "\(output.text)")
                #expect(seen["headers"]?["Content-Length"] == nil)
            }
        }
    }

    @Test func `--chunked sends standard input while it is read`() async throws {
        try await FaultServer.run([.readHead, .respond(body: "")]) { server in
            let run = try Conversation(server.baseURL, "--chunked", "@-", "-i")
            // The response comes although the input has no end yet.
            try run.write("a part")
            #expect(await run.read() == "HTTP/1.1 200 Scripted")
            #expect(try await run.finish() == 0)
        }
    }

    @Test func `--chunked sends what is written to a named pipe`() async throws {
        try await withDirectory { folder in
            let path = folder.appending(path: "pipe").path
            // mkfifo reads the path only during the call, for which Swift keeps the C string alive.
            let result = unsafe mkfifo(path, 0o600)
            try #require(result == 0)
            try await FaultServer.run(Self.anything) { server in
                async let run = Command.run(server.baseURL, "--chunked", "@\(path)")
                await withCheckedContinuation { continuation in
                    DispatchQueue(label: "pipe").async {
                        // Opening a pipe for writing waits until the command opens it for reading.
                        let pipe = FileHandle(forWritingAtPath: path)
                        try? pipe?.write(contentsOf: Data("through a pipe".utf8))
                        try? pipe?.close()
                        continuation.resume()
                    }
                }
                let output = try await run
                #expect(output.status == 0, "\(output.errors)")
                #expect(server.requests.first?.bodyText == "through a pipe")
            }
        }
    }

    @Test func `--raw may begin with a dash, and is not read from standard input`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let output = try await Command.run([server.baseURL, "--raw", "-1 é"], input: "piped")
            #expect(output.status == 0, "\(output.errors)")
            #expect(server.requests.first?.method == "POST")
            #expect(server.requests.first?.bodyText == "-1 é")
        }
    }
}
