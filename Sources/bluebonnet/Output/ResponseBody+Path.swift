import Bluebonnet
import FoundationEssentials

extension ResponseBody {
    /// Writes the body to what a path leads to: a file is replaced when the body is complete, a device or a pipe is written to.
    ///
    /// - Parameter path: The path.
    /// - Returns: The number of bytes written.
    /// - Throws: `NetworkingError`.
    @discardableResult
    func write(toPath path: String) async throws -> Int {
        switch FileKind(path: path) {
        case .missing, .regular:
            return try await write(to: URL(filePath: path))
        case .directory:
            throw NetworkingError(.outputFailed, "\(path) is a directory.")
        case .special:
            // A pipe may block, and the caller may be on an event loop.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await write(toSpecial: path) }
        }
    }

    @concurrent
    private func write(toSpecial path: String) async throws -> Int {
        do {
            let file = try OutputFile(path: path)
            var count = 0
            for try await piece in self {
                try file.write(piece)
                count += piece.count
            }
            return count
        } catch let failure as SystemFailure {
            throw NetworkingError(.outputFailed, "The response could not be written: \(failure)", underlying: failure)
        }
    }
}
