import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// Bodies that a request saves as a file.
@Suite(.timeLimit(.minutes(5))) struct SavedBodyProcessTests {
    private func text(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    @Test func `-O takes the name of the header or of the URL, and another one where it is taken`() async throws {
        let script = FaultServer.Script.requests { request in
            let named = [("Content-Disposition", "attachment; filename=\"report.txt\"")]
            return [.respond(headers: request.target == "/named" ? named : [], body: request.target)]
        }
        try await withDirectory { folder in
            try await FaultServer.run(script) { server in
                for (path, name) in [
                    ("/a/file.bin?x=1", "file.bin"), ("/named", "report.txt"), ("/named", "report 2.txt"),
                ] {
                    let output = try await Command.run(["get", server.baseURL + path, "-O"], in: folder)
                    #expect(output.status == 0 && output.text == "", "\(output.errors)")
                    // What is saved makes no lines in a pipe.
                    #expect(output.errors == "")
                    #expect(try text(name, in: folder) == path)
                }
                let posted = try await Command.run([server.baseURL + "/posted", "a=1", "--download"], in: folder)
                #expect(posted.status == 0, "\(posted.errors)")
                #expect(server.requests.last?.method == "POST")
                #expect(try names(in: folder) == ["file.bin", "posted", "report 2.txt", "report.txt"])
            }
        }
    }

    @Test func `an error status is not saved with -O`() async throws {
        try await withDirectory { folder in
            try await FaultServer.run([.readRequest, .respond(404, body: "gone")]) { server in
                let output = try await Command.run(["get", server.baseURL + "/x", "-O"], in: folder)
                #expect(output.status == 4)
                #expect(output.errors.contains("404 Scripted"), "\(output.errors)")
                #expect(try names(in: folder).isEmpty)
            }
        }
    }

    @Test func `--continue takes up what a lost connection has left, and a whole file is not fetched again`()
        async throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\n\r\n"
        let rest =
            "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nETag: \"1\"\r\nContent-Range: bytes 6-9/10\r\n\r\n6789"
        let script = FaultServer.Script.connections([
            [.readRequest, .send(head + "012345"), .close], [.readRequest, .send(rest), .close],
            [.readRequest, .send(head + "0123456789"), .close],
        ])
        try await withDirectory { folder in
            try await FaultServer.run(script) { server in
                let arguments = ["get", server.baseURL + "/file", "-o", "saved", "--continue"]
                let first = try await Command.run(arguments, in: folder)
                #expect(first.status == 1)
                #expect(first.errors.contains("6 B are kept for --continue."), "\(first.errors)")
                #expect(try names(in: folder) == ["saved.bluebonnet"])
                let second = try await Command.run(arguments, in: folder)
                #expect(second.status == 0 && second.errors == "", "\(second.errors)")
                #expect(server.requests[1].value(of: "range") == "bytes=6-")
                #expect(try text("saved", in: folder) == "0123456789")
                #expect(try names(in: folder) == ["saved"])
                let third = try await Command.run(arguments, in: folder)
                #expect(third.status == 0, "\(third.errors)")
                #expect(try text("saved", in: folder) == "0123456789")
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal keeps the partial file that --continue takes up`(number: Int32) async throws {
        // A shell starts background jobs with SIGINT ignored, and child processes inherit that.
        signal(SIGINT, SIG_DFL)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: \"1\"\r\n\r\n"
        let script = FaultServer.Script.requests { request in
            guard request.value(of: "range") == "bytes=6-" else { return [.send(head + "012345"), .stall] }
            return [.respond(206, headers: [("ETag", "\"1\""), ("Content-Range", "bytes 6-9/10")], body: "6789")]
        }
        try await withDirectory { folder in
            try await FaultServer.run(script) { server in
                let arguments = ["get", server.baseURL + "/file", "-O", "--continue"]
                let process = Command.process(arguments)
                process.currentDirectoryURL = folder
                process.standardError = FileHandle.nullDevice
                let status = try process.start()
                let partial = folder.appending(path: "file.bluebonnet").path
                try await until("the partial file has six bytes") {
                    let attributes = try? FileManager.default.attributesOfItem(atPath: partial)
                    return attributes?[.size] as? Int == 6
                }
                kill(process.processIdentifier, number)
                #expect(await status.value == number)
                #expect(try names(in: folder) == ["file.bluebonnet"])
                let output = try await Command.run(arguments, in: folder)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try text("file", in: folder) == "0123456789")
            }
        }
    }

    @Test func `nothing is sent where the file of -o cannot be made`() async throws {
        try await withDirectory { folder in
            try await FaultServer.run([.readRequest, .respond(body: "x")]) { server in
                for (path, reason) in [("no/folder", "No such file or directory"), (".", "Is a directory")] {
                    let output = try await Command.run(["post", server.baseURL, "a=1", "-o", path], in: folder)
                    #expect(output.status == 2)
                    #expect(output.errors.contains("\(path): \(reason)"), "\(output.errors)")
                }
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ["--continue"], ["--continue", "-o", "-"], ["-O", "-o", "x"], ["-O", "--filter", "a"], ["-O", "-i"],
        ["-O", "--all"], ["-O", "--print=h"], ["--continue", "-O", "a=1"],
    ])
    func `options that cannot be used together are a mistake`(options: [String]) async throws {
        let output = try await Command.run(["http://127.0.0.1:1/x"] + options)
        #expect(output.status == 2, "\(output.errors)")
    }
}
