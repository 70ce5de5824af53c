import FoundationEssentials
import NIOCore

/// The destination of a body that is written block by block, on threads that may block.
struct FileOutput: Sendable {
    /// Writes blocks, for as long as they are wanted.
    typealias Write = @Sendable (_ blocks: [ByteBuffer], _ isWanted: () -> Bool) throws -> Void

    private let write: Write
    /// Whether it is a regular file. A write to a pipe or a device may block for ever.
    let isRegular: Bool
    /// Called with the number of bytes of each list of blocks that was written; the next one is
    /// written when it returns.
    var didWrite: (@Sendable (Int) async throws -> Void)?

    /// Makes the output of an open file.
    init(_ file: SystemFile, isRegular: Bool = true) {
        self.init(isRegular: isRegular) { blocks, isWanted in try file.write(blocks, while: isWanted) }
    }

    /// Makes an output of a closure, which is called for one list of blocks at a time.
    init(isRegular: Bool = true, _ write: @escaping Write) {
        self.write = write
        self.isRegular = isRegular
    }

    /// An output that also calls a closure with the blocks that were written.
    func observed(by observe: @escaping @Sendable ([ByteBuffer]) -> Void) -> FileOutput {
        var output = FileOutput(isRegular: isRegular) { [write] blocks, isWanted in
            try write(blocks, isWanted)
            observe(blocks)
        }
        output.didWrite = didWrite
        return output
    }

    /// Opens a destination and hands it to the closure that writes.
    ///
    /// For a file this is a temporary one beside the destination, which takes its name when the
    /// work is done, and is removed when it fails. A device, a pipe or a symbolic link is
    /// written to directly.
    ///
    /// - Throws: What the work throws, ``NetworkingError/Code/outputFailed`` for a file that must
    ///   not be replaced, and errors that ``failure(_:of:)`` translates.
    static func write<Output>(
        to destination: String,
        overwrites: Bool,
        _ work: (FileOutput) async throws -> Output
    ) async throws -> Output {
        let threads = BlockingThreads.files
        let usesTemporaryFile = try await threads.run {
            if overwrites { return AtomicFile.canReplace(destination) }
            guard !FileManager.default.fileExists(atPath: destination) else {
                throw NetworkingError(.outputFailed, "The file \(destination) exists already.")
            }
            return true
        }
        guard usesTemporaryFile else {
            let file = try await BlockingThreads.pipes.runUntilCancelled { isWanted in
                try SystemFile(writing: destination, while: isWanted)
            }
            return try await work(FileOutput(file, isRegular: file.isRegular))
        }
        let file = try await threads.run { try AtomicFile(for: destination) }
        do {
            let output = try await work(FileOutput(file.part))
            try await threads.run { try file.commit(replaces: overwrites) }
            return output
        } catch {
            try? await threads.runEvenIfCancelled { file.discard() }
            throw error
        }
    }

    /// The path of a URL that is written to.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - subject: What is written, for the error.
    /// - Returns: The path.
    /// - Throws: ``NetworkingError/Code/outputFailed`` for any other URL, and for one of another
    ///   machine.
    static func path(of url: URL, for subject: String) throws(NetworkingError) -> String {
        let name = url.redactedDescription
        guard url.isFileURL else {
            throw NetworkingError(
                .outputFailed,
                "Expected URL to be a file URL: \(subject) cannot be written to \(name)."
            )
        }
        guard url.isOnThisMachine else {
            throw NetworkingError(
                .outputFailed,
                "\(name) is a file of another machine: \(subject) cannot be written there."
            )
        }
        return url.path(percentEncoded: false)
    }

    /// Returns when the blocks have been taken, or the task was cancelled.
    func write(_ blocks: [ByteBuffer]) async throws {
        if isRegular {
            try await BlockingThreads.files.run { [write] in try write(blocks, { true }) }
        } else {
            try await BlockingThreads.pipes.runUntilCancelled { [write] isWanted in
                try write(blocks, isWanted)
            }
        }
    }

    /// Writes to a regular file on the thread it is called on, which has to be one that may block.
    func writeHere(_ blocks: [ByteBuffer]) throws {
        try Task.checkCancellation()
        try write(blocks, { true })
    }

    /// The error for the user. The subject, which begins the sentence, is what was to be written.
    static func failure(_ error: any Error, of subject: String) -> NetworkingError {
        switch error {
        case let error as NetworkingError: error
        case is CancellationError:
            NetworkingError(.cancelled, "\(subject) was not written: the task was cancelled.", underlying: error)
        default: NetworkingError(.outputFailed, "\(subject) could not be written: \(error)", underlying: error)
        }
    }
}
