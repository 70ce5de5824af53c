import Foundation

/// A program of the system, run without blocking a thread of the tests: the servers that it talks
/// to may need it.
enum OtherProgram {
    /// Runs a program to its end, without input and output.
    ///
    /// - Returns: Its exit status.
    static func run(_ name: String, _ arguments: [String], in directory: URL? = nil) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + arguments
        process.currentDirectoryURL = directory
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
