import Foundation

/// A program of the system, run to its end.
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
        process.waitUntilExit()
        return Output(status: process.terminationStatus, text: String(decoding: output, as: UTF8.self))
    }
}
