import Foundation
import Testing

/// Runs a program of the system to its end.
enum Program {
    struct Output {
        var status: Int32
        var text: String
    }

    static func run(_ name: String, _ arguments: [String], input: [UInt8] = []) throws -> Output {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let standardInput = Pipe()
        let standardOutput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardOutput
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        // Kept by `Process` otherwise, as long as the test program runs.
        try standardOutput.fileHandleForReading.close()
        process.waitUntilExit()
        return Output(status: process.terminationStatus, text: String(decoding: output, as: UTF8.self))
    }

    /// Runs a program that needs something of this process, whose tasks must go on meanwhile: the
    /// wait is on a thread of its own.
    static func runBeside(_ name: String, _ arguments: [String]) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try run(name, arguments) }) }.start()
        }
    }
}

/// Decodes gzip and zlib with Python, so that the server's use of zlib does not check itself.
enum Inflater {
    static func inflate(_ bytes: [UInt8]) throws -> String {
        let script = "import sys,zlib;sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read(),47))"
        let output = try Program.run("python3", ["-c", script], input: bytes)
        try #require(output.status == 0)
        return output.text
    }
}
