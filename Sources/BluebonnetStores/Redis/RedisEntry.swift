#if Redis
    import Bluebonnet
    import FoundationEssentials

    /// What the index of a key has of one response: when it ends, and its record.
    struct RedisEntry: Sendable {
        /// Seconds since 1970.
        var end: Int
        var record: CacheRecord

        init(end: Int, record: CacheRecord) {
            (self.end, self.record) = (end, record)
        }

        /// Reads an entry; nil for anything that this library has not written.
        init?(field: Data, value: Data, key: String?) {
            guard let colon = value.prefix(24).firstIndex(of: UInt8(ascii: ":")), let end = Self.end(of: value),
                let record = CacheRecord(encoded: Data(value[value.index(after: colon)...])),
                field == Self.field(record), key == nil || record.key == key,
                record.byteCount <= RedisCacheStore.largestBodyLimit
            else { return nil }
            self.init(end: end, record: record)
        }

        private static func end(of value: Data) -> Int? {
            guard let colon = value.prefix(24).firstIndex(of: UInt8(ascii: ":")),
                let end = Int(String(decoding: value[..<colon], as: UTF8.self)), 0...(1 << 40) ~= end
            else { return nil }
            return end
        }

        /// The fields of a reply to `HGETALL` that have ended. The hash lives as long as its last
        /// field, so that they would be collected.
        static func endedFields(_ reply: RedisReply?, at now: Int) -> [Data] {
            let parts = reply?.array ?? []
            return stride(from: 0, to: parts.count - 1, by: 2).compactMap { index in
                guard let end = parts[index + 1].bytes.flatMap(Self.end), end <= now else { return nil }
                return parts[index].bytes
            }
        }

        var encoded: Data {
            get throws { Data("\(end):") + (try record.encoded) }
        }

        /// The name of a response in the index.
        static func field(_ record: CacheRecord) -> Data { Data(String(record.identifier, radix: 16)) }

        /// The entries of a reply to `HGETALL`, those first that came last; what is not of this
        /// library, and what has ended, is left out.
        static func entries(_ reply: RedisReply?, key: String?, at now: Int) -> [RedisEntry] {
            let parts = reply?.array ?? []
            var entries: [RedisEntry] = []
            for index in stride(from: 0, to: parts.count - 1, by: 2) {
                guard let field = parts[index].bytes, let value = parts[index + 1].bytes,
                    let entry = RedisEntry(field: field, value: value, key: key), entry.end > now
                else { continue }
                entries.append(entry)
            }
            return entries.sorted { $0.record.receivedAt > $1.record.receivedAt }
        }
    }
#endif
