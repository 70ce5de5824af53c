import Bluebonnet
import FoundationEssentials

extension ResponseBody {
    /// Writes the body to a path.
    ///
    /// A file is replaced when the body is complete. A device, a pipe or a link (`/dev/stdout`) is
    /// never replaced: the bytes are written to what it leads to, as they come.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - replaces: Whether a file that exists is replaced. Default: yes.
    /// - Returns: The number of bytes written.
    /// - Throws: `NetworkingError`.
    @discardableResult
    func write(toPath path: String, replaces: Bool = true) async throws -> Int {
        switch FileKind(path: path) {
        case .missing, .regular:
            return try await write(to: HomeFolder.file(path), overwrites: replaces)
        case .directory:
            throw NetworkingError(.outputFailed, "\(path) is a directory.")
        case .link, .special:
            // A pipe may block, and the caller may be on an event loop.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await write(through: path) }
        }
    }

    @concurrent
    private func write(through path: String) async throws -> Int {
        do {
            let file = try OutputFile(path: path)
            // These bytes are written without `Terminal`, which removes the status line.
            if file.isTerminal { Terminal.shared.endStatus() }
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
