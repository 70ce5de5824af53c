public import FoundationEssentials
import NIOCore
import NIOPosix

extension ResponseBody {
    /// Blocks are written when they have grown to this size, off the event loop.
    private static let blockSize = 1 << 20

    /// Writes the body to a file while it arrives, never holding it in memory whole.
    ///
    /// The bytes go to a temporary file beside the destination, which takes its name when the body is complete, so that no
    /// half file is ever found there. A device, a pipe or a link to something is written to as it stands.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - overwrites: Whether a file that stands there is replaced. Default: true.
    /// - Returns: The number of bytes written.
    /// - Throws: ``NetworkingError/Code/outputFailed`` when the file cannot be written, and whatever ends a body early.
    @discardableResult
    public func write(to file: URL, overwrites: Bool = true) async throws -> Int {
        let destination = file.path(percentEncoded: false)
        let part = "\(destination).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        guard overwrites || !FileManager.default.fileExists(atPath: destination) else {
            throw NetworkingError(.outputFailed, "The file \(destination) exists already.")
        }
        let type = try? FileManager.default.attributesOfItem(atPath: destination)[.type] as? FileAttributeType
        if overwrites, let type, type != .typeRegular {
            let output = try await Self.blocking { try SystemFile(writing: destination) }
            return try await write(to: output)
        }
        let output = try await Self.blocking { try SystemFile(creating: part) }
        do {
            let count = try await write(to: output)
            try await Self.blocking { try output.move(to: destination, replaces: overwrites) }
            return count
        } catch {
            output.remove()
            throw error
        }
    }

    private func write(to output: SystemFile) async throws -> Int {
        var buffers = makeBuffers()
        var count = 0
        while let first = try await buffers.next() {
            var block = [first]
            var size = first.readableBytes
            while size < Self.blockSize, let more = buffers.nextIfAvailable() {
                block.append(more)
                size += more.readableBytes
            }
            let ready = block
            try await Self.blocking { try output.write(ready) }
            count += size
        }
        return count
    }

    /// Runs file work on a thread that may block.
    private static func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        do {
            return try await NIOThreadPool.singleton.runIfActive(work)
        } catch let failure as SystemFile.Failure {
            throw NetworkingError(.outputFailed, "The response could not be written: \(failure)", underlying: failure)
        }
    }
}
