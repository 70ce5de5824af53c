#if Redis
    public import Bluebonnet
    import Crypto
    import FoundationEssentials
    import Synchronization

    /// A store of responses in Redis or Valkey, which processes on any number of machines share.
    ///
    /// ```
    /// let store = RedisCacheStore(RedisServer(host: "cache.example.net", prefix: "shop"))
    /// configuration.cache = HTTPCache(store: store)
    /// ```
    ///
    /// A cache in it is a shared one by default (RFC 9111 §3, §3.5): it keeps nothing that is
    /// `private`, nor responses to requests with credentials unless these allow it, since all
    /// programs with the same prefix are served from it.
    ///
    /// A response is seen by others at once and whole: its body is written under another name, and
    /// gets its own in the transaction that adds it to the index. It is compared with its SHA-256
    /// when it is read. What the server has dropped, and what is not of this library, is a miss.
    ///
    /// Everything has an expiry: a response is kept while it is fresh, and the ``staleTime`` on
    /// top, so that it can be confirmed. A body that was replaced stays for a minute, for those who
    /// read it. Give the server a `maxmemory`, and a policy such as `allkeys-lru`.
    ///
    /// When the server fails requests go on without it. It is then tried again after a second, with
    /// pauses that double up to 30 seconds; meanwhile it costs requests nothing.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public final class RedisCacheStore: CacheStore {
        /// The default of ``bodyLimit``: 64 MiB.
        public static let defaultBodyLimit = 64 << 20
        /// The largest ``bodyLimit``: 511 MiB, as much as a Redis string takes.
        public static let largestBodyLimit = 511 << 20
        /// The default of ``staleTime``: a day.
        public static let defaultStaleTime = Duration.seconds(86_400)
        /// The longest time for which a response is kept: 30 days.
        public static let longestTime = Duration.seconds(30 * 86_400)

        /// The largest body, in bytes.
        public let bodyLimit: Int

        /// The time for which a response is kept after it is stale.
        public let staleTime: Duration

        /// True: programs of several users may share it.
        public var isSharedByUsers: Bool { true }

        let pool: RedisPool
        let keys: RedisCacheKeys
        /// The leases that are being given back, by token.
        let ending = Mutex<[Data: EndingLease]>([:])
        /// What was found before, so that it is neither read twice nor asked for in two steps.
        let recent = Mutex(RedisRecentResponses())
        private let time: @Sendable () -> Date

        static let hashSize = 32
        /// The seconds for which the body of a response that was removed can be read to its end.
        private static let readingTime = 60
        /// The attempts to add to an index that others change at the same time.
        private static let mostAttempts = 4
        /// The most responses in a list for people.
        private static let longestList = 100_000

        static var isTooLarge: RedisFailure { RedisFailure(.command, "The body is larger than the limit.") }

        init(
            _ server: RedisServer,
            bodyLimit: Int = RedisCacheStore.defaultBodyLimit,
            staleTime: Duration = RedisCacheStore.defaultStaleTime,
            now: @escaping @Sendable () -> ContinuousClock.Instant,
            time: @escaping @Sendable () -> Date = { Date() },
            whenServerChanges: (@Sendable (RedisServerEvent) -> Void)? = nil
        ) {
            self.bodyLimit = min(max(0, bodyLimit), Self.largestBodyLimit)
            self.staleTime = min(max(.zero, staleTime), Self.longestTime)
            self.time = time
            keys = RedisCacheKeys(server)
            pool = RedisPool(server, now: now, whenChanged: whenServerChanges)
        }

        /// Describes the store; the first use connects.
        ///
        /// - Parameters:
        ///   - server: The server, and the prefix of the keys.
        ///   - bodyLimit: The largest body, 0 to 511 MiB. Default: 64 MiB.
        ///   - staleTime: The time for which a response is kept after it is stale, up to 30 days.
        ///     Default: a day.
        ///   - whenServerChanges: Called once when the server is lost, and once when it is back, on
        ///     any thread. Default: nobody is told.
        public convenience init(
            _ server: RedisServer,
            bodyLimit: Int = RedisCacheStore.defaultBodyLimit,
            staleTime: Duration = RedisCacheStore.defaultStaleTime,
            whenServerChanges: (@Sendable (RedisServerEvent) -> Void)? = nil
        ) {
            self.init(
                server,
                bodyLimit: bodyLimit,
                staleTime: staleTime,
                now: { .now },
                whenServerChanges: whenServerChanges
            )
        }

        // MARK: Reading

        /// The responses of a key.
        ///
        /// - Parameter key: The ``CacheRecord/key``.
        /// - Returns: The responses.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func records(for key: String) async throws -> [CacheRecord] {
            try await recordsWithBody(for: key).records
        }

        /// The body of a response. One of more than 256 KiB is read while it is used.
        ///
        /// - Parameters:
        ///   - record: The response.
        ///   - range: The part that is wanted; nil for all of it.
        /// - Returns: The body; nil where the server has none any more, or it is damaged.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func body(of record: CacheRecord, range: Range<Int>?) async throws -> ResponseBody? {
            let whole = 0..<record.byteCount
            let wanted = (range ?? whole).clamped(to: whole)
            let size = record.byteCount + Self.hashSize
            let body = keys.body(record.identifier)
            recent.withLock { $0.noteUse(of: record, keys) }
            guard record.byteCount > RedisCacheWriter.chunkSize else {
                guard let data = Self.checked(try await read(record, 0..<size), record) else { return nil }
                return range == nil ? .data(data, trailers: record.trailers) : .data(Data(data[wanted]))
            }
            let count = try await pool.run { try await $0.run(RedisCommand("STRLEN", body)).integer }
            guard count == size else { return nil }
            let pieces = RedisBodyPieces(store: self, record: record, range: wanted)
            return range == nil ? .stream(pieces, trailers: record.trailers) : .stream(pieces)
        }

        /// A body without the hash behind it; nil where it is another one.
        static func checked(_ bytes: Data, _ record: CacheRecord) -> Data? {
            let data = Data(bytes.prefix(record.byteCount))
            guard bytes.count == record.byteCount + hashSize else { return nil }
            return SHA256.hash(data: data) == bytes.suffix(hashSize) ? data : nil
        }

        /// Bytes of a body with its hash; fewer where they are not there.
        func read(_ record: CacheRecord, _ range: Range<Int>) async throws -> Data {
            let body = keys.body(record.identifier)
            guard !range.isEmpty else { return Data() }
            return try await pool.run { connection in
                let range = [body, Data(range.lowerBound), Data(range.upperBound - 1)]
                return try await connection.run(RedisCommand("GETRANGE", range)).bytes ?? Data()
            }
        }

        /// The index of a key. One of another type is not of this library, and makes room.
        static func index(_ index: Data, _ connection: RedisConnection) async throws -> RedisReply {
            let reply = try await connection.run(RedisCommand("HGETALL", index))
            if reply.isWrongType { _ = try await connection.run(RedisCommand("UNLINK", index)) }
            return reply
        }

        // MARK: Writing

        /// Begins to store a response.
        ///
        /// - Parameter record: The response.
        /// - Returns: What takes the body.
        /// - Throws: Nothing.
        public func writer(for record: CacheRecord) async throws -> any CacheBodyWriter {
            RedisCacheWriter(self, part: keys.part())
        }

        /// A body on its way to its place.
        enum Body: Sendable {
            /// With its hash.
            case whole(Data)
            /// The key at which all of it is.
            case part(Data)
        }

        /// Gives a body its name, and adds its record to the index.
        func commit(_ record: CacheRecord, _ body: Body) async throws {
            let now = seconds
            let entry = RedisEntry(end: end(of: record, at: now), record: record)
            let place = keys.body(record.identifier)
            try await change(record.key) { known in
                let replaced = known.filter { $0.record.isReplaced(by: record) }
                let kept = known.filter { !$0.record.isReplaced(by: record) }
                let life = Data(entry.end - now)
                let commands =
                    switch body {
                    case .whole(let bytes): [RedisCommand("SET", place, bytes, Data("EX"), life)]
                    case .part(let part): [RedisCommand("RENAME", part, place), RedisCommand("EXPIRE", place, life)]
                    }
                return Update(
                    commands: commands,
                    entries: [entry],
                    removed: (replaced + kept.dropFirst(HTTPCache.mostVariants - 1)).map(\.record)
                )
            }
        }

        /// Replaces a record.
        ///
        /// - Parameter record: The new record, of the same body.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func update(_ record: CacheRecord) async throws {
            let now = seconds
            let entry = RedisEntry(end: end(of: record, at: now), record: record)
            let place = keys.body(record.identifier)
            try await change(record.key) { known in
                guard known.contains(where: { $0.record.identifier == record.identifier }) else { return nil }
                let commands = [RedisCommand("EXPIRE", place, Data(entry.end - now))]
                return Update(commands: commands, entries: [entry], removed: [])
            }
        }

        /// Removes one response.
        ///
        /// - Parameter record: The response.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func remove(_ record: CacheRecord) async throws {
            try await change(record.key) { _ in Update(commands: [], entries: [], removed: [record]) }
        }

        /// Removes the responses of a key.
        ///
        /// - Parameter key: The ``CacheRecord/key``.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func removeAll(for key: String) async throws {
            try await change(key) { known in
                known.isEmpty ? nil : Update(commands: [], entries: [], removed: known.map(\.record))
            }
        }

        /// Removes all responses with the prefix of this store, and no other key.
        ///
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func removeAll() async throws {
            var cursor: Data? = Data("0")
            while let start = cursor {
                let all = keys.all
                cursor = try await pool.run { connection in
                    let (keys, next) = try await Self.scan(all, from: start, connection)
                    if !keys.isEmpty { _ = try await connection.run(RedisCommand("UNLINK", keys)) }
                    return next
                }
            }
        }

        /// All responses, those first that came last; at most 100,000.
        ///
        /// - Returns: The responses.
        /// - Throws: ``NetworkingError/Code/storeFailed``.
        public func allRecords() async throws -> [CacheRecord] {
            let (indexes, now) = (keys.indexes, seconds)
            var found: [UInt64: CacheRecord] = [:]
            var cursor: Data? = Data("0")
            while let start = cursor, found.count < Self.longestList {
                let (records, next) = try await pool.run { connection in
                    let (keys, next) = try await Self.scan(indexes, from: start, connection)
                    let replies = try await connection.run(keys.map { RedisCommand("HGETALL", $0) })
                    return (replies.flatMap { RedisEntry.entries($0, key: nil, at: now).map(\.record) }, next)
                }
                for record in records { found[record.identifier] = record }
                cursor = next
            }
            return found.values.sorted { $0.receivedAt > $1.receivedAt }
        }

        /// Removes a response that is damaged, without a wait.
        func forget(_ record: CacheRecord) {
            let (index, body) = (keys.index(record.key), keys.body(record.identifier))
            pool.begin { connection in
                _ = try await connection.run([
                    RedisCommand("HDEL", index, RedisEntry.field(record)), RedisCommand("UNLINK", body),
                ])
            }
        }

        /// What a transaction does.
        private struct Update {
            var commands: [RedisCommand]
            var entries: [RedisEntry]
            var removed: [CacheRecord]
        }

        /// Changes the index of a key, in a transaction that is begun again where another process
        /// has changed it meanwhile.
        private func change(
            _ key: String,
            _ decide: @escaping @Sendable (_ known: [RedisEntry]) -> Update?
        ) async throws {
            let (keys, now) = (keys, seconds)
            let index = keys.index(key)
            try await pool.run { connection in
                for _ in 0..<Self.mostAttempts {
                    _ = try await connection.run(RedisCommand("WATCH", index))
                    let reply = try await Self.index(index, connection)
                    let known = RedisEntry.entries(reply, key: key, at: now)
                    guard let update = decide(known) else {
                        _ = try await connection.run(RedisCommand("UNWATCH"))
                        return
                    }
                    var steps = try Self.steps(update, known, keys, index, now)
                    let ended = RedisEntry.endedFields(reply, at: now)
                    if !ended.isEmpty { steps.insert(RedisCommand("HDEL", [index] + ended), at: 0) }
                    let replies = try await connection.run([RedisCommand("MULTI")] + steps + [RedisCommand("EXEC")])
                    if let error = replies.lazy.compactMap(\.error).first { throw RedisFailure(reply: error) }
                    if replies.last?.array != nil { return }
                }
                throw RedisFailure(.command, "Other processes change the same response again and again.")
            }
        }

        private static func steps(
            _ update: Update,
            _ known: [RedisEntry],
            _ keys: RedisCacheKeys,
            _ index: Data,
            _ now: Int
        ) throws -> [RedisCommand] {
            var steps = update.commands
            if !update.removed.isEmpty {
                steps.append(RedisCommand("HDEL", [index] + update.removed.map(RedisEntry.field)))
                // Those who read it go on to its end.
                steps += update.removed.map {
                    RedisCommand("EXPIRE", keys.body($0.identifier), Data(readingTime))
                }
            }
            for entry in update.entries {
                steps.append(RedisCommand("HSET", index, RedisEntry.field(entry.record), try entry.encoded))
            }
            let gone = Set(update.removed.map(\.identifier))
            let ends = (known.filter { !gone.contains($0.record.identifier) } + update.entries).map(\.end)
            if let last = ends.max() { steps.append(RedisCommand("EXPIRE", index, Data(max(1, last - now)))) }
            return steps
        }

        /// One step through the keys of a pattern.
        private static func scan(
            _ pattern: Data,
            from cursor: Data,
            _ connection: RedisConnection
        ) async throws -> (keys: [Data], next: Data?) {
            let command = RedisCommand("SCAN", cursor, Data("MATCH"), pattern, Data("COUNT"), Data(500))
            let reply = try await connection.run(command)
            if let error = reply.error { throw RedisFailure(reply: error) }
            guard let parts = reply.array, parts.count == 2, let next = parts[0].bytes else { return ([], nil) }
            return ((parts[1].array ?? []).compactMap(\.bytes), next == Data("0") ? nil : next)
        }

        // MARK: Time

        var seconds: Int { Int(max(0, min(time().timeIntervalSince1970, 1e11))) }

        /// When a response is dropped: it is kept while it is fresh, and for a while after that.
        private func end(of record: CacheRecord, at now: Int) -> Int {
            let longest = Int(Self.longestTime.components.seconds)
            let fresh = min(max(0, record.freshTime), longest)
            return now + max(1, min(fresh + Int(staleTime.components.seconds), longest))
        }
    }
#endif
