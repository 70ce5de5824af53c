import Foundation

/// A running command whose input is written and whose output is read line by line.
final class Conversation: Sendable {
    private let input: FileHandle
    private let lines: AsyncStream<String>
    private let status: Task<Int32, Never>
    private let process: Int32

    /// Starts the command.
    convenience init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    /// Starts the command.
    init(_ arguments: [String]) throws {
        let process = Command.process(arguments)
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = FileHandle.nullDevice
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        status = try process.start()
        input = standardInput.fileHandleForWriting
        self.lines = lines
        self.process = process.processIdentifier
        DispatchQueue(label: "command.lines").async {
            var rest = Data()
            while true {
                let block = standardOutput.fileHandleForReading.availableData
                guard !block.isEmpty else { break }
                rest += block
                while let position = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<position], as: UTF8.self))
                    rest = Data(rest[(position + 1)...])
                }
            }
            // Kept by `Process` otherwise, as long as the test program runs.
            try? standardOutput.fileHandleForReading.close()
            continuation.finish()
        }
    }

    /// Writes a line and does not wait for output.
    func write(_ line: String) throws {
        try input.write(contentsOf: Data("\(line)\n".utf8))
    }

    /// The next line of output; nil at its end.
    func read() async -> String? {
        await lines.first { _ in true }
    }

    /// Closes the input and waits for the exit status.
    func finish() async throws -> Int32 {
        try input.close()
        return await status.value
    }

    /// Sends a signal and waits for the exit status.
    func end(with signal: Int32) async -> Int32 {
        kill(process, signal)
        return await status.value
    }
}
