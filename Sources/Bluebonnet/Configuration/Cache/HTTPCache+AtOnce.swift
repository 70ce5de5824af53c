/// What a cache knows without a wait.
extension HTTPCache {
    /// What is known of a key at once.
    enum AtOnce {
        /// The only response that is stored for it.
        case stored(CacheRecord, ResponseBody.Storage)
        /// Nothing is stored for it, and its last response could not be.
        case notStorable
        case unknown
    }

    /// The records of a key, with the mark that they were found at; nil for a store without marks.
    struct Found: Sendable {
        var records: [CacheRecord]
        var mark: UInt64?
        /// The body of one of them, where the store gave it together with them.
        var body: (identifier: UInt64, body: ResponseBody)?
    }

    /// The largest body that is kept in the memory in front of a store.
    static let largestInFront = 64 * 1024
    /// The seconds after which the store is asked again, so that it learns of the use.
    static let timeInFront = 60

    /// What is known of a key.
    func atOnce(_ fingerprint: CacheFingerprint) -> AtOnce {
        if let memory {
            switch memory.atOnce(fingerprint) {
            case .one(let entry): return .stored(entry.record, entry.body)
            case .several: return .unknown
            case .none: return isPassing(fingerprint, 0) ? .notStorable : .unknown
            }
        }
        guard let marked, let mark = marked.mark(of: fingerprint), !invalidations.isOwing else { return .unknown }
        if let front, case .one(let entry) = front.atOnce(fingerprint), entry.mark == mark,
            0..<Self.timeInFront ~= time - entry.keptAt
        {
            return .stored(entry.record, entry.body)
        }
        return isPassing(fingerprint, mark) ? .notStorable : .unknown
    }

    /// The stored responses of a key; none where the store fails.
    func look(_ key: String) async -> Found {
        // A store in memory knows at any time whether it has something.
        if let memory { return Found(records: memory.records(for: key), mark: 0) }
        if invalidations.isOwing, await hasOutdated(key) { return Found(records: []) }
        do {
            if let remote {
                let found = try await remote.recordsWithBody(for: key)
                return Found(records: Array(found.records.prefix(Self.mostVariants)), body: found.body)
            }
            guard let marked else { return Found(records: await found(key)) }
            let found = try await marked.markedRecords(for: key)
            return Found(records: Array(found.records.prefix(Self.mostVariants)), mark: found.mark)
        } catch {
            note(error)
            return Found(records: [])
        }
    }

    /// Keeps the only response of a key in the memory in front of the store.
    func keepInFront(_ record: CacheRecord, _ body: ResponseBody, mark: UInt64) {
        guard let front, let count = body.wholeByteCount, count <= Self.largestInFront else { return }
        front.removeAll(for: record.key)
        front.store(record, body, mark: mark, at: time)
    }
}
