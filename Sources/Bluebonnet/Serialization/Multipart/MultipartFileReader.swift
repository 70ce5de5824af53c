import NIOCore

/// Reads a file in blocks, on threads that may block. The file is opened with the first block and closed with the reader.
final class MultipartFileReader: MultipartReader {
    private let path: String
    private var file: SystemFile?

    init(path: String) {
        self.path = path
    }

    func next(upTo count: Int) async throws -> ByteBuffer? {
        let (path, opened) = (path, file)
        let (file, block) = try await BlockingThreads.files.run {
            let file = try opened ?? SystemFile(reading: path)
            return (file, try file.read(upTo: count))
        }
        self.file = file
        return block
    }
}
