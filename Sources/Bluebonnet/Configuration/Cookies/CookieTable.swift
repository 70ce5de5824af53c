import FoundationEssentials

/// The cookies of a jar, by their domains: which are sent, which are replaced, and which are
/// forgotten (RFC 6265bis §5.7 and §5.8.3). Knows no clock and no store.
struct CookieTable: Sendable {
    /// A cookie, and the number of its setting: those that were set at the same time keep their
    /// order.
    private struct Entry {
        var cookie: Cookie
        var number: Int
    }

    private let limits: CookieJar.Limits
    private var entries: [String: [Entry]] = [:]
    private(set) var count = 0
    private var nextNumber = 0

    init(limits: CookieJar.Limits) {
        self.limits = limits
    }

    /// A change of the table.
    struct Change: Equatable {
        var cookie: Cookie
        var kind: CookieChange.Kind
        /// The one that it has replaced.
        var replaced: Cookie?
    }

    /// All cookies, also those whose time is over, in the order in which they were set first.
    var cookies: [Cookie] {
        entries.values.joined().sorted { ($0.cookie.created, $0.number) < ($1.cookie.created, $1.number) }
            .map(\.cookie)
    }

    subscript(identity: Cookie.Identity) -> Cookie? {
        entries[identity.domain]?.first { $0.cookie.identity == identity }?.cookie
    }

    // MARK: Reading

    /// The cookies that a request gets, in the order in which they are sent: longer paths first,
    /// and of equal ones what was set first (§5.8.3).
    ///
    /// It looks at the cookies of the host and the domains above it alone, however many others
    /// there are. With `notesUse` the request is sent, and this is their last use.
    mutating func matching(_ source: CookieSource, at now: Date, notesUse: Bool) -> [Cookie] {
        var found: [Entry] = []
        Self.forEachDomain(of: source.host) { domain, isHost in
            guard var bucket = entries[domain] else { return }
            let first = found.count
            var used: [Int] = []
            for (index, entry) in bucket.enumerated() {
                let cookie = entry.cookie
                guard isHost || !cookie.isHostOnly, source.isSecure || !cookie.isSecure, !cookie.isExpired(at: now),
                    CookieHost.matches(path: source.path, cookiePath: cookie.path)
                else { continue }
                found.append(entry)
                used.append(index)
            }
            guard notesUse, found.count > first else { return }
            // Without a second owner the bucket is changed in its place.
            entries[domain] = nil
            for index in used { bucket[index].cookie.lastUsed = max(bucket[index].cookie.lastUsed, now) }
            entries[domain] = bucket
        }
        guard found.count > 1 else { return found.map(\.cookie) }
        found.sort { left, right in
            let (leftLength, rightLength) = (left.cookie.path.utf8.count, right.cookie.path.utf8.count)
            guard leftLength == rightLength else { return leftLength > rightLength }
            return (left.cookie.created, left.number) < (right.cookie.created, right.number)
        }
        return found.map(\.cookie)
    }

    /// Calls the closure with a host and the domains above it.
    private static func forEachDomain(of host: String, _ body: (String, _ isHost: Bool) -> Void) {
        body(host, true)
        guard !CookieHost.isAddress(host) else { return }
        var rest = host[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            guard !rest.isEmpty else { return }
            body(String(rest), false)
        }
    }

    /// Whether there is a cookie for `https` alone that one from elsewhere would hide (§5.7): of
    /// the same name, of a domain above or below, and with a path that is the same or above.
    func hasSecureCookie(hiddenBy cookie: Cookie, at now: Date) -> Bool {
        func isHidden(_ entry: Entry) -> Bool {
            // Few pass these, which copy nothing.
            guard entry.cookie.isSecure, entry.cookie.name == cookie.name else { return false }
            let known = entry.cookie
            return !known.isExpired(at: now)
                && (CookieHost.matches(known.domain, domain: cookie.domain)
                    || CookieHost.matches(cookie.domain, domain: known.domain))
                && CookieHost.matches(path: cookie.path, cookiePath: known.path)
        }
        // Domains below are found only among all. This is asked for what comes by `http` alone.
        return entries.values.contains { $0.contains(where: isHidden) }
    }

    // MARK: Changing

    /// Takes in a cookie in place of the one with its identity, of which it keeps the time at which
    /// it was first set (§5.7). One whose time is over removes it.
    ///
    /// - Returns: The changes, also of those that are forgotten to have room for it.
    mutating func set(_ cookie: Cookie, at now: Date) -> [Change] {
        guard !cookie.isExpired(at: now) else {
            return remove(cookie.identity).map { [Change(cookie: $0, kind: .removed)] } ?? []
        }
        var cookie = cookie
        cookie.lastUsed = max(cookie.lastUsed, now)
        var changes: [Change] = []
        var bucket = entries.removeValue(forKey: cookie.domain) ?? []
        let identity = cookie.identity
        if let index = bucket.firstIndex(where: { $0.cookie.identity == identity }) {
            let known = bucket[index].cookie
            let isOver = known.isExpired(at: now)
            if !isOver { cookie.created = known.created }
            bucket[index].cookie = cookie
            if !cookie.isEqual(known) {
                changes.append(Change(cookie: cookie, kind: isOver ? .added : .changed, replaced: known))
            }
        } else {
            bucket.append(Entry(cookie: cookie, number: nextNumber))
            nextNumber += 1
            count += 1
            changes.append(Change(cookie: cookie, kind: .added))
        }
        if bucket.count > limits.cookiesPerDomain {
            changes += shorten(&bucket, to: limits.cookiesPerDomain, keeping: identity, at: now)
        }
        entries[cookie.domain] = bucket
        return changes + makeRoom(keeping: identity, at: now)
    }

