import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct UploadProcessTests {
    private static let echo = FaultServer.Script.requests { request in
        [.respond(headers: [("Content-Type", "application/json")], body: #"{"path":"\#(request.target)"}"# + "\n")]
    }

    private func write(_ names: [String], in directory: URL) throws {
        for name in names { try Data("contents of \(name)".utf8).write(to: directory.appending(path: name)) }
    }

    @Test func `a file is the body of a PUT with its media type, and the response is shown`() async throws {
        try await withDirectory { directory in
            try write(["photo.png"], in: directory)
            try await FaultServer.run(Self.echo) { server in
                let arguments = ["upload", "photo.png", server.baseURL + "/x", "-H", "X-A:1", "-a", "ada:pw"]
                let output = try await Command.run(arguments, in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(output.text == "{\"path\":\"/x\"}\n")
                #expect(output.errors.hasPrefix("photo.png: started\nphoto.png: 21 B in "))
                let request = server.requests[0]
                #expect(request.requestLine == "PUT /x HTTP/1.1")
                #expect(request.bodyText == "contents of photo.png")
                #expect(request.value(of: "content-type") == "image/png")
                #expect(request.value(of: "content-length") == "21")
                #expect(request.value(of: "x-a") == "1")
                #expect(request.value(of: "authorization") == "Basic YWRhOnB3")
            }
        }
    }

    @Test func `with --json-errors a failure is a line of JSON`() async throws {
        try await withDirectory { directory in
            try write(["a"], in: directory)
            for (script, code, status) in [
                (FaultServer.Script.requests { _ in [.respond(503, body: "busy")] }, "unacceptable-status-code", 5),
                (.requests { _ in [.close] }, "connection-lost", 1),
            ] {
                try await FaultServer.run(script) { server in
                    let arguments = ["upload", "a", server.baseURL + "/a", "--json-errors", "-q", "--no-resume"]
                    let output = try await Command.run(arguments, in: directory)
                    let report = try JSONValue(parsing: output.errors)
                    #expect(report["error"]?["code"]?.string == code, "\(output)")
                    #expect(report["exitStatus"] == JSONValue(status) && Int(output.status) == status, "\(output)")
                }
            }
        }
    }

    @Test func `the names of several files are put behind a URL that ends with a slash`() async throws {
        try await withDirectory { directory in
            let files = ["a.txt", "b c.txt", "d=e.txt"]
            try write(files, in: directory)
            try await FaultServer.run(Self.echo) { server in
                let output = try await Command.run(["upload"] + files + [server.baseURL + "/in/?q=1"], in: directory)
                #expect(output.status == 0, "\(output.errors)")
                let targets = server.requests.map(\.target).sorted()
                #expect(targets == ["/in/a.txt?q=1", "/in/b%20c.txt?q=1", "/in/d=e.txt?q=1"])
                #expect(output.text.split(separator: "\n").count == 3)
                #expect(output.errors.contains("3 uploads: 55 B in "))
                let refused = try await Command.run(["upload"] + files + [server.baseURL + "/in"], in: directory)
                #expect(refused.status == 2)
                let posted = ["upload"] + files + [server.baseURL + "/in/", "-X", "post", "-q"]
                let quiet = try await Command.run(posted, in: directory)
                #expect(quiet.errors.isEmpty)
                #expect(server.requests.suffix(3).allSatisfy { $0.requestLine == "POST /in/ HTTP/1.1" })
            }
        }
    }

    @Test func `an upload that is cut goes on, where the server supports that`() async throws {
        try await withDirectory { directory in
            let bytes = Data(repeating: 7, count: 2_000_000)
            try bytes.write(to: directory.appending(path: "movie.mp4"))
            try await ResumableUploadServer.run(.init { $0.cuts = [900_000, 300_000, 1] }) { server in
                let arguments = ["upload", "movie.mp4", server.baseURL + "/movie"]
                let output = try await Command.run(arguments, in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(output.text.contains("2000000"))
                #expect(output.errors.contains(", resumed after 3 cuts"))
                #expect(server.uploads.map(\.bytes) == [Array(bytes)])
            }
            try await ResumableUploadServer.run(.init { $0.cuts = [900_000] }) { server in
                let arguments = ["upload", "movie.mp4", server.baseURL + "/movie", "--no-resume"]
                let refused = try await Command.run(arguments, in: directory)
                #expect(refused.status != 0)
                #expect(server.requests.count == 1 && server.requests.last?.value(of: "Upload-Complete") == nil)
            }
        }
    }

    @Test func `two files with one name are not put to one URL`() async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(
                at: directory.appending(path: "b"),
                withIntermediateDirectories: false
            )
            try write(["a.txt", "b/a.txt"], in: directory)
            try await FaultServer.run(Self.echo) { server in
                let arguments = ["upload", "a.txt", "b/a.txt", server.baseURL + "/in/"]
                let output = try await Command.run(arguments, in: directory)
                #expect(output.status == 2 && output.errors.contains("Another file has the name of b/a.txt too"))
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func `--form sends all files in one multipart form`() async throws {
        try await withDirectory { directory in
            try write(["a.pdf", "b.txt"], in: directory)
            try await FaultServer.run(Self.echo) { server in
                let arguments = ["upload", "a.pdf", "b.txt", server.baseURL + "/f", "-F", "pa:per"]
                let output = try await Command.run(arguments, in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(server.requests.count == 1)
                let request = server.requests[0]
                #expect(request.method == "POST")
                #expect(request.value(of: "content-type")?.hasPrefix("multipart/form-data; boundary=") == true)
                #expect(request.bodyText.contains("name=\"pa:per\"; filename=\"a.pdf\""))
                #expect(request.bodyText.contains("name=\"pa:per\"; filename=\"b.txt\""))
                #expect(output.errors.hasPrefix("2 files: started\n"))
            }
        }
    }

    @Test func `the body of a refused upload is shown, and the status decides the exit status`() async throws {
        try await withDirectory { directory in
            try write(["a.txt"], in: directory)
            try await FaultServer.run(.requests { _ in [.respond(413, body: "too large")] }) { server in
                let output = try await Command.run(["upload", "a.txt", server.baseURL + "/x"], in: directory)
                #expect(output.status == 4)
                #expect(output.text == "too large")
                #expect(output.errors.hasSuffix("bluebonnet: a.txt: 413 Scripted\n"))
            }
            let url = "http://127.0.0.1:\(FaultServer.unusedPort)/x"
            let lost = try await Command.run(["upload", "a.txt", url], in: directory)
            #expect(lost.status == 1)
            #expect(lost.errors.contains("bluebonnet: a.txt: 127.0.0.1:"))
        }
    }

    @Test(arguments: [
        ["f"], ["/no/such/file", "h/x"], ["-", "h/x"], ["/tmp", "h/x"], ["f", "h/x", "-F", ""],
        ["f", "h", "-X", "get"],
    ])
    func `bad usage is told before anything is sent`(arguments: [String]) async throws {
        let output = try await Command.run(["upload"] + arguments)
        #expect(output.status == 2, "\(output.errors)")
        #expect(!output.errors.isEmpty)
    }
}
