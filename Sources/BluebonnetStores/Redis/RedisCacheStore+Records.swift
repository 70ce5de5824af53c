#if Redis
    package import Bluebonnet
    import FoundationEssentials
    import Synchronization

    /// A hit that needs one way to the server: the body that was wanted the last time is
    /// asked for together with the index.
    extension RedisCacheStore: RemoteCacheStore {
        /// The largest body that is asked for before it is known to be wanted.
        private static let largestEarlyBody = 64 * 1024

        package func recordsWithBody(
            for key: String
        ) async throws -> (records: [CacheRecord], body: (identifier: UInt64, body: ResponseBody)?) {
            let now = seconds
            guard let (likely, commands) = recent.withLock({ $0.wanted(key) }),
                likely.byteCount <= Self.largestEarlyBody
            else {
                let index = keys.index(key)
                let reply = try await pool.run { try await Self.index(index, $0) }
                return (records(reply, key, at: now), nil)
            }
            let replies = try await pool.run { connection in
                let replies = try await connection.run(commands)
                if replies[0].isWrongType { _ = try await connection.run(RedisCommand("UNLINK", keys.index(key))) }
                return replies
            }
            let records = records(replies[0], key, at: now)
            guard let record = records.first(where: { $0.identifier == likely.identifier }),
                let body = replies[1].bytes.flatMap({ Self.checked($0, record) })
            else { return (records, nil) }
            return (
                records, (record.identifier, .data(body, trailers: record.trailers))
            )
        }

        /// The records of an index, those first that came last.
        private func records(_ reply: RedisReply, _ key: String, at now: Int) -> [CacheRecord] {
            if let entries = recent.withLock({ $0.entries(key, reply) }) {
                return entries.filter { $0.end > now }.map(\.record)
            }
            let entries = RedisEntry.entries(reply, key: key, at: now)
            recent.withLock { $0.note(key, reply, entries, keys) }
            return entries.map(\.record)
        }
    }
#endif
