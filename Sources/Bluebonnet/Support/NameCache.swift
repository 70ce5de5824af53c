import NIOCore

/// The results of name lookups for as long as they may be used, without I/O.
///
/// Nothing is used after its time. Where a name had no addresses, or was not found, in one family,
/// that is remembered only beside addresses in the other one: so a name that is not found is
/// looked up again by the next request.
struct NameCache {
    struct Key: Hashable {
        let host: String
        let family: IPAddress.Family

        var sibling: Key { Key(host: host, family: family.other) }
    }

    private struct Entry {
        var result: Result<[IPAddress], any Error>
        var expiry: NIODeadline

        var hasAddresses: Bool { (try? result.get())?.isEmpty == false }
    }

    /// The time of a result whose resolver tells none. It is shorter than the times of most records
    /// of DNS, since what is in the cache of a name server may have little time left.
    static let defaultTime = Duration.seconds(10)
    /// RFC 8767 §4 has a resolver cap the time of a record.
    static let longestTime = Duration.seconds(86_400)
    /// The most results.
    static let capacity = 2048

    private var entries: [Key: Entry] = [:]

    var count: Int { entries.count }

    /// The addresses that may be used, or the reason why there are none in this family.
    func result(for key: Key, at now: NIODeadline) -> Result<[IPAddress], any Error>? {
        guard let entry = entries[key], now < entry.expiry else { return nil }
        if entry.hasAddresses { return entry.result }
        guard let sibling = entries[key.sibling], now < sibling.expiry, sibling.hasAddresses else { return nil }
        return entry.result
    }

    mutating func store(_ result: Result<FoundAddresses, any Error>, for key: Key, at now: NIODeadline) {
        let given = (try? result.get())?.timeToLive ?? Self.defaultTime
        let time = min(max(given, .zero), Self.longestTime)
        guard time > .zero else {
            entries[key] = nil
            return
        }
        if entries[key] == nil { makeRoom(at: now) }
        entries[key] = Entry(result: result.map(\.addresses), expiry: now + time.timeAmount)
    }

    /// Forgets a name: none of its addresses could be reached.
    mutating func remove(_ host: String) {
        entries[Key(host: host, family: .ipv4)] = nil
        entries[Key(host: host, family: .ipv6)] = nil
    }

    /// Removes what is too old, or else what will be first.
    private mutating func makeRoom(at now: NIODeadline) {
        guard entries.count >= Self.capacity else { return }
        entries = entries.filter { now < $0.value.expiry }
        guard entries.count >= Self.capacity else { return }
        if let first = entries.min(by: { $0.value.expiry < $1.value.expiry }) { entries[first.key] = nil }
    }
}
