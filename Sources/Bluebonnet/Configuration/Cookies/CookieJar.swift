public import FoundationEssentials
import Synchronization

/// The cookies of one session or of several (RFC 6265bis): what servers set is stored, and sent
/// back to them.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.cookieJar = CookieJar()
/// let session = SessionManager(configuration: configuration)
/// ```
///
/// Cookies are kept in memory, or also in a ``CookieStore``: `CookieJar(file:)` has them in a file
/// of the format of curl. The store is read once, when the jar is made; what changes is written on
/// another thread, and no request waits for it. See <doc:Cookies>.
///
/// Counterpart of `NSHTTPCookieStorage`.
public final class CookieJar: Sendable {
    /// The most cookies that are kept; beyond that, others are forgotten (RFC 6265bis §5.7): those
    /// whose time is over, and then those that were not sent for the longest time.
    ///
    /// No counterpart in AFNetworking or Alamofire.
    public struct Limits: Sendable, Hashable {
        /// The most of one registrable domain (``PublicSuffixList``) and all names below it, or of
        /// one address; those that are not for `https` alone are forgotten first. Also the most
        /// that one response can set. Default: 180, as in Chromium. At least 1.
        public var cookiesPerDomain: Int
        /// The most in all. Default: 10,000. At least 1.
        public var cookies: Int

        /// Makes limits.
        ///
        /// - Parameters:
        ///   - cookiesPerDomain: The most cookies of one domain. Default: 180.
        ///   - cookies: The most cookies in all. Default: 10,000.
        public init(cookiesPerDomain: Int = 180, cookies: Int = 10_000) {
            self.cookiesPerDomain = max(1, cookiesPerDomain)
            self.cookies = max(1, cookies)
        }
    }

    struct State {
        var table: CookieTable
        var changes = CookieStoreChanges()
        var isWriting = false
        var lastWriting = Date.distantPast
        /// Those who wait until all is written.
        var waiters: [CookieWaiter] = []
        var observers: [Int: AsyncStream<CookieChange>.Continuation] = [:]
        var nextObserver = 0
    }

    /// The limits.
    public let limits: Limits
    let store: (any CookieStore)?
    /// Whether the store gets the cookies that end with the session.
    let keepsSessionCookies: Bool
    let now: @Sendable () -> Date
    /// The longest that a cancelled Swift task waits for the store.
    let patienceOfCancelled: Duration
    let state: Mutex<State>

    /// Makes a jar whose cookies are in memory only.
    ///
    /// - Parameter limits: The most cookies that are kept. Default: 10,000, and 180 of a domain.
    public convenience init(limits: Limits = Limits()) {
        self.init(limits: limits, store: nil, known: [], keepsSessionCookies: true) { Date() }
    }

    /// Makes a jar whose cookies are in a store, which is read here, on the thread of the caller.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - keepsSessionCookies: Whether the store gets the cookies without an end, too, which a
    ///     browser forgets when it is closed. If not, those that are in the store already are
    ///     neither used nor removed. Default: false.
    ///   - limits: The most cookies that are kept. Default: 10,000, and 180 of a domain.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a store that cannot be read.
    public convenience init(
        store: any CookieStore,
        keepsSessionCookies: Bool = false,
        limits: Limits = Limits()
    ) throws(NetworkingError) {
        try self.init(store: store, keepsSessionCookies: keepsSessionCookies, limits: limits) { Date() }
    }

    convenience init(
        store: any CookieStore,
        keepsSessionCookies: Bool,
        limits: Limits,
        patienceOfCancelled: Duration = .seconds(1),
        now: @escaping @Sendable () -> Date
    ) throws(NetworkingError) {
        let known: [Cookie]
        do {
            known = try store.cookies()
        } catch {
            throw Self.failure(error)
        }
        self.init(
            limits: limits,
            store: store,
            known: known,
            keepsSessionCookies: keepsSessionCookies,
            patienceOfCancelled: patienceOfCancelled,
            now: now
        )
    }

