import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

extension Pipe {
    /// The bytes that were written and not read yet.
    fileprivate var waitingBytes: Int {
        get throws {
            var count: Int32 = 0
            // The system writes one number, and only while the function runs.
            let status = unsafe ioctl(fileHandleForWriting.fileDescriptor, UInt(FIONREAD), &count)
            guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            return Int(count)
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct StandardInputProcessTests {
    private static let anything = FaultServer.Script.requests { _ in [.respond(body: "")] }

    @Test(arguments: ["post", "put", "patch"])
    func `piped input is the body if no item is`(method: String) async throws {
        try await FaultServer.run(Self.anything) { server in
            let output = try await Command.run(method, server.baseURL, "X:1", "q==2", input: #"{"a":1}"#)
            #expect(output.status == 0)
            #expect(output.errors.isEmpty)
            #expect(server.requests[0].bodyText == #"{"a":1}"#)
            #expect(server.requests[0].value(of: "content-type") == "application/json")
        }
    }

    @Test(arguments: [["post", "a=1"], ["post", "--ignore-stdin"], ["post", "-I"], ["delete"], ["get"]])
    func `a pipe that never ends does not delay a command that does not need it`(arguments: [String]) async throws {
        try await FaultServer.run(Self.anything) { server in
            // The input stays open until `finish`, which is called after the response.
            let run = try Conversation([arguments[0], server.baseURL, "--include"] + arguments.dropFirst())
            #expect(await run.read() == "HTTP/1.1 200 Scripted")
            #expect(try await run.finish() == 0)
        }
    }

    @Test(arguments: [["post", "a=1"], ["post", "--raw=x"], ["get"], ["delete"]])
    func `input that is not sent is not dropped in silence`(arguments: [String]) async throws {
        try await withDirectory { folder in
            let file = folder.appending(path: "input")
            try Data("piped".utf8).write(to: file)
            try await FaultServer.run(Self.anything) { server in
                let request = [arguments[0], server.baseURL] + arguments.dropFirst()
                let output = try await Command.run(request, connecting: "<'\(file.path)'")
                #expect(output.status == 0 && output.errors.contains("Standard input is not sent."), "\(output)")
                let silent = try await Command.run(request + ["-I"], connecting: "<'\(file.path)'")
                #expect(silent.status == 0 && silent.errors.isEmpty, "\(silent)")
                #expect(!server.requests.contains { $0.bodyText.contains("piped") })
            }
        }
    }

    @Test func `empty input is not a body, and neither is /dev/null`() async throws {
        try await FaultServer.run(Self.anything) { server in
            #expect(try await Command.run("post", server.baseURL).status == 0)
            let process = Command.process(["post", server.baseURL])
            process.standardInput = FileHandle.nullDevice
            let status = try process.start()
            #expect(await status.value == 0)
            for request in server.requests {
                #expect(request.value(of: "content-length") == "0")
                #expect(request.value(of: "content-type") == nil)
            }
        }
    }

    @Test func `a file as standard input is the body`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
        try Data("from a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await FaultServer.run(Self.anything) { server in
            let process = Command.process(["put", server.baseURL, "Content-Type: text/plain"])
            process.standardInput = try FileHandle(forReadingFrom: file)
            let status = try process.start()
            #expect(await status.value == 0)
            #expect(server.requests[0].bodyText == "from a file")
            #expect(server.requests[0].value(of: "content-type") == "text/plain")
        }
    }

    @Test(arguments: [["post"], ["post", "@-"], ["post", "a=@-"], ["post", "X:@-"]])
    func `--timeout also limits the wait for piped input`(arguments: [String]) async throws {
        try await FaultServer.run(Self.anything) { server in
            let process = Command.process(
                [arguments[0], server.baseURL, "--timeout", "0.2"] + arguments.dropFirst()
            )
            let (input, errors) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardError = errors
            let status = try process.start()
            try input.fileHandleForWriting.write(contentsOf: Data("only a part".utf8))
            #expect(await status.value == 28)
            let text = try errors.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) }
            #expect(text?.hasPrefix("bluebonnet: Standard input had not been read to its end") == true)
            #expect(server.requests.isEmpty)
            try input.fileHandleForWriting.close()
        }
    }

    @Test func `--timeout also limits the reading of an input that never ends`() async throws {
        let arguments = ["post", "http://127.0.0.1:\(FaultServer.unusedPort)", "@-", "--timeout", "0.1"]
        let output = try await Command.run(arguments, connecting: "</dev/zero")
        #expect(output.status == 28)
        #expect(output.errors.hasPrefix("bluebonnet: Standard input had not been read to its end"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends a command that waits for piped input`(number: Int32) async throws {
        // A shell starts background jobs with SIGINT ignored, and child processes inherit that.
        signal(SIGINT, SIG_DFL)
        let process = Command.process(["post", "http://127.0.0.1:\(FaultServer.unusedPort)"])
        let (input, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardError = errors
        let status = try process.start()
        let line = await errors.nextText()
        #expect(line.contains("Waiting for the body on standard input"))
        kill(process.processIdentifier, number)
        #expect(await status.value == number)
        #expect(process.terminationReason == .uncaughtSignal)
        try input.fileHandleForWriting.close()
    }

    @Test(arguments: [["post"], ["batch"]])
    func `a non-blocking standard input is waited for`(arguments: [String]) async throws {
        try await FaultServer.run(Self.anything) { server in
            let isBatch = arguments[0] == "batch"
            let process = Command.process(arguments + (isBatch ? [] : [server.baseURL]))
            let input = Pipe()
            let descriptor = input.fileHandleForReading.fileDescriptor
            #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            let status = try process.start()
            let body = "a text that comes byte by byte"
            let line = isBatch ? #"{"url":"\#(server.baseURL)","method":"POST","body":"\#(body)"}"# : body
            // A byte is written when the command has taken the one before. So it reads while there
            // is nothing: if not the first time, then one of the many times after.
            for byte in line.utf8 {
                try input.fileHandleForWriting.write(contentsOf: Data([byte]))
                while process.isRunning, try input.waitingBytes > 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            try input.fileHandleForWriting.close()
            #expect(await status.value == 0)
            #expect(server.requests.first?.bodyText == body)
        }
    }

    @Test func `the command says that it waits for piped input`() async throws {
        try await FaultServer.run(Self.anything) { server in
            let process = Command.process(["post", server.baseURL])
            let (input, errors) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardError = errors
            let status = try process.start()
            let line = await errors.nextText()
            #expect(line.contains("Waiting for the body on standard input"))
            try input.fileHandleForWriting.write(contentsOf: Data("late".utf8))
            try input.fileHandleForWriting.close()
            #expect(await status.value == 0)
            #expect(server.requests[0].bodyText == "late")
        }
    }
}
