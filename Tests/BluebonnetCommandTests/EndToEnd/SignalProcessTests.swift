import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(1))) struct SignalProcessTests {
    private let half: FaultServer.Script = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .stall,
    ]

    init() {
        // A test run in the background of a script ignores it, and what it starts would too.
        signal(SIGINT, SIG_DFL)
    }

    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "signal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private func names(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
    }

    /// Returns when the half file is there.
    private func waitForFile(in directory: URL) async throws {
        while try names(in: directory).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal during -o leaves nothing behind`(signal: Int32) async throws {
        try await withDirectory { directory in
            try await FaultServer.run(half) { server in
                let run = try Conversation("get", server.baseURL, "-o", directory.appending(path: "file").path)
                try await waitForFile(in: directory)
                #expect(await run.end(with: signal) == signal)
                #expect(try names(in: directory).isEmpty)
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal during a batch leaves nothing behind`(signal: Int32) async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "done")] }) { quick in
                try await FaultServer.run(half) { server in
                    let run = try Conversation("batch")
                    let file = directory.appending(path: "file").path
                    try run.write(#"{"url":"\#(quick.baseURL)"}"#)
                    #expect(await run.read()?.contains("done") == true)
                    try run.write(#"{"url":"\#(server.baseURL)","output":"\#(file)"}"#)
                    try await waitForFile(in: directory)
                    #expect(await run.end(with: signal) == signal)
                    // What was under way is not answered.
                    #expect(await run.read() == nil)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a batch whose reader has left leaves nothing behind`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "done")] }) { quick in
                try await FaultServer.run(half) { server in
                    let process = Command.process(["batch"])
                    let (input, output) = (Pipe(), Pipe())
                    process.standardInput = input
                    process.standardOutput = output
                    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
                    process.terminationHandler = { end.yield($0.terminationStatus) }
                    try process.run()
                    let file = directory.appending(path: "file").path
                    let lines = [
                        #"{"url":"\#(server.baseURL)","output":"\#(file)"}"#, #"{"url":"\#(quick.baseURL)"}"#,
                    ]
                    try input.fileHandleForWriting.write(contentsOf: Data("\(lines[0])\n".utf8))
                    try await waitForFile(in: directory)
                    try output.fileHandleForReading.close()
                    // Twice: the second answer finds the reader gone, too.
                    try input.fileHandleForWriting.write(contentsOf: Data("\(lines[1])\n\(lines[1])\n".utf8))
                    #expect(await ends.first { _ in true } == SIGPIPE)
                    #expect(try names(in: directory).isEmpty)
                    try input.fileHandleForWriting.close()
                }
            }
        }
    }

    @Test func `a batch whose answers cannot be written leaves nothing behind`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "done")] }) { quick in
                try await FaultServer.run(half) { server in
                    let process = Command.process(["batch"])
                    let (input, errors) = (Pipe(), Pipe())
                    process.standardInput = input
                    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
                    process.standardError = errors
                    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
                    process.terminationHandler = { end.yield($0.terminationStatus) }
                    try process.run()
                    let file = directory.appending(path: "file").path
                    let lines = [
                        #"{"url":"\#(server.baseURL)","output":"\#(file)"}"#, #"{"url":"\#(quick.baseURL)"}"#,
                    ]
                    try input.fileHandleForWriting.write(contentsOf: Data("\(lines[0])\n".utf8))
                    try await waitForFile(in: directory)
                    try input.fileHandleForWriting.write(contentsOf: Data("\(lines[1])\n\(lines[1])\n".utf8))
                    #expect(await ends.first { _ in true } == 1)
                    #expect(try names(in: directory).isEmpty)
                    try input.fileHandleForWriting.close()
                    let said = try errors.fileHandleForReading.readToEnd() ?? Data()
                    let lineCount = String(decoding: said, as: UTF8.self).split(separator: "\n").count
                    #expect(lineCount == 1, "\(String(decoding: said, as: UTF8.self))")
                }
            }
        }
    }

    @Test func `a signal that is ignored stays ignored`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .hold(gate), .send("world"),
        ]
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let file = directory.appending(path: "file")
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                let command = "trap '' HUP; exec '\(Command.executable.path)' get \(server.baseURL) -o '\(file.path)'"
                process.arguments = ["-c", command]
                let (ends, end) = AsyncStream.makeStream(of: Int32.self)
                process.terminationHandler = { end.yield($0.terminationStatus) }
                try process.run()
                try await waitForFile(in: directory)
                kill(process.processIdentifier, SIGHUP)
                gate.open()
                #expect(await ends.first { _ in true } == 0)
                #expect(try String(contentsOf: file, encoding: .utf8) == "helloworld")
            }
        }
    }
}