    /// Makes a jar whose cookies are in a file, in the format of curl and Netscape: see
    /// ``CookieFile``. The file is read here, on the thread of the caller.
    ///
    /// - Parameters:
    ///   - file: A file URL. Its folder must exist; the file need not.
    ///   - keepsSessionCookies: Whether the cookies without an end are in the file, too, as those
    ///     of curl are. If not, those that are there already are neither used nor removed. Default:
    ///     true.
    ///   - limits: The most cookies that are kept. Default: 10,000, and 180 of a domain.
    /// - Throws: ``NetworkingError/Code/storeFailed`` for a file that cannot be read, or is not one
    ///   of cookies.
    public convenience init(
        file: URL,
        keepsSessionCookies: Bool = true,
        limits: Limits = Limits()
    ) throws(NetworkingError) {
        try self.init(store: CookieFile(file), keepsSessionCookies: keepsSessionCookies, limits: limits)
    }

    init(
        limits: Limits = Limits(),
        store: (any CookieStore)? = nil,
        known: [Cookie] = [],
        keepsSessionCookies: Bool = true,
        patienceOfCancelled: Duration = .seconds(1),
        now: @escaping @Sendable () -> Date
    ) {
        self.limits = limits
        self.store = store
        self.keepsSessionCookies = keepsSessionCookies
        self.now = now
        self.patienceOfCancelled = patienceOfCancelled
        var table = CookieTable(limits: limits)
        let present = now()
        let evicted =
            table.load(
                known.filter { cookie in
                    // Those of a session that is over are not sent in this one.
                    (keepsSessionCookies || cookie.expires != nil) && cookie.isWellFormed
                        && !cookie.isExpired(at: present)
                },
                at: present
            )
            + table.makeRoom(at: present)
        var state = State(table: table)
        for change in evicted where change.kind == .evicted {
            state.changes.evict(change.cookie)
        }
        self.state = Mutex(state)
    }

    deinit {
        let (changes, observers) = state.withLock { ($0.changes, $0.observers.values.map(\.self)) }
        for observer in observers { observer.finish() }
        if let store, !changes.isEmpty { Self.write(changes, to: store, at: now()) }
    }

    // MARK: Reading

    /// All cookies, in the order in which they were set first.
    public var cookies: [Cookie] {
        let now = now()
        return state.withLock { $0.table.cookies }.filter { !$0.isExpired(at: now) }
    }

    /// The cookies that are in memory only, because the store cannot hold them: in a
    /// ``CookieFile``, those with a tab. None without a store.
    public var unstorableCookies: [Cookie] {
        guard let store else { return [] }
        return cookies.filter { !store.canStore($0) }
    }

    /// The cookies that a request would be sent with, in their order.
    ///
    /// - Parameter url: The URL of the request.
    /// - Returns: The cookies.
    public func cookies(for url: URL) -> [Cookie] {
        guard let source = CookieSource(url) else { return [] }
        let now = now()
        return state.withLock { $0.table.matching(source, at: now, notesUse: false) }
    }

    /// The value of the `Cookie` field for a request.
    ///
    /// - Parameter url: The URL of the request.
    /// - Returns: `a=1; b=2`; nil without cookies.
    public func header(for url: URL) -> String? {
        let cookies = cookies(for: url)
        return cookies.isEmpty ? nil : cookies.map(\.pair).joined(separator: "; ")
    }

    /// The cookies of a request that is sent now.
    func cookies(for source: CookieSource) -> [Cookie] {
        let now = now()
        return state.withLock { $0.table.matching(source, at: now, notesUse: true) }
    }

    // MARK: Changing

    /// Stores a cookie in place of the one with its identity. One whose time is over removes that.
    ///
    /// The owner of a jar may set what a server may not: for any host, with any end, and `Secure`
    /// ones. Refused are control characters, more than 4,096 bytes of name and value or 1,024 of
    /// path, a `;` in name or value, a name that promises with `__Secure-` or `__Host-` what the
    /// cookie does not keep, and a domain that is not one of ASCII characters, or that is a public
    /// suffix and not of the host alone.
    ///
    /// - Parameter cookie: The cookie.
    /// - Returns: Whether the jar has taken it.
    @discardableResult
    public func set(_ cookie: Cookie) -> Bool {
        guard cookie.isAcceptable else { return false }
        change { state, now in set(cookie, in: &state, at: now) }
        return true
    }

