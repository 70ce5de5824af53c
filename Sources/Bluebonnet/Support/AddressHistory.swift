import NIOCore

/// The addresses to begin with (RFC 8305 §4), without I/O: those of hosts whose first address was
/// refused or too slow, so that the next connections do not wait for it again.
///
/// A host whose first address works is not remembered: its resolver may change the order of the
/// addresses to spread the load, and a remembered address would undo that.
struct AddressHistory {
    private struct Entry {
        var address: IPAddress
        /// The time at which another family than this one was tried last.
        var since: NIODeadline
    }

    /// After this time the first addresses are tried again: the network of a family that was broken
    /// may have been mended (RFC 6555 §4.2 has ten minutes).
    static let time = TimeAmount.minutes(10)
    /// The most hosts.
    static let capacity = 1024

    private var entries: [String: Entry] = [:]

    var count: Int { entries.count }

    /// The address to begin with; nil where the order of the resolver is right.
    func preferred(for host: String, at now: NIODeadline) -> IPAddress? {
        guard let entry = entries[host], now - entry.since < Self.time else { return nil }
        return entry.address
    }

    /// Notes the address that was connected to behind one that failed or was too slow.
    mutating func note(_ address: IPAddress, of host: String, at now: NIODeadline) {
        let known = entries[host]
        if known == nil { makeRoom(at: now) }
        let isContinued = known.map { $0.address.family == address.family && now - $0.since < Self.time } ?? false
        entries[host] = Entry(address: address, since: isContinued ? known?.since ?? now : now)
    }

    private mutating func makeRoom(at now: NIODeadline) {
        guard entries.count >= Self.capacity else { return }
        entries = entries.filter { now - $0.value.since < Self.time }
        guard entries.count >= Self.capacity else { return }
        if let oldest = entries.min(by: { $0.value.since < $1.value.since }) { entries[oldest.key] = nil }
    }
}
