#if Redis
    import Bluebonnet
    import Crypto
    import FoundationEssentials
    import Synchronization

    /// Takes a body in pieces, and appends them to a key of a temporary name. A body of one chunk
    /// goes to the server together with its record.
    final class RedisCacheWriter: CacheBodyWriter {
        private struct State {
            var hash = SHA256()
            var buffer = Data()
            /// All bytes so far.
            var count = 0
            /// Those at the server.
            var sent = 0
        }

        /// The bytes that are sent and read at once.
        static let chunkSize = 256 * 1024
        /// The seconds after which the server drops a body that nobody writes any more.
        static let partTime = 60

        private let store: RedisCacheStore
        private let part: Data
        private let state = Mutex(State())

        init(_ store: RedisCacheStore, part: Data) {
            (self.store, self.part) = (store, part)
        }

        func write(_ piece: Data) async throws {
            var rest = piece[...]
            while !rest.isEmpty {
                let (chunk, sent) = state.withLock { state -> (Data?, Int) in
                    let taken = rest.prefix(Self.chunkSize - state.buffer.count)
                    state.hash.update(data: taken)
                    state.buffer.append(taken)
                    state.count += taken.count
                    rest = rest.dropFirst(taken.count)
                    guard state.buffer.count >= Self.chunkSize else { return (nil, 0) }
                    defer { state.buffer = Data() }
                    state.sent += state.buffer.count
                    return (state.buffer, state.sent)
                }
                guard let chunk else { continue }
                guard sent <= store.bodyLimit else { throw RedisCacheStore.isTooLarge }
                try await append(chunk, total: sent)
            }
        }

        func finish(_ record: CacheRecord) async throws {
            let (buffer, count, sent, hash) = state.withLock {
                ($0.buffer, $0.count, $0.sent, Data($0.hash.finalize()))
            }
            guard count == record.byteCount, count <= store.bodyLimit else { throw RedisCacheStore.isTooLarge }
            guard sent > 0 else { return try await store.commit(record, .whole(buffer + hash)) }
            try await append(buffer + hash, total: count + hash.count)
            try await store.commit(record, .part(part))
        }

        func cancel() {
            guard state.withLock({ $0.sent > 0 }) else { return }
            let part = part
            store.pool.begin { _ = try await $0.run(RedisCommand("UNLINK", part)) }
        }

        private func append(_ chunk: Data, total: Int) async throws {
            let part = part
            let count = try await store.pool.run { connection in
                let replies = try await connection.run([
                    RedisCommand("APPEND", part, chunk), RedisCommand("EXPIRE", part, Data(Self.partTime)),
                ])
                if let error = replies.lazy.compactMap(\.error).first { throw RedisFailure(reply: error) }
                return replies.first?.integer
            }
            // The server may have dropped what was there: its memory was full, or the reader of the
            // response has paused for long. That is no fault of it, which would be told.
            guard count == total else {
                throw NetworkingError(.bodyTooLarge, "The Redis server has dropped a body that was being written.")
            }
        }
    }
#endif
