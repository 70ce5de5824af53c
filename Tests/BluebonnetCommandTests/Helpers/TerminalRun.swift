import Foundation
import Synchronization

/// The command on a terminal that `script` makes, whose output can be read while it runs.
final class TerminalRun: Sendable {
    private let process: Process
    private let input: FileHandle
    private let chunks: AsyncStream<Data>
    private let status: Task<Int32, Never>
    private let bytes = Mutex(Data())

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the command, in the syntax of a shell.
    ///   - columns: The width of the window.
    ///   - environment: Environment variables for the command.
    /// - Throws: When `script` cannot be run.
    convenience init(_ arguments: String, columns: Int = 100, environment: String = "") throws {
        let command = "env -u NO_COLOR TERM=xterm \(environment) '\(Command.executable.path)' \(arguments)"
        try self.init(script: "stty cols \(columns); exec \(command)")
    }

    /// Starts a shell script.
    init(script: String) throws {
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/script")
        process.arguments = ["-qec", script, "/dev/null"]
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardOutput
        let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
        status = try process.start()
        input = standardInput.fileHandleForWriting
        self.chunks = chunks
        DispatchQueue(label: "command.terminal").async {
            while true {
                let block = standardOutput.fileHandleForReading.availableData
                guard !block.isEmpty else { break }
                chunk.yield(block)
            }
            chunk.finish()
        }
    }

    /// The text that was shown so far.
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    /// Waits until a text was shown or the command has ended.
    func wait(for text: String) async {
        while !self.text.contains(text) {
            guard let chunk = await chunks.first(where: { _ in true }) else { return }
            bytes.withLock { $0 += chunk }
        }
    }

    /// Waits until more than a text was shown or the command has ended.
    func wait(forMoreThan text: String) async {
        guard self.text == text, let chunk = await chunks.first(where: { _ in true }) else { return }
        bytes.withLock { $0 += chunk }
    }

    /// Presses keys.
    func type(_ keys: String) throws {
        try input.write(contentsOf: Data(keys.utf8))
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit status, or 128 plus the number of the signal that ended the command.
    func finish() async throws -> Int32 {
        for await chunk in chunks { bytes.withLock { $0 += chunk } }
        let status = await status.value
        try input.close()
        return status
    }
}
