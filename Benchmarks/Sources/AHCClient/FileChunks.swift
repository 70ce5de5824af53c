import BenchmarkSupport
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The bytes of a file in pieces, as AsyncHTTPClient takes a request body.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    /// The open file.
    let descriptor: Int32
    /// The number of bytes in it.
    let size: Int
    /// The size of a piece.
    let chunk: Int
    /// Whether NIO's thread pool reads the pieces, as `NonBlockingFileIO` does it.
    let onPool: Bool

    /// Opens a file.
    init(_ path: String, chunk: Int, onPool: Bool) throws {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)  // the path is copied by the call
        guard descriptor >= 0 else { throw SystemCallFailure("open \(path)", errno: errno) }
        size = Int(lseek(descriptor, 0, SEEK_END))
        self.chunk = chunk
        self.onPool = onPool
    }

    /// Reads the piece at an offset.
    func read(at offset: Int) throws -> ByteBuffer {
        let count = Swift.min(chunk, size - offset)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        // The pointer is the buffer's own memory, and pread writes at most `count` bytes to it.
        let got = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
            Swift.max(0, unsafe pread(descriptor, $0.baseAddress, count, off_t(offset)))
        }
        guard got > 0 else { throw SystemCallFailure("pread", errno: errno) }
        return buffer
    }

    /// Closes the file.
    func close() {
        #if canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #else
            _ = Darwin.close(descriptor)
        #endif
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(file: self)
    }

    /// Reads one piece after the other.
    struct Iterator: AsyncIteratorProtocol {
        private let file: FileChunks
        private var offset = 0

        init(file: FileChunks) {
            self.file = file
        }

        mutating func next() async throws -> ByteBuffer? {
            guard offset < file.size else { return nil }
            let start = offset
            let buffer =
                file.onPool
                ? try await NIOThreadPool.singleton.runIfActive { [file] in try file.read(at: start) }
                : try file.read(at: start)
            offset += buffer.readableBytes
            return buffer
        }
    }
}
