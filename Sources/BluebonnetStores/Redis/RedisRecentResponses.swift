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
        }

        private var known: [String: Known] = [:]

        /// The entries of a reply that is the same as the last one of the key.
        func entries(_ key: String, _ reply: RedisReply) -> [RedisEntry]? {
            guard let found = known[key], found.reply == reply else { return nil }
            return found.entries
        }

        /// The response of a key whose body is likely to be wanted.
        func wanted(_ key: String) -> CacheRecord? { known[key]?.wanted }

        /// The body of a response was wanted.
        mutating func noteUse(of record: CacheRecord) {
            known[record.key]?.wanted = record
        }

        mutating func note(_ key: String, _ reply: RedisReply, _ entries: [RedisEntry]) {
            guard let newest = entries.first?.record, reply.byteCount <= Self.largestReply else {
                known[key] = nil
                return
            }
            if known.count >= Self.mostKeys, known[key] == nil { known = [:] }
            known[key] = Known(reply: reply, entries: entries, wanted: newest)
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
