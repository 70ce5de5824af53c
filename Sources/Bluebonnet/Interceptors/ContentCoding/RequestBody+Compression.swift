import NIOCore
import Synchronization

extension RequestBody {
    /// The body with a content coding: applied at once to bytes in memory, which then have a known
    /// length; applied to other bodies while they are sent, which then have none. Can be sent again
    /// if the body could.
    func compressed(_ format: Deflater.Format, level: Int) throws -> RequestBody {
        if case .bytes(let bytes) = storage {
            let deflater = try Deflater(format, level: level)
            var result = try deflater.compress(bytes)
            var rest = try deflater.finish()
            result.writeBuffer(&rest)
            var body = RequestBody(.bytes(result))
            body.trailers = trailers
            return body
        }
        var body = RequestBody(
            .produced(length: nil, isReplayable: isReplayable) { sink in
                let compression = try StreamedCompression(format, level: level, length: length)
                try await produce(
                    .bytes { piece in
                        let block = try compression.compress(piece)
                        if block.readableBytes > 0 { try await sink(block) }
                    }
                )
                try await sink(try compression.finish())
            },
            files: files
        )
        body.use = use
        body.trailers = trailers
        return body
    }
}

/// The compression of one sending of a body. One producer at a time; the lock is for producers that
/// change threads.
private final class StreamedCompression: Sendable {
    private struct State {
        let deflater: Deflater
        var count = 0
    }

    private let state: Mutex<State>
    /// The declared length of the source, which cannot be checked behind the compression.
    private let length: Int?

    init(_ format: Deflater.Format, level: Int, length: Int?) throws {
        state = Mutex(State(deflater: try Deflater(format, level: level)))
        self.length = length
    }

    func compress(_ piece: ByteBuffer) throws -> ByteBuffer {
        try state.withLock { state in
            state.count += piece.readableBytes
            if let length, state.count > length { throw RequestBodyLengthMismatch.more(than: length) }
            return try state.deflater.compress(piece)
        }
    }

    func finish() throws -> ByteBuffer {
        try state.withLock { state in
            if let length, state.count < length { throw RequestBodyLengthMismatch.only(state.count, of: length) }
            return try state.deflater.finish()
        }
    }
}