    /// Takes in the value of a `Set-Cookie` field, as if a server had sent it.
    ///
    /// - Parameters:
    ///   - setCookie: The value of one field.
    ///   - url: The URL of the request.
    /// - Returns: Whether the jar has taken it.
    @discardableResult
    public func set(_ setCookie: String, from url: URL) -> Bool {
        guard let source = CookieSource(url) else { return false }
        return receive([setCookie], from: source) == 1
    }

    /// Takes in what a response sets.
    ///
    /// - Returns: The number of cookies that the jar has taken.
    @discardableResult
    func receive(_ fields: [String], from source: CookieSource) -> Int {
        let now = now()
        let cookies = fields.prefix(limits.cookiesPerDomain).compactMap { text in
            SetCookieField(text, now: now)?.cookie(from: source, now: now)
        }
        guard !cookies.isEmpty else { return 0 }
        var taken = 0
        change { state, now in
            cookies.flatMap { cookie -> [CookieTable.Change] in
                // §5.7: what comes by `http` hides none that is for `https` alone.
                guard source.isSecure || !state.table.hasSecureCookie(hiddenBy: cookie, at: now) else { return [] }
                taken += 1
                return set(cookie, in: &state, at: now, isTrusted: source.isSecure)
            }
        }
        return taken
    }

    /// Stores a cookie, or removes it where its time is over: from the store also where this
    /// process does not know it, since another one may have set it there.
    ///
    /// What comes by `http` removes no unknown one, which may be for `https` alone.
    private func set(
        _ cookie: Cookie,
        in state: inout State,
        at now: Date,
        isTrusted: Bool = true
    ) -> [CookieTable.Change] {
        let changes = state.table.set(cookie, at: now)
        if store != nil, isTrusted, changes.isEmpty, cookie.isExpired(at: now) {
            state.changes.remove(cookie.identity)
        }
        return changes
    }

    /// Removes a cookie, from the store also where this process does not know it.
    ///
    /// - Parameter identity: Its ``Cookie/identity``.
    /// - Returns: The cookie; nil where there was none.
    @discardableResult
    public func remove(_ identity: Cookie.Identity) -> Cookie? {
        var removed: Cookie?
        change { state, _ in
            removed = state.table.remove(identity)
            if store != nil, removed == nil { state.changes.remove(identity) }
            return removed.map { [CookieTable.Change(cookie: $0, kind: .removed)] } ?? []
        }
        return removed
    }

    /// Removes the cookies of which the closure says so.
    ///
    /// - Parameter isRemoved: Whether a cookie is removed. It must not use the jar.
    public func removeAll(where isRemoved: (Cookie) -> Bool) {
        change { state, _ in
            state.table.removeAll(where: isRemoved).map { CookieTable.Change(cookie: $0, kind: .removed) }
        }
    }

    /// Removes all cookies, also those that other processes have put into the store.
    public func removeAll() {
        replace(with: [])
    }

    /// Removes the cookies that end with the session, as a browser does when it is closed.
    public func removeSessionCookies() {
        removeAll { $0.expires == nil }
    }

    /// Removes all cookies, also those that other processes have put into the store, and stores
    /// these. Those that ``set(_:)`` would refuse are left out.
    ///
    /// - Parameter cookies: The cookies.
    public func replace(with cookies: [Cookie]) {
        change(removesAll: true) { state, now in
            let removed = state.table.removeAll { _ in true }.map { CookieTable.Change(cookie: $0, kind: .removed) }
            return removed + cookies.filter(\.isAcceptable).flatMap { state.table.set($0, at: now) }
        }
    }

