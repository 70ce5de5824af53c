public import FoundationEssentials
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension RequestBody {
    /// Files are read in blocks of this size, off the event loop.
    private static let blockSize = 1 << 20

    /// The contents of a file, read while they are sent and never held in memory whole. Can be sent
    /// again.
    ///
    /// Over TLS, and for a file below 1 MiB, one on another machine, one that cannot be mapped, and
    /// one of another user who does not let this one write to it, blocks are read off the event
    /// loop; otherwise the system sends from its page cache (`sendfile(2)`). A file that is written
    /// to meanwhile arrives as a mixture of old and new.
    ///
    /// - Parameter file: A file URL. The length is taken now; a file that is shorter or longer when
    ///   it is sent fails the request with ``NetworkingError/Code/requestBodyLengthMismatch``.
    /// - Returns: The body.
    /// - Throws: ``NetworkingError/Code/requestBodyFailed`` when the URL is not a file URL of this
    ///   machine, or there is no readable regular file.
    public static func file(_ file: URL) throws(NetworkingError) -> RequestBody {
        let (path, length) = try regularFile(at: file, to: "be sent", insteadOfPipe: "send")
        return RequestBody(.file(path: path, length: length))
    }

    /// The path and the size of a file that is to be read later.
    static func regularFile(
        at url: URL,
        to use: String,
        insteadOfPipe verb: String
    ) throws(NetworkingError) -> (path: String, length: Int) {
        guard url.isFileURL else {
            throw NetworkingError(
                unusableFile: "Expected URL to be a file URL",
                "Expected URL to be a file URL: \(url.redactedDescription) cannot \(use)."
            )
        }
        guard url.isOnThisMachine else {
            throw NetworkingError(
                unusableFile: nil,
                "\(url.redactedDescription) is a file of another machine and cannot \(use)."
            )
        }
        let path = url.path(percentEncoded: false)
        do {
            return (path, try SystemFile.size(of: path))
        } catch {
            let code = (error as? SystemFile.Failure)?.code
            let isMissing = code == ENOENT || code == ENOTDIR
            let message =
                switch code {
                case ENOENT, ENOTDIR: "There is no file \(path)."
                case EINVAL where path.utf8.contains(0):
                    "A path with a zero byte in it names no file and cannot \(use)."
                case EISDIR: "\(path) is a directory and cannot \(use)."
                case ESPIPE: "\(path) is not a regular file and cannot \(use); \(verb) a stream instead."
                default: "The file is not readable. \(error)"
                }
            let reason = isMissing ? "File URL not reachable." : nil
            throw NetworkingError(unusableFile: reason, message, underlying: error)
        }
    }

    /// Produces a part of a file, which has to have its declared length.
    static func produceFile(at path: String, length: Int, _ range: Range<Int>, _ sink: Sink) async throws {
        // To read one block takes no longer than to look for it in the page cache.
        if range.count >= blockSize, let take = sink.takeFile,
            try await FilePart.produce(from: path, length: length, range, take)
        {
            return
        }
        let threads = BlockingThreads.files
        let file = try await threads.run { try SystemFile(reading: path) }
        guard range != 0..<length else {
            while let block = try await threads.run({ try file.read(upTo: blockSize) }) {
                try await sink(block)
            }
            return
        }
        var position = range.lowerBound
        while position < range.upperBound {
            let most = min(blockSize, range.upperBound - position)
            let block = try await threads.run { [position] in
                let size = try file.size()
                guard size <= length else { throw RequestBodyLengthMismatch.more(than: length) }
                guard let block = try file.read(upTo: most, at: position) else {
                    throw RequestBodyLengthMismatch.only(size, of: length)
                }
                return block
            }
            position += block.readableBytes
            try await sink(block)
        }
    }
}

extension URL {
    /// Whether a file URL names no other machine (RFC 8089 §2): its path means nothing here then.
    var isOnThisMachine: Bool {
        let host = host(percentEncoded: false) ?? ""
        return host.isEmpty || host.lowercased() == "localhost"
    }
}
