import Foundation
import LocalServer
import Synchronization
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct ContinuedDownloadTests {
    private static let whole = String(repeating: "0123456789", count: 10_000)

    init() {
        // A shell starts background jobs with SIGINT ignored, and child processes inherit that.
        signal(SIGINT, SIG_DFL)
    }

    /// Half of a file and nothing more; the other half for those who ask for it.
    private static func steps(for request: FaultServer.Request, named name: String? = nil) -> [FaultStep] {
        var fields = [("ETag", "\"1\"")]
        if let name { fields.append(("Content-Disposition", "attachment; filename=\(name)")) }
        guard request.value(of: "range") == "bytes=50000-" else {
            let head = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\(head)\r\n" + whole.prefix(50_000)), .stall]
        }
        fields.append(("Content-Range", "bytes 50000-99999/100000"))
        return [.respond(206, headers: fields, body: String(whole.dropFirst(50_000)))]
    }

    private func size(of file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    /// Starts a download and ends it by a signal when half of the file is there.
    ///
    /// - Returns: What it wrote to standard error.
    private func interrupt(_ arguments: [String], in directory: URL, file: String, with number: Int32) async throws
        -> String
    {
        let process = Command.process(["download"] + arguments)
        process.currentDirectoryURL = directory
        let errors = Pipe()
        process.standardError = errors
        let status = try process.start()
        let partial = directory.appending(path: "\(file).bluebonnet")
        try await until("half of the file") { size(of: partial) >= 50_000 }
        kill(process.processIdentifier, number)
        #expect(await status.value == number)
        #expect(process.terminationReason == .uncaughtSignal)
        return String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
    func `an interrupted download is taken up by --continue`(number: Int32) async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { Self.steps(for: $0) }) { server in
                let url = server.baseURL + "/file"
                let errors = try await interrupt([url], in: directory, file: "file", with: number)
                #expect(try names(in: directory) == ["file.bluebonnet"])
                let told = "bluebonnet: Interrupted: the partial file is kept for --continue.\n"
                if number != SIGKILL { #expect(errors.hasSuffix(told), "\(errors)") }
                let output = try await Command.run(["download", url, "--continue"], in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try names(in: directory) == ["file"])
                #expect(try String(contentsOf: directory.appending(path: "file"), encoding: .utf8) == Self.whole)
                #expect(server.requests.last?.value(of: "range") == "bytes=50000-")
                #expect(output.errors.contains(": continued at 50 kB\n"))
                #expect(output.errors.contains(": file: 100 kB, of which 50 kB in "))
            }
        }
    }

    @Test func `--continue finds the partial file of a name that only the response has`() async throws {
        let script = FaultServer.Script.requests { Self.steps(for: $0, named: "named.iso") }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let arguments = [server.baseURL + "/latest", "-d", "sub"]
                let sub = directory.appending(path: "sub")
                _ = try await interrupt(arguments, in: directory, file: "sub/named.iso", with: SIGKILL)
                let output = try await Command.run(["download", "-c"] + arguments, in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try names(in: sub) == ["named.iso"])
                #expect(server.requests.count == 2)
            }
        }
    }

    @Test func `a list that was interrupted is continued, and whole files are not received again`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.target == "/quick" else { return Self.steps(for: request) }
            return [.respond(headers: [("ETag", "\"q\"")], body: "quick")]
        }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let arguments = ["\(server.baseURL)/quick", "\(server.baseURL)/slow", "-j", "1"]
                let errors = try await interrupt(arguments, in: directory, file: "slow", with: SIGTERM)
                #expect(errors.contains("1 of 2 files are complete, 1 is kept for --continue."), "\(errors)")
                let output = try await Command.run(["download", "-c"] + arguments, in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try names(in: directory) == ["quick", "slow"])
                #expect(output.errors.contains(": quick: 5 B, there already\n"))
                #expect(output.errors.contains("2 files: 100 kB, of which 50 kB in "))
            }
        }
    }

    @Test func `one of two downloads of a URL gets its partial file, and --unique saves both`() async throws {
        let isContinued = Atomic(false)
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            let isPart = request.value(of: "range") != nil
            if isPart { gate.open() }
            guard isContinued.load(ordering: .relaxed), !isPart else { return Self.steps(for: request) }
            // Not before the other one has the partial file.
            return [.hold(gate), .respond(headers: [("ETag", "\"1\"")], body: Self.whole)]
        }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let url = server.baseURL + "/file"
                _ = try await interrupt([url], in: directory, file: "file", with: SIGTERM)
                isContinued.store(true, ordering: .relaxed)
                let arguments = ["download", "-c", "--unique", "-j", "2", url, url]
                let output = try await Command.run(arguments, in: directory)
                #expect(output.status == 0, "\(output.errors)")
                #expect(try names(in: directory) == ["file", "file 2"])
                for name in ["file", "file 2"] {
                    let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
                    #expect(text == Self.whole)
                }
                #expect(server.requests.dropFirst().compactMap { $0.value(of: "range") } == ["bytes=50000-"])
            }
        }
    }

    @Test func `a file of another size is not taken for the whole one`() async throws {
        try await withDirectory { directory in
            try Data("half".utf8).write(to: directory.appending(path: "file"))
            try await FaultServer.run(.requests { _ in [.respond(body: "whole file")] }) { server in
                let output = try await Command.run(["download", "-c", server.baseURL + "/file"], in: directory)
                #expect(output.status == 1)
                #expect(output.errors.contains("File exists"))
                #expect(try String(contentsOf: directory.appending(path: "file"), encoding: .utf8) == "half")
            }
        }
    }

    @Test func `a whole file is known also by its first part, and by its checksum`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.value(of: "range") == "bytes=0-4194303" else { return [.respond(body: "abc")] }
            return [.respond(206, headers: [("ETag", "\"1\""), ("Content-Range", "bytes 0-2/3")], body: "abc")]
        }
        let digest = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let other = "sha256:" + String(repeating: "0", count: 64)
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            try await FaultServer.run(script) { server in
                let arguments = ["download", "-c", server.baseURL + "/file"]
                for options in [[], ["--checksum", digest]] {
                    for segments in ["1", "4"] {
                        try Data("abc".utf8).write(to: file)
                        let again = arguments + options + ["--segments", segments]
                        let output = try await Command.run(again, in: directory)
                        #expect(output.status == 0, "\(output.errors)")
                        #expect(output.errors.contains(": file: 3 B, there already\n"), "\(output.errors)")
                        try Data("ab".utf8).write(to: file)
                        #expect(try await Command.run(again, in: directory).status == 1)
                        #expect(try names(in: directory) == ["file"])
                    }
                }
                try Data("abc".utf8).write(to: file)
                let refused = try await Command.run(arguments + ["--checksum", other], in: directory)
                #expect(refused.status == 1)
                #expect(refused.errors.contains("file has another digest"), "\(refused.errors)")
                #expect(try String(contentsOf: file, encoding: .utf8) == "abc")
            }
        }
    }

    @Test func `a file whose size the server does not tell is not taken for the whole one`() async throws {
        try await withDirectory { directory in
            try Data("half".utf8).write(to: directory.appending(path: "file"))
            let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n\r\n"
            try await FaultServer.run(.requests { _ in [.send(chunked)] }) { server in
                let output = try await Command.run(["download", "-c", server.baseURL + "/file"], in: directory)
                #expect(output.status == 1 && output.errors.contains("File exists"))
            }
        }
    }

    @Test func `a lost connection keeps what was received, and says so`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nETag: \"1\"\r\n\r\n"
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .send(head + Self.whole.prefix(50_000)), .close]) { server in
                let output = try await Command.run(["download", server.baseURL + "/file"], in: directory)
                #expect(output.status == 1)
                #expect(output.errors.contains(". 50 kB are kept for --continue.\n"), "\(output.errors)")
                #expect(try names(in: directory) == ["file.bluebonnet"])
            }
        }
    }
}
