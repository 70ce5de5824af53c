#if Redis
    import Bluebonnet
    import FoundationEssentials

    /// What the index of a key was when it was read last, as a value. It decides nothing: the index
    /// is read again for each request, and what is here only saves work where it is still the same.
    struct RedisRecentResponses: Sendable {
        /// The most keys; when there are more all are forgotten.
        static let mostKeys = 512
        /// The largest reply that is kept, in bytes.
        static let largestReply = 8 * 1024

        private struct Known {
            var reply: RedisReply
            var entries: [RedisEntry]
            /// The response whose body was wanted last: the newest one, until another one was.
            var wanted: CacheRecord
            /// What asks for both.
            var commands: [RedisCommand]
        }

        private var known: [String: Known] = [:]

        /// The entries of a reply that is the same as the last one of the key.
        func entries(_ key: String, _ reply: RedisReply) -> [RedisEntry]? {
            guard let found = known[key], found.reply == reply else { return nil }
            return found.entries
        }

        /// The response of a key whose body is likely to be wanted, and the commands for the index
        /// and this body.
        func wanted(_ key: String) -> (record: CacheRecord, commands: [RedisCommand])? {
            known[key].map { ($0.wanted, $0.commands) }
        }

        /// The body of a response was wanted.
        mutating func noteUse(of record: CacheRecord, _ keys: RedisCacheKeys) {
            guard let found = known[record.key], found.wanted.identifier != record.identifier else { return }
            known[record.key]?.wanted = record
            known[record.key]?.commands = Self.commands(record, keys)
        }

        private static func commands(_ record: CacheRecord, _ keys: RedisCacheKeys) -> [RedisCommand] {
            [RedisCommand("HGETALL", keys.index(record.key)), RedisCommand("GET", keys.body(record.identifier))]
        }

        mutating func note(_ key: String, _ reply: RedisReply, _ entries: [RedisEntry], _ keys: RedisCacheKeys) {
            guard let newest = entries.first?.record, reply.byteCount <= Self.largestReply else {
                known[key] = nil
                return
            }
            if known.count >= Self.mostKeys, known[key] == nil { known = [:] }
            let commands = Self.commands(newest, keys)
            known[key] = Known(reply: reply, entries: entries, wanted: newest, commands: commands)
        }
    }

    extension RedisReply {
        /// The bytes of the strings in it.
        fileprivate var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .array(let replies): replies.reduce(0) { $0 + $1.byteCount }
            case .status, .integer, .none, .error: 0
            }
        }
    }
#endif
