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

    /// Whether the store can hold a cookie so that it is read again as it is. One that it cannot
    /// hold is never handed over: the jar has it in memory only, and says so
    /// (``CookieJar/unstorableCookies``). Default: true for each.
    ///
    /// - Parameter cookie: The cookie.
    /// - Returns: Whether the store can hold it.
    func canStore(_ cookie: Cookie) -> Bool
}

extension CookieStore {
    /// True: the store can hold each cookie.
    ///
    /// - Parameter cookie: The cookie.
    /// - Returns: Whether the store can hold it.
    public func canStore(_ cookie: Cookie) -> Bool { true }
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

    /// What the store has, as far as this process knows, in the place of those to be stored.
    private var known: [Cookie.Identity: Cookie] = [:]
    /// Those to be stored that were to be removed before, whatever the store has.
    private var wereRemoved: Set<Cookie.Identity> = []

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

    /// Notes a cookie to be stored.
    ///
    /// - Parameters:
    ///   - cookie: The cookie.
    ///   - known: The one that the store has in its place; nil where this process knows of none.
    mutating func store(_ cookie: Cookie, replacing known: Cookie? = nil) {
        let identity = cookie.identity
        if removed.remove(identity) != nil {
            wereRemoved.insert(identity)
        } else if let evicted = evicted.removeValue(forKey: identity) {
            self.known[identity] = evicted
        } else if stored[identity] == nil {
            self.known[identity] = known
        }
        stored[identity] = cookie
    }

    mutating func remove(_ identity: Cookie.Identity) {
        forgetStored(identity)
        evicted[identity] = nil
        removed.insert(identity)
    }

    mutating func evict(_ cookie: Cookie) {
        let identity = cookie.identity
        guard stored[identity] != nil else {
            if !removed.contains(identity), evicted[identity] == nil { evicted[identity] = cookie }
            return
        }
        // What was there before must not come back. What another process has put there since is
        // its own.
        let (known, wasRemoved) = (known[identity], wereRemoved.contains(identity))
        forgetStored(identity)
        if wasRemoved { removed.insert(identity) } else { evicted[identity] = known }
    }

    private mutating func forgetStored(_ identity: Cookie.Identity) {
        stored[identity] = nil
        known[identity] = nil
        wereRemoved.remove(identity)
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
        for (identity, cookie) in stored {
            if wereRemoved.contains(identity) { result.remove(identity) }
            result.store(cookie, replacing: known[identity])
        }
        for identity in removed { result.remove(identity) }
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
