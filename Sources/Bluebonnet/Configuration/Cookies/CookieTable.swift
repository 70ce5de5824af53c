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

    /// The cookies of a domain, and the site that the domain belongs to.
    private struct Bucket {
        let site: String
        var entries: [Entry] = []
    }

    /// The domains of a site that have cookies, and the number of these.
    private struct Site {
        var domains: Set<String> = []
        var count = 0
    }

    private let limits: CookieJar.Limits
    private var buckets: [String: Bucket] = [:]
    /// By their registrable domains. Names below one are made by anybody who has it, so that they
    /// share its limit.
    private var sites: [String: Site] = [:]
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
        buckets.values.lazy.flatMap(\.entries).sorted {
            ($0.cookie.created, $0.number) < ($1.cookie.created, $1.number)
        }
        .map(\.cookie)
    }

    subscript(identity: Cookie.Identity) -> Cookie? {
        buckets[identity.domain]?.entries.first { $0.cookie.identity == identity }?.cookie
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
            guard var bucket = buckets[domain] else { return }
            let first = found.count
            var used: [Int] = []
            for (index, entry) in bucket.entries.enumerated() {
                let cookie = entry.cookie
                guard isHost || !cookie.isHostOnly, source.isSecure || !cookie.isSecure, !cookie.isExpired(at: now),
                    CookieHost.matches(path: source.path, cookiePath: cookie.path)
                else { continue }
                found.append(entry)
                used.append(index)
            }
            guard notesUse, found.count > first else { return }
            // Without a second owner the bucket is changed in its place.
            buckets[domain] = nil
            for index in used {
                bucket.entries[index].cookie.lastUsed = max(bucket.entries[index].cookie.lastUsed, now)
            }
            buckets[domain] = bucket
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
    ///
    /// It looks at the domains above, and below at those of the same site: a cookie of a public
    /// suffix, which has other sites below it, is for its host alone and hides none of theirs.
    func hasSecureCookie(hiddenBy cookie: Cookie, at now: Date) -> Bool {
        func isHidden(_ entry: Entry) -> Bool {
            // Few pass these, which copy nothing.
            guard entry.cookie.isSecure, entry.cookie.name == cookie.name else { return false }
            let known = entry.cookie
            return !known.isExpired(at: now) && CookieHost.matches(path: cookie.path, cookiePath: known.path)
        }
        var isFound = false
        Self.forEachDomain(of: cookie.domain) { domain, _ in
            isFound = isFound || buckets[domain]?.entries.contains(where: isHidden) == true
        }
        guard !isFound, let site = sites[site(of: cookie.domain)] else { return isFound }
        return site.domains.contains { domain in
            CookieHost.matches(domain, domain: cookie.domain)
                && buckets[domain]?.entries.contains(where: isHidden) == true
        }
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
        var bucket = take(cookie.domain)
        let identity = cookie.identity
        if let index = bucket.entries.firstIndex(where: { $0.cookie.identity == identity }) {
            let known = bucket.entries[index].cookie
            let isOver = known.isExpired(at: now)
            if !isOver { cookie.created = known.created }
            bucket.entries[index].cookie = cookie
            if !cookie.isEqual(known) {
                changes.append(Change(cookie: cookie, kind: isOver ? .added : .changed, replaced: known))
            }
        } else {
            append(cookie, to: &bucket)
            changes.append(Change(cookie: cookie, kind: .added))
        }
        let site = bucket.site
        put(bucket, for: cookie.domain)
        return changes + shorten(site, keeping: identity, at: now) + makeRoom(keeping: identity, at: now)
    }

    /// Takes in cookies of the store as they are. Its time is linear in their number: a file of
    /// others may have any number of one domain.
    ///
    /// - Returns: Those that are forgotten since their site has too many.
    mutating func load(_ cookies: [Cookie], at now: Date) -> [Change] {
        var domains: Set<String> = []
        var positions: [Cookie.Identity: Int] = [:]
        var touched: Set<String> = []
        for cookie in cookies {
            var bucket = take(cookie.domain)
            if domains.insert(cookie.domain).inserted {
                touched.insert(bucket.site)
                for (position, entry) in bucket.entries.enumerated() { positions[entry.cookie.identity] = position }
            }
            if let position = positions[cookie.identity] {
                bucket.entries[position].cookie = cookie
            } else {
                positions[cookie.identity] = bucket.entries.count
                append(cookie, to: &bucket)
            }
            put(bucket, for: cookie.domain)
        }
        return touched.flatMap { shorten($0, at: now) }
    }

    /// Removes a cookie.
    ///
    /// - Returns: The cookie; nil where there was none.
    mutating func remove(_ identity: Cookie.Identity) -> Cookie? {
        guard buckets[identity.domain] != nil else { return nil }
        var bucket = take(identity.domain)
        defer { put(bucket, for: identity.domain) }
        guard let index = bucket.entries.firstIndex(where: { $0.cookie.identity == identity }) else { return nil }
        noteRemoval(of: 1, from: bucket.site)
        return bucket.entries.remove(at: index).cookie
    }

    /// Removes all of which the closure says so.
    mutating func removeAll(where isRemoved: (Cookie) -> Bool) -> [Cookie] {
        var removed: [Cookie] = []
        for (domain, var bucket) in buckets {
            let known = bucket.entries.count
            bucket.entries.removeAll { entry in
                guard isRemoved(entry.cookie) else { return false }
                removed.append(entry.cookie)
                return true
            }
            guard bucket.entries.count < known else { continue }
            noteRemoval(of: known - bucket.entries.count, from: bucket.site)
            put(bucket, for: domain)
        }
        return removed
    }

    // MARK: Domains and sites

    /// The site that a domain belongs to: its registrable domain, or itself where there is none.
    /// Those with cookies know theirs, without a look at the public suffix list.
    private func site(of domain: String) -> String {
        buckets[domain]?.site ?? PublicSuffixList.registrableDomain(of: domain) ?? domain
    }

    /// Takes the cookies of a domain out, so that they are changed in their place.
    private mutating func take(_ domain: String) -> Bucket {
        buckets.removeValue(forKey: domain) ?? Bucket(site: site(of: domain))
    }

    private mutating func put(_ bucket: Bucket, for domain: String) {
        if bucket.entries.isEmpty {
            buckets[domain] = nil
            sites[bucket.site]?.domains.remove(domain)
            if sites[bucket.site]?.domains.isEmpty == true { sites[bucket.site] = nil }
        } else {
            if bucket.entries.count == 1 { sites[bucket.site, default: Site()].domains.insert(domain) }
            buckets[domain] = bucket
        }
    }

    private mutating func append(_ cookie: Cookie, to bucket: inout Bucket) {
        bucket.entries.append(Entry(cookie: cookie, number: nextNumber))
        nextNumber += 1
        count += 1
        sites[bucket.site, default: Site()].count += 1
    }

    private mutating func noteRemoval(of number: Int, from site: String) {
        count -= number
        sites[site]?.count -= number
    }

    // MARK: Limits

    /// Removes from a site that has too many cookies those whose time is over, and then those that
    /// §5.7 has forgotten first: what is not for `https` alone, and what was not used for the
    /// longest time.
    private mutating func shorten(
        _ name: String,
        keeping identity: Cookie.Identity? = nil,
        at now: Date
    ) -> [Change] {
        guard let site = sites[name], site.count > limits.cookiesPerDomain else { return [] }
        var order = site.domains.flatMap { buckets[$0]?.entries ?? [] }.filter { $0.cookie.identity != identity }
        order.sort { left, right in
            let (isOver, isOtherOver) = (left.cookie.isExpired(at: now), right.cookie.isExpired(at: now))
            guard isOver == isOtherOver else { return isOver }
            guard left.cookie.isSecure == right.cookie.isSecure else { return !left.cookie.isSecure }
            return (left.cookie.lastUsed, left.number) < (right.cookie.lastUsed, right.number)
        }
        let ends = order.count { $0.cookie.isExpired(at: now) }
        let gone = order.prefix(max(ends, site.count - limits.cookiesPerDomain))
        let numbers = Set(gone.map(\.number))
        noteRemoval(of: gone.count, from: name)
        for domain in Set(gone.map(\.cookie.domain)) {
            var bucket = take(domain)
            bucket.entries.removeAll { numbers.contains($0.number) }
            put(bucket, for: domain)
        }
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
        let order = buckets.values.flatMap(\.entries).filter { $0.cookie.identity != identity }
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
