import Foundation
import Synchronization
import Testing

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
            // Kept by `Process` otherwise, as long as the test program runs.
            try? standardOutput.fileHandleForReading.close()
            chunk.finish()
        }
    }

    /// The text that was shown so far.
    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    /// The screen of a terminal that has shown this text.
    ///
    /// - Parameter columns: The width of its window. It may be wider than that of the command, for
    ///   lines that are longer than this.
    /// - Returns: The screen.
    func screen(columns: Int = 100) -> Screen {
        var screen = Screen(columns: columns)
        screen.receive(text.utf8)
        return screen
    }

    /// Waits until a text was shown or the command has ended.
    func wait(for text: String) async {
        await wait { $0.contains(text) }
    }

    /// Waits until what was shown so far fulfils a condition, or the command has ended.
    func wait(until condition: (String) -> Bool) async {
        while !condition(text) {
            guard let chunk = await chunks.first(where: { _ in true }) else { return }
            bytes.withLock { $0 += chunk }
        }
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

/// The modes of a terminal that a command changes and has to restore.
extension TerminalRun {
    /// Starts the command below a shell that shows its number, its exit status and then the modes.
    ///
    /// - Parameter arguments: The arguments of the command, in the syntax of a shell.
    /// - Throws: When `script` cannot be run.
    convenience init(showingModesAfter arguments: String) throws {
        try self.init(
            script: """
                ulimit -c 0
                sh -c 'echo "pid=$$."; exec "$0" \(arguments)' '\(Command.executable.path)'
                echo "status=$?."
                \(Self.showModes)
                """
        )
    }

    /// A command that shows the modes.
    static let showModes = #"stty -a | tr ' ;' '\n\n' | grep -xE -- '-?(echo|icanon|isig)' | tr '\n' ' '; echo ."#

    /// The modes of a terminal that shows what is typed.
    static let usualModes = "isig icanon echo ."

    /// The number of the command's process.
    func commandProcess() throws -> Int32 {
        try #require(text.firstMatch(of: /pid=([0-9]+)\./).flatMap { Int32($0.1) }, "\(text)")
    }

    /// Waits for the end, and expects an exit status and a terminal that shows what is typed.
    func expectUsualModes(behindStatus status: Int32) async throws {
        _ = try await finish()
        let end = text.replacing("\r\n", with: "\n").split(separator: "status=").last ?? ""
        #expect(end == "\(status).\n\(Self.usualModes)\n", "\(text)")
    }
}
