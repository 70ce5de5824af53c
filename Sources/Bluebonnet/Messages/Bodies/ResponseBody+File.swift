public import FoundationEssentials
import NIOCore

extension ResponseBody {
    /// Blocks are written when they have grown to this size, off the event loop.
    private static let blockSize = 1 << 20

    /// Writes the body to a file while it arrives, never holding it in memory whole.
    ///
    /// The bytes go to a temporary file beside the destination, which takes its name when the body
    /// is complete, so that no half file is ever found there. A device, a pipe or a link to
    /// something is written to directly; opening a pipe waits for its reader.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - overwrites: Whether an existing file is replaced. Default: true, as everywhere in this
    ///     library: it stays as it is until the new one is complete. With false, exactly one
    ///     of several writers gets the name. A file system that knows neither `RENAME_NOREPLACE`
    ///     nor hard links shows an empty file there for a moment.
    /// - Returns: The number of bytes written.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when the file cannot be written,
    ///   ``NetworkingError/Code/cancelled`` when the task is cancelled, also while a pipe takes
    ///   nothing, and every error that ends a body early.
    @discardableResult
    public func write(to file: URL, overwrites: Bool = true) async throws(NetworkingError) -> Int {
        let path = try FileOutput.path(of: file, for: "a response")
        do {
            return try await FileOutput.write(to: path, overwrites: overwrites) { output in
                try await write(to: output)
            }
        } catch {
            throw FileOutput.failure(error, of: "The response")
        }
    }

    /// Writes the body behind what is in a file while it arrives, and returns the number of bytes.
    @discardableResult
    func write(to output: FileOutput) async throws -> Int {
        // A body that comes from a connection is read on the thread that writes it: one thread to
        // wake for each block, not three.
        guard stream != nil, output.isRegular else {
            return try await writeBlocks(to: output) { try await output.write($0) }
        }
        return try await withTaskExecutorPreference(BlockingThreads.fileExecutor) { try await writeHere(to: output) }
    }

    @concurrent private func writeHere(to output: FileOutput) async throws -> Int {
        try await writeBlocks(to: output) { block in
            try output.writeHere(block)
            // A body that never waits for its server would otherwise keep the thread to its end.
            if BlockingThreads.files.isAwaited { await Task.yield() }
        }
    }

    private func writeBlocks(
        to output: FileOutput,
        _ write: ([ByteBuffer]) async throws -> Void
    ) async throws -> Int {
        var buffers = makeBuffers()
        var count = 0
        while let first = try await buffers.next() {
            var block = [first]
            var size = first.readableBytes
            while size < Self.blockSize, let more = buffers.nextIfAvailable() {
                block.append(more)
                size += more.readableBytes
            }
            try await write(block)
            if let didWrite = output.didWrite { try await didWrite(size) }
            count += size
        }
        return count
    }
}