    /// Changes the table, tells the observers, and has the store written.
    private func change(removesAll: Bool = false, _ change: (inout State, Date) -> [CookieTable.Change]) {
        let now = now()
        let begins = state.withLock { state in
            let changes = change(&state, now)
            state.tell(changes, isStored: isForStore)
            guard store != nil else { return false }
            if removesAll { state.changes.removeAll() }
            var isUrgent = changes.reduce(false) { note($1, in: &state.changes) || $0 }
            // Servers may remove any number of cookies that nobody has.
            if state.changes.removed.count > limits.cookies { isUrgent = true }
            let isTime = abs(now.timeIntervalSince(state.lastWriting)) >= Self.pauseOfEnds
            return isUrgent || removesAll || isTime ? state.beginsWriting(at: now) : false
        }
        if begins { beginWriting() }
    }

    /// Many servers move the end of a cookie with each response, or remove one that is not there.
    /// Where nothing else changes, that is written after so many seconds, or with the next change.
    private static let pauseOfEnds: TimeInterval = 60

    /// Notes a change for the store.
    ///
    /// - Returns: Whether it is more than another end.
    private func note(_ change: CookieTable.Change, in changes: inout CookieStoreChanges) -> Bool {
        let cookie = change.cookie
        let known = change.replaced.flatMap { isForStore($0) ? $0 : nil }
        switch change.kind {
        case .added, .changed:
            guard isForStore(cookie) else {
                // The store may have one with an end in its place.
                guard known != nil else { return false }
                changes.remove(cookie.identity)
                return true
            }
            changes.store(cookie, replacing: known)
            var renewed = change.replaced
            if renewed?.expires != nil, cookie.expires != nil { renewed?.expires = cookie.expires }
            renewed?.lastUsed = cookie.lastUsed
            return renewed != cookie
        case .removed:
            guard isForStore(cookie) else { return false }
            changes.remove(cookie.identity)
            return true
        // The store looks at the end that it has itself: another process may have changed it.
        case .expired: return false
        case .evicted:
            guard isForStore(cookie) else { return false }
            changes.evict(cookie)
            return true
        }
    }

    /// Whether a cookie is for the store, too.
    func isForStore(_ cookie: Cookie) -> Bool {
        guard let store, keepsSessionCookies || cookie.expires != nil else { return false }
        return store.canStore(cookie)
    }

    // MARK: Observing

    /// The changes from now on: of this jar, and those of other processes when they become known.
    /// The stream ends with the jar.
    ///
    /// - Parameter count: The most changes that wait for their reader; the oldest ones are lost
    ///   then. Default: 1,000.
    /// - Returns: A stream for one reader.
    public func changes(bufferingNewest count: Int = 1_000) -> AsyncStream<CookieChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CookieChange.self,
            bufferingPolicy: .bufferingNewest(max(1, count))
        )
        let number = state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = continuation
            return state.nextObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.observers[number] = nil }
        }
        return stream
    }
}

extension CookieJar.State {
    /// Tells the observers. Under the lock, so that all of them hear all changes in one order.
    func tell(_ changes: [CookieTable.Change], isStored: (Cookie) -> Bool) {
        guard !observers.isEmpty else { return }
        for change in changes {
            let told = CookieChange(cookie: change.cookie, kind: change.kind, isStored: isStored(change.cookie))
            for observer in observers.values { observer.yield(told) }
        }
    }

    /// Whether somebody has to begin to write.
    mutating func beginsWriting(at now: Date) -> Bool {
        guard !isWriting, !changes.isEmpty || !waiters.isEmpty else { return false }
        isWriting = true
        lastWriting = now
        return true
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies: `CookieJar with 3 cookies`.
    public var description: String {
        let count = cookies.count
        return "CookieJar with \(count) \(count == 1 ? "cookie" : "cookies")"
    }

    /// Nothing, so that `dump` shows no value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Cookie {
    /// Whether a jar takes it from its owner.
    var isAcceptable: Bool { isWellFormed && (isHostOnly || !PublicSuffixList.contains(domain)) }
}
