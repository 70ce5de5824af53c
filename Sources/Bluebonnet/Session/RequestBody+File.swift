public import FoundationEssentials

extension RequestBody {
    /// Files are read in blocks of this size, off the event loop.
    private static let blockSize = 1 << 20

    /// The contents of a file, read while they are sent and never held in memory whole. Can be sent again.
    ///
    /// Over TLS, for a file that belongs to another user who does not let this one write to it, and for one that cannot be mapped,
    /// blocks are read off the event loop; otherwise the system sends from its page cache (`sendfile(2)`). A file that is written to
    /// meanwhile arrives as a mixture of old and new.
    ///
    /// - Parameter file: A file URL. The length is taken now; a file that is shorter or longer when it is sent fails the request
    ///   with ``NetworkingError/Code/requestBodyLengthMismatch``.
    /// - Returns: The body.
    /// - Throws: ``NetworkingError/Code/requestBodyFailed`` when the file cannot be opened.
    public static func file(_ file: URL) throws(NetworkingError) -> RequestBody {
        let path = file.path(percentEncoded: false)
        let length: Int
        do {
            length = try SystemFile.size(of: path)
        } catch {
            throw NetworkingError(.requestBodyFailed, "The file cannot be sent: \(error)", underlying: error)
        }
        return RequestBody(.file(path: path, length: length))
    }

    static func produceFile(at path: String, length: Int, _ sink: Sink) async throws {
        if let take = sink.takeFile, try await FilePart.produce(from: path, length: length, take) { return }
        let file = try SystemFile(reading: path)
        while let block = try await BlockingThreads.files.run({ try file.read(upTo: blockSize) }) {
            try await sink(block)
        }
    }
}
