#if Redis
    import Bluebonnet
    import Crypto
    import FoundationEssentials

    /// The pieces of a body as it is read from the server. The hash of a whole body is compared at
    /// its end: a body that is not what was stored ends with an error, as one that the connection
    /// cut.
    struct RedisBodyPieces: AsyncSequence, Sendable {
        typealias Element = Data

        let store: RedisCacheStore
        let record: CacheRecord
        let range: Range<Int>

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: self, position: range.lowerBound) }

        struct AsyncIterator: AsyncIteratorProtocol {
            let pieces: RedisBodyPieces
            var position: Int
            private var sum = SHA256()

            init(pieces: RedisBodyPieces, position: Int) {
                (self.pieces, self.position) = (pieces, position)
            }

            mutating func next() async throws -> Data? {
                let end = pieces.range.upperBound
                guard position < end else { return nil }
                let isWhole = pieces.range.count == pieces.record.byteCount
                let count = Swift.min(RedisCacheWriter.chunkSize, end - position)
                let isLast = position + count == end
                let read = isWhole && isLast ? count + RedisCacheStore.hashSize : count
                let bytes = try await pieces.store.read(pieces.record, position..<position + read)
                guard bytes.count == read else { throw damaged() }
                let piece = bytes.prefix(count)
                position += count
                if isWhole {
                    sum.update(data: piece)
                    if isLast, Data(sum.finalize()) != bytes.suffix(RedisCacheStore.hashSize) { throw damaged() }
                }
                return Data(piece)
            }

            private func damaged() -> NetworkingError {
                pieces.store.forget(pieces.record)
                return NetworkingError(
                    .storeFailed,
                    "The stored body of the response is damaged, or was dropped by the server; it was removed."
                )
            }
        }
    }
#endif
