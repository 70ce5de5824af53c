import NIOCore
import Synchronization

extension RequestBody {
    /// The bytes of this body from a position on, as a body that can be sent again.
    ///
    /// A file is read from there; a body that is produced is produced from its beginning, and the
    /// bytes before the position are dropped.
    ///
    /// - Parameters:
    ///   - start: The first byte, from 0; at most ``length``.
    ///   - count: The number of bytes, where it is not all the rest. Default: all the rest.
    /// - Returns: The body.
    func part(from start: Int, count: Int? = nil) -> RequestBody {
        let rest = length.map { $0 - start }
        let length = count ?? rest
        switch storage {
        case .bytes(let bytes):
            let first = bytes.readerIndex + start
            return RequestBody(.bytes(bytes.getSlice(at: first, length: length ?? 0) ?? ByteBuffer()))
        case .file(let path, let whole):
            let range = start..<(start + (length ?? 0))
            return RequestBody(
                .produced(length: range.count, isReplayable: true) { sink in
                    try await Self.produceFile(at: path, length: whole, range, sink)
                }
            )
        case .produced(_, let isReplayable, let produce):
            return RequestBody(
                .produced(length: length, isReplayable: isReplayable) { sink in
                    let window = Window(skipping: start, taking: count)
                    do {
                        try await produce(window.around(sink))
                    } catch is Window.Complete {}
                }
            )
        }
    }

    /// Lets a part of the bytes through that come one after the other.
    private final class Window: Sendable {
        /// All of the part has come through.
        struct Complete: Error {}

        private let state: Mutex<(skip: Int, take: Int?)>

        init(skipping skip: Int, taking take: Int?) {
            state = Mutex((skip, take))
        }

        func around(_ sink: Sink) -> Sink {
            var result = Sink.bytes { piece in
                var piece = piece
                let range = try self.part(of: piece.readableBytes)
                piece.moveReaderIndex(forwardBy: range.lowerBound)
                if let part = piece.readSlice(length: range.count), !range.isEmpty { try await sink(part) }
            }
            if let take = sink.takeFile {
                result.takeFile = { part in
                    let range = try self.part(of: part.count)
                    if !range.isEmpty { try await take(part.part(range)) }
                }
            }
            return result
        }

        private func part(of count: Int) throws -> Range<Int> {
            try state.withLock { state in
                if state.take == 0 { throw Complete() }
                let skipped = min(state.skip, count)
                let taken = min(count - skipped, state.take ?? .max)
                state.skip -= skipped
                state.take = state.take.map { $0 - taken }
                return skipped..<(skipped + taken)
            }
        }
    }
}
