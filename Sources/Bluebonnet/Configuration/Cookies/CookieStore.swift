public import FoundationEssentials

/// Keeps the cookies of a ``CookieJar`` beyond the life of the process.
///
/// The jar calls it on a thread that may block, one call at a time, and never while a request
/// waits. Several processes may use the same store: each hands over only what it has changed, and
/// gets what the others have.
///
/// ``CookieFile`` keeps them in a file that curl can read, and `CookieDatabase` of the product
/// `BluebonnetStores` in an SQLite database.
///
/// Counterpart of `NSHTTPCookieStorage`, whose place no program chooses.
public protocol CookieStore: Sendable {
    /// All cookies of the store.
    ///
    /// - Returns: The cookies, also those whose time is over.
    /// - Throws: ``NetworkingError`` with ``NetworkingError/Code/storeFailed``.
    func cookies() throws -> [Cookie]

    /// Makes the changes of one process, all or none of them, and removes what is expired.
    ///
    /// - Parameters:
    ///   - changes: What the process has changed since the last call. May be empty.
    ///   - now: The present, as the jar knows it.
    /// - Returns: All cookies that are there now, where another process may have changed some since
    ///   the last call; nil where the jar knows them.
    /// - Throws: Any error. The jar keeps the changes and hands them over again with the next ones.
    func update(_ changes: CookieStoreChanges, at now: Date) throws -> [Cookie]?
}

/// What a ``CookieJar`` has changed, for its ``CookieStore``.
///
/// No counterpart in AFNetworking or Alamofire.
public struct CookieStoreChanges: Sendable, Equatable {
    /// Whether everything is removed first, also the cookies of other processes. Default: false.
    public var removesAll = false
    /// The cookies to store in place of those with the same identity.
    public var stored: [Cookie.Identity: Cookie] = [:]
    /// The cookies to remove.
    public var removed: Set<Cookie.Identity> = []
    /// The cookies to remove only where the store still has them with this value and this end:
    /// those that the jar has forgotten to have room. Another process may have renewed them.
    public var evicted: [Cookie.Identity: Cookie] = [:]

    /// Makes changes of which there are none.
    public init() {}

    /// Whether there is nothing to do.
    public var isEmpty: Bool { !removesAll && stored.isEmpty && removed.isEmpty && evicted.isEmpty }

    /// Makes the changes in a list of cookies, for stores that write all of them at once.
    ///
    /// - Parameter cookies: The cookies of the store.
    /// - Returns: The cookies that it is to have, in the same order and new ones at the end.
    public func applied(to cookies: [Cookie]) -> [Cookie] {
        var rest = stored
        var result: [Cookie] = []
        for cookie in removesAll ? [] : cookies {
            let identity = cookie.identity
            if let new = rest.removeValue(forKey: identity) {
                result.append(new)
            } else if stored[identity] == nil, !removed.contains(identity),
                !(evicted[identity]?.hasEqualContent(cookie) ?? false)
            {
                result.append(cookie)
            }
        }
        return result + rest.values.sorted { ($0.created, $0.name) < ($1.created, $1.name) }
    }

    /// Whether they say of a cookie what is to become of it.
    func concern(_ identity: Cookie.Identity) -> Bool {
        stored[identity] != nil || removed.contains(identity) || evicted[identity] != nil
    }

    mutating func store(_ cookie: Cookie) {
        let identity = cookie.identity
        stored[identity] = cookie
        removed.remove(identity)
        evicted[identity] = nil
    }

    mutating func remove(_ cookie: Cookie) {
        let identity = cookie.identity
        stored[identity] = nil
        evicted[identity] = nil
        removed.insert(identity)
    }

    mutating func evict(_ cookie: Cookie) {
        let identity = cookie.identity
        if stored.removeValue(forKey: identity) != nil {
            // The store has an older one, which was to be replaced whatever it is.
            removed.insert(identity)
        } else if !removed.contains(identity) {
            evicted[identity] = cookie
        }
    }

    /// Forgets changes of which a store that always fails would have ever more. Some of the cookies
    /// that were to be removed then stay there.
    mutating func shorten(to most: Int) {
        // The next jar that reads them forgets them again.
        if evicted.count > most { evicted = [:] }
        if removed.count > most { removed = Set(removed.prefix(most)) }
    }

    mutating func removeAll() {
        self = CookieStoreChanges()
        removesAll = true
    }

    /// Puts changes that could not be made before these.
    mutating func prepend(_ earlier: CookieStoreChanges) {
        guard !removesAll else { return }
        var result = earlier
        for cookie in stored.values { result.store(cookie) }
        for identity in removed {
            result.stored[identity] = nil
            result.evicted[identity] = nil
            result.removed.insert(identity)
        }
        for cookie in evicted.values { result.evict(cookie) }
        self = result
    }
}

extension Cookie {
    /// Whether another one has the same value, and the same end as files have it: in whole seconds.
    func hasEqualContent(_ other: Cookie) -> Bool {
        value == other.value && expires.map(NetscapeCookies.seconds) == other.expires.map(NetscapeCookies.seconds)
    }
}
