import FoundationEssentials
import NIOCore
import NIOPosix
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
    /// A Swift task that is cancelled waits no more than a second: time enough to keep the cookies
    /// of a program that is interrupted, unless another process has the lock.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed`` where they could not be written, and
    ///   ``NetworkingError/Code/storeInUse`` where another process keeps the lock. They are tried
    ///   again with the next change. ``NetworkingError/Code/cancelled`` where the Swift task was
    ///   cancelled and has waited for a second; the writing goes on.
    public func flush() async throws(NetworkingError) {
        try await exchange(always: false)
    }

    /// Takes in what other processes have changed in the store, and writes the changes of this one.
    /// Each change of this process does so, too. It waits as ``flush()`` does.
    ///
    /// - Throws: ``NetworkingError/Code/storeFailed`` where the store cannot be used,
    ///   ``NetworkingError/Code/storeInUse`` where another process keeps the lock, and
    ///   ``NetworkingError/Code/cancelled``.
    public func refresh() async throws(NetworkingError) {
        try await exchange(always: true)
    }

    private func exchange(always: Bool) async throws(NetworkingError) {
        guard store != nil else { return }
        let now = now()
        let waiter = CookieWaiter()
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<NetworkingError?, Never>) in
                waiter.begin(continuation)
                let (isDone, begins) = state.withLock { state -> (Bool, Bool) in
                    guard always || state.isWriting || !state.changes.isEmpty else { return (true, false) }
                    state.waiters.append(waiter)
                    return (false, state.beginsWriting(at: now))
                }
                if isDone { waiter.end(nil) }
                if begins { beginWriting() }
            }
        } onCancel: {
            waiter.endLater(after: patienceOfCancelled)
        }
        if let failure { throw failure }
    }

    func beginWriting() {
        BlockingThreads.cookies.submit { unavailable in
            if let unavailable { self.state.withLock { $0.end() }.forEach { $0.end(Self.failure(unavailable)) } }
            while unavailable == nil, self.writeBatch() {}
        }
    }

    /// Writes what has changed.
    ///
    /// - Returns: Whether there may be more to write.
    private func writeBatch() -> Bool {
        guard let store else { return false }
        let batch = state.withLock { state -> (CookieStoreChanges, [CookieWaiter])? in
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
            for waiter in waiters + more { waiter.end(Self.failure(error)) }
            return false
        }
        for waiter in waiters { waiter.end(nil) }
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
            for var cookie in cookies where isForStore(cookie) && cookie.isWellFormed && !cookie.isExpired(at: now) {
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
                return isForStore(cookie) && !stored.contains(identity) && !state.changes.concern(identity)
            }
            changes += gone.map { cookie in
                CookieTable.Change(cookie: cookie, kind: cookie.isExpired(at: now) ? .expired : .removed)
            }
            let evicted = crowded + state.table.makeRoom(at: now)
            for change in evicted where change.kind == .evicted && isForStore(change.cookie) {
                state.changes.evict(change.cookie)
            }
            state.tell(changes + evicted, isStored: isForStore)
        }
    }

    /// Writes the last changes of a jar that nobody has any more.
    static func write(_ changes: CookieStoreChanges, to store: any CookieStore, at now: Date) {
        BlockingThreads.cookies.submit { unavailable in
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
    mutating func end() -> [CookieWaiter] {
        isWriting = false
        defer { waiters = [] }
        return waiters
    }
}

/// Somebody who waits until the store is written. The first end counts, also one before the wait.
final class CookieWaiter: Sendable {
    private enum State {
        case notBegun
        case waits(CheckedContinuation<NetworkingError?, Never>)
        case over(NetworkingError?)
    }

    private let state = Mutex(State.notBegun)

    func begin(_ continuation: CheckedContinuation<NetworkingError?, Never>) {
        let end = state.withLock { state -> NetworkingError?? in
            if case .over(let failure) = state { return .some(failure) }
            state = .waits(continuation)
            return nil
        }
        if let end { continuation.resume(returning: end) }
    }

    func end(_ failure: NetworkingError?) {
        let continuation = state.withLock { state -> CheckedContinuation<NetworkingError?, Never>? in
            switch state {
            case .notBegun:
                state = .over(failure)
                return nil
            case .waits(let continuation):
                state = .over(failure)
                return continuation
            case .over: return nil
            }
        }
        continuation?.resume(returning: failure)
    }

    /// Ends the wait of a Swift task that was cancelled.
    func endLater(after time: Duration) {
        // Not on the loops of a session, which may be shut down and drop the timer.
        NIOSingletons.posixEventLoopGroup.any().scheduleTask(in: time.timeAmount) {
            self.end(NetworkingError(.cancelled, "The wait for the store of cookies was cancelled."))
        }
    }
}