    /// Takes in cookies of the store as they are. Its time is linear in their number: a file of
    /// others may have any number of one domain.
    ///
    /// - Returns: Those that are forgotten since their domain has too many.
    mutating func load(_ cookies: [Cookie], at now: Date) -> [Change] {
        var domains: Set<String> = []
        var positions: [Cookie.Identity: Int] = [:]
        for cookie in cookies {
            var bucket = entries.removeValue(forKey: cookie.domain) ?? []
            if domains.insert(cookie.domain).inserted {
                for (position, entry) in bucket.enumerated() { positions[entry.cookie.identity] = position }
            }
            if let position = positions[cookie.identity] {
                bucket[position].cookie = cookie
            } else {
                positions[cookie.identity] = bucket.count
                bucket.append(Entry(cookie: cookie, number: nextNumber))
                nextNumber += 1
                count += 1
            }
            entries[cookie.domain] = bucket
        }
        var changes: [Change] = []
        for domain in domains {
            guard var bucket = entries[domain], bucket.count > limits.cookiesPerDomain else { continue }
            changes += shorten(&bucket, to: limits.cookiesPerDomain, at: now)
            entries[domain] = bucket
        }
        return changes
    }

    /// Removes a cookie.
    ///
    /// - Returns: The cookie; nil where there was none.
    mutating func remove(_ identity: Cookie.Identity) -> Cookie? {
        guard var bucket = entries.removeValue(forKey: identity.domain) else { return nil }
        defer { entries[identity.domain] = bucket.isEmpty ? nil : bucket }
        guard let index = bucket.firstIndex(where: { $0.cookie.identity == identity }) else { return nil }
        count -= 1
        return bucket.remove(at: index).cookie
    }

    /// Removes all of which the closure says so.
    mutating func removeAll(where isRemoved: (Cookie) -> Bool) -> [Cookie] {
        var removed: [Cookie] = []
        for (domain, bucket) in entries {
            let kept = bucket.filter { entry in
                guard isRemoved(entry.cookie) else { return true }
                removed.append(entry.cookie)
                return false
            }
            if kept.count < bucket.count { entries[domain] = kept.isEmpty ? nil : kept }
        }
        count -= removed.count
        return removed
    }

    /// Removes from a bucket those whose time is over, and then those that §5.7 has forgotten
    /// first: what is not for `https` alone, and what was not used for the longest time.
    private mutating func shorten(
        _ bucket: inout [Entry],
        to limit: Int,
        keeping identity: Cookie.Identity? = nil,
        at now: Date
    ) -> [Change] {
        var order = bucket.filter { $0.cookie.identity != identity }
        order.sort { left, right in
            let (isOver, isOtherOver) = (left.cookie.isExpired(at: now), right.cookie.isExpired(at: now))
            guard isOver == isOtherOver else { return isOver }
            guard left.cookie.isSecure == right.cookie.isSecure else { return !left.cookie.isSecure }
            return (left.cookie.lastUsed, left.number) < (right.cookie.lastUsed, right.number)
        }
        let ends = order.count { $0.cookie.isExpired(at: now) }
        let gone = order.prefix(max(ends, bucket.count - limit))
        let numbers = Set(gone.map(\.number))
        bucket.removeAll { numbers.contains($0.number) }
        count -= gone.count
        return gone.map { Change(cookie: $0.cookie, kind: $0.cookie.isExpired(at: now) ? .expired : .evicted) }
    }

    /// Removes of too many those whose time is over, and then those that were not used for the
    /// longest time: a tenth of all, so that this is seldom done.
    mutating func makeRoom(keeping identity: Cookie.Identity? = nil, at now: Date) -> [Change] {
        guard count > limits.cookies else { return [] }
        var changes = removeAll { $0.isExpired(at: now) && $0.identity != identity }
            .map { Change(cookie: $0, kind: .expired) }
        guard count > limits.cookies else { return changes }
        let excess = count - limits.cookies + limits.cookies / 10
        let order = entries.values.joined().filter { $0.cookie.identity != identity }
            .sorted { ($0.cookie.lastUsed, $0.number) < ($1.cookie.lastUsed, $1.number) }
        for entry in order.prefix(excess) {
            guard let cookie = remove(entry.cookie.identity) else { continue }
            changes.append(Change(cookie: cookie, kind: .evicted))
        }
        return changes
    }
}

extension Cookie {
    /// Whether another one with the same identity is equal but for its last use.
    fileprivate func isEqual(_ other: Cookie) -> Bool {
        var other = other
        other.lastUsed = lastUsed
        return self == other
    }
}
