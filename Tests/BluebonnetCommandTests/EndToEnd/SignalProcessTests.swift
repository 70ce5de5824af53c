import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

@Suite(.timeLimit(.minutes(5))) struct SignalProcessTests {
    private let half: FaultServer.Script = [
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .stall,
    ]

    init() {
        // A shell starts background jobs with SIGINT ignored, and child processes inherit that.
        signal(SIGINT, SIG_DFL)
    }

    /// Waits for the file with half of the body.
    private func waitForFile(in directory: URL) async throws {
        try await until("a file") { (try? names(in: directory).isEmpty) == false }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal during -o leaves no file behind`(signal: Int32) async throws {
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
    func `a signal during a batch leaves no file behind`(signal: Int32) async throws {
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
                    // The request that had not ended has no result.
                    #expect(await run.read() == nil)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    /// Runs a batch that downloads half a file and then receives two quick responses, whose results
    /// it cannot write. The closure is called when half of the file was written.
    private func expectNothingLeft(
        _ output: Any,
        errors: Pipe = Pipe(),
        status expected: Int32,
        whenHalf: () throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "done")] }) { quick in
                try await FaultServer.run(half) { server in
                    let process = Command.process(["batch"])
                    let input = Pipe()
                    process.standardInput = input
                    process.standardOutput = output
                    process.standardError = errors
                    let status = try process.start()
                    let file = directory.appending(path: "file").path
                    let lines = [
                        #"{"url":"\#(server.baseURL)","output":"\#(file)"}"#, #"{"url":"\#(quick.baseURL)"}"#,
                    ]
                    try input.fileHandleForWriting.write(contentsOf: Data("\(lines[0])\n".utf8))
                    try await waitForFile(in: directory)
                    try whenHalf()
                    // Two requests: the result of the second cannot be written, either.
                    try input.fileHandleForWriting.write(contentsOf: Data("\(lines[1])\n\(lines[1])\n".utf8))
                    #expect(await status.value == expected)
                    #expect(try names(in: directory).isEmpty)
                    try input.fileHandleForWriting.close()
                }
            }
        }
    }

    @Test func `a batch whose reader has closed leaves no file behind`() async throws {
        let output = Pipe()
        try await expectNothingLeft(output, status: SIGPIPE) { try output.fileHandleForReading.close() }
    }

    @Test func `a batch whose results cannot be written leaves no file behind`() async throws {
        let errors = Pipe()
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        try await expectNothingLeft(full, errors: errors, status: 1) {}
        let written = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(written.split(separator: "\n").count == 1, "\(written)")
    }

    @Test func `a signal that is ignored by the shell stays ignored`() async throws {
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
                let status = try process.start()
                try await waitForFile(in: directory)
                kill(process.processIdentifier, SIGHUP)
                gate.open()
                #expect(await status.value == 0)
                #expect(try String(contentsOf: file, encoding: .utf8) == "helloworld")
            }
        }
    }
}
