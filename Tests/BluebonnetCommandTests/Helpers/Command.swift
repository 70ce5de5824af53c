import Foundation
import Testing

/// The built command, run as a process.
enum Command {
    /// The exit status and the output of a run.
    struct Output: Sendable {
        var status: Int32
        var bytes: Data
        var errors: String

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The built command, which is in the folder of the test program.
    static var executable: URL {
        let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        return program.deletingLastPathComponent().appending(path: "BluebonnetCommand")
    }

    /// A process that runs the command and has not been started.
    static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        return process
    }

    /// Runs the command to its end without blocking the tests' threads.
    static func run(_ arguments: String..., input: String = "") async throws -> Output {
        try await run(arguments, input: input)
    }

    /// Runs the command on a terminal that `script` makes; returns output and errors together.
    static func onTerminal(_ arguments: String, environment: String = "") async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/script")
        let command = "env -u NO_COLOR TERM=xterm \(environment) '\(executable.path)' \(arguments)"
        process.arguments = ["-qec", command, "/dev/null"]
        return try await run(process, input: "").text
    }

    /// Runs the command to its end without blocking the tests' threads.
    static func run(_ arguments: [String], input: String = "") async throws -> Output {
        try await run(process(arguments), input: input)
    }

    /// Runs the command to its end with other variables in its environment.
    static func run(_ arguments: [String], environment: [String: String]) async throws -> Output {
        let process = process(arguments)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        return try await run(process, input: "")
    }

    /// Runs the command to its end in a folder.
    static func run(_ arguments: [String], in directory: URL, input: String = "") async throws -> Output {
        let process = process(arguments)
        process.currentDirectoryURL = directory
        return try await run(process, input: input)
    }

    /// Runs the command to its end with standard streams that a shell redirects, such as `2>&-`.
    static func run(_ arguments: [String], connecting streams: String) async throws -> Output {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "exec \"$0\" \"$@\" \(streams)", executable.path] + arguments
        return try await run(process, input: "")
    }

    /// Runs a process to its end without blocking the tests' threads.
    static func run(_ process: Process, input: String = "") async throws -> Output {
        let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        process.standardError = standardError
        async let bytes = readToEnd(standardOutput)
        async let errors = readToEnd(standardError)
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
                try? standardOutput.fileHandleForWriting.close()
                try? standardError.fileHandleForWriting.close()
                return
            }
            DispatchQueue.global().async {
                try? standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
                try? standardInput.fileHandleForWriting.close()
            }
        }
        return Output(status: status, bytes: await bytes, errors: String(decoding: await errors, as: UTF8.self))
    }

    /// Reads what comes, and closes the pipe: `Process` keeps it as long as the test program runs,
    /// and reads beyond a buffer when it lists more than 1,300 descriptors.
    private static func readToEnd(_ pipe: Pipe) async -> Data {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "command.output").async {
                let data = try? pipe.fileHandleForReading.readToEnd()
                try? pipe.fileHandleForReading.close()
                continuation.resume(returning: data ?? Data())
            }
        }
    }
}

extension Process {
    /// Starts the process and returns a task that waits for its end. The value is the exit status,
    /// or the number of the signal that ended the process.
    func start() throws -> Task<Int32, Never> {
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        terminationHandler = { end.yield($0.terminationStatus) }
        try run()
        return Task { await ends.first { _ in true } ?? -1 }
    }

    /// The memory of the running process that belongs to no file, in bytes (proc_pid_status(5)).
    var ownMemory: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
            let lines = status.split(separator: "\n").filter { $0.hasPrefix("RssAnon:") || $0.hasPrefix("RssShmem:") }
            try #require(lines.count == 2)
            return lines.reduce(0) { $0 + (Int($1.filter(\.isNumber)) ?? 0) * 1024 }
        }
    }
}

extension Pipe {
    /// Waits for the next text without blocking the tests' threads; the text is empty at the end.
    func nextText() async -> String {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "pipe").async {
                continuation.resume(
                    returning: String(decoding: self.fileHandleForReading.availableData, as: UTF8.self)
                )
            }
        }
    }
}
