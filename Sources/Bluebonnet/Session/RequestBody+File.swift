public import FoundationEssentials
import NIOPosix

extension RequestBody {
    /// Files are read in blocks of this size, off the event loop.
    private static let blockSize = 1 << 20

    /// The contents of a file, read while they are sent and never held in memory whole. Can be sent again.
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
        return RequestBody(
            .produced(length: length, isReplayable: true) { sink in
                let file = try SystemFile(reading: path)
                while let block = try await NIOThreadPool.singleton.runIfActive({ try file.read(upTo: blockSize) }) {
                    try await sink(block)
                }
            },
            origin: .file(path: path)
        )
    }
}
