import FoundationEssentials
import Synchronization

/// The way of changes to the store: on a thread that may block, one batch at a time, and all that
/// came meanwhile in the next one.
extension CookieJar {
    /// Waits until the store has all cookies that the jar has now. Without a store it returns at
    /// once.
    ///
    /// A program that ends calls it before: what is being written then would be lost otherwise.
    /// ``SessionManager/shutdown()`` calls it.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed`` where they could not be written. They are
    ///   tried again with the next change.
    public func flush() async throws(NetworkingError) {
        try await exchange(always: false)
    }

    /// Takes in what other processes have changed in the store, and writes the changes of this one.
    /// Each change of this process does so, too.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed`` where the store cannot be used.
    public func refresh() async throws(NetworkingError) {
        try await exchange(always: true)
    }

    private func exchange(always: Bool) async throws(NetworkingError) {
        guard store != nil else { return }
        let now = now()
        let failure = await withCheckedContinuation { (continuation: CheckedContinuation<NetworkingError?, Never>) in
            let (isDone, begins) = state.withLock { state -> (Bool, Bool) in
                guard always || state.isWriting || !state.changes.isEmpty else { return (true, false) }
                state.waiters.append { continuation.resume(returning: $0) }
                return (false, state.beginsWriting(at: now))
            }
            if isDone { continuation.resume(returning: nil) }
            if begins { beginWriting() }
        }
        if let failure { throw failure }
    }

    func beginWriting() {
        BlockingThreads.files.submit { unavailable in
            if let unavailable { self.state.withLock { $0.end() }.forEach { $0(Self.failure(unavailable)) } }
            while unavailable == nil, self.writeBatch() {}
        }
    }

    /// Writes what has changed.
    ///
    /// - Returns: Whether there may be more to write.
    private func writeBatch() -> Bool {
        guard let store else { return false }
        let batch = state.withLock { state -> (CookieStoreChanges, [Waiter])? in
            guard !state.changes.isEmpty || !state.waiters.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { (state.changes, state.waiters) = (CookieStoreChanges(), []) }
            return (state.changes, state.waiters)
        }
        guard let (changes, waiters) = batch else { return false }
        do {
            if let cookies = try store.update(changes, at: now()) { adopt(cookies) }
        } catch {
            // Not at once again, which would keep a thread busy: with the next change, or when
            // somebody waits for it.
            let more = state.withLock { state in
                state.changes.prepend(changes)
                state.changes.shorten(to: limits.cookies)
                return state.end()
            }
            for waiter in waiters + more { waiter(Self.failure(error)) }
            return false
        }
        for waiter in waiters { waiter(nil) }
        return true
    }

    /// Takes in the cookies of the store after another process has changed some. What this process
    /// has changed since then wins.
    private func adopt(_ cookies: [Cookie]) {
        let now = now()
        state.withLock { state in
            guard !state.changes.removesAll else { return }
            var changes: [CookieTable.Change] = []
            var loaded: [Cookie] = []
            var stored: Set<Cookie.Identity> = []
            for var cookie in cookies where cookie.isWellFormed && !cookie.isExpired(at: now) {
                let identity = cookie.identity
                stored.insert(identity)
                guard !state.changes.concern(identity) else { continue }
                let known = state.table[identity]
                if let known {
                    // Not each format has them, and the use by this process may be the later one.
                    cookie.created = min(known.created, cookie.created)
                    cookie.lastUsed = max(known.lastUsed, cookie.lastUsed)
                }
                loaded.append(cookie)
                if known.map({ !$0.hasEqualContent(cookie) }) ?? true {
                    changes.append(CookieTable.Change(cookie: cookie, kind: known == nil ? .added : .changed))
                }
            }
            let crowded = state.table.load(loaded, at: now)
            let gone = state.table.removeAll { cookie in
                let identity = cookie.identity
                return (keepsSessionCookies || cookie.expires != nil) && !stored.contains(identity)
                    && !state.changes.concern(identity)
            }
            changes += gone.map { cookie in
                CookieTable.Change(cookie: cookie, kind: cookie.isExpired(at: now) ? .expired : .removed)
            }
            let evicted = crowded + state.table.makeRoom(at: now)
            for change in evicted where change.kind == .evicted { state.changes.evict(change.cookie) }
            state.tell(changes + evicted)
        }
    }

    /// Writes the last changes of a jar that nobody has any more.
    static func write(_ changes: CookieStoreChanges, to store: any CookieStore, at now: Date) {
        BlockingThreads.files.submit { unavailable in
            // There is nobody to tell of an error.
            if unavailable == nil { _ = try? store.update(changes, at: now) }
        }
    }

    static func failure(_ error: any Error) -> NetworkingError {
        if let error = error as? NetworkingError { return error }
        return NetworkingError(.storeFailed, "The store of cookies cannot be used: \(error)", underlying: error)
    }
}

extension CookieJar.State {
    /// Ends the writing after an error.
    ///
    /// - Returns: Those who wait for it.
    mutating func end() -> [CookieJar.Waiter] {
        isWriting = false
        defer { waiters = [] }
        return waiters
    }
}
