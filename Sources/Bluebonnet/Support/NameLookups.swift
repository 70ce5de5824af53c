import NIOCore
import Synchronization

/// The names of a session: the lookups under way, each shared by all attempts for the same host,
/// their results for as long as they may be used, and the addresses that were better than the first
/// ones.
final class NameLookups: Sendable {
    typealias Completion = @Sendable (Result<[IPAddress], any Error>) -> Void

    /// An attempt's wait for a lookup.
    struct Ticket: Sendable {
        fileprivate let lookup: Int
        fileprivate let waiter: Int
    }

    /// What is known when addresses are asked for.
    enum Outcome {
        /// It was found before, and the completion is not called.
        case known(Result<[IPAddress], any Error>)
        case pending(Ticket)
    }

    private struct Lookup {
        let key: NameCache.Key
        let startedAt: NIODeadline
        var waiters: [Int: Completion]
        /// Ends it, where that is possible.
        var stop: (@Sendable () -> Void)?
        /// Whether a newer lookup has found addresses.
        var isOutdated = false
    }

    private struct State {
        var lookups: [Int: Lookup] = [:]
        /// The lookup that others may join.
        var newest: [NameCache.Key: Int] = [:]
        var nextNumber = 0
        var cache = NameCache()
        var history = AddressHistory()

        mutating func number() -> Int {
            defer { nextNumber += 1 }
            return nextNumber
        }

        mutating func remove(_ number: Int) -> Lookup? {
            guard let lookup = lookups.removeValue(forKey: number) else { return nil }
            if newest[lookup.key] == number { newest[lookup.key] = nil }
            return lookup
        }

        /// Remembers the result of a lookup, unless a newer one has found addresses.
        mutating func store(_ result: Result<FoundAddresses, any Error>, of lookup: Lookup, number: Int) {
            guard !lookup.isOutdated else { return }
            cache.store(result, for: lookup.key, at: .now())
            guard let found = try? result.get(), !found.addresses.isEmpty else { return }
            for (other, older) in lookups where other < number && older.key == lookup.key {
                lookups[other]?.isOutdated = true
            }
        }
    }

    /// A lookup that has taken longer is not joined any more: a new one may meet a network or a
    /// name server that has come back.
    private static let joinableTime = TimeAmount.seconds(5)

    /// The time for which the addresses of one family wait for those of the other one (RFC 8305 §3,
    /// §8).
    static let resolutionDelay = TimeAmount.milliseconds(50)

    private let source: any NameSource
    private let state = Mutex(State())

    init(_ source: any NameSource) {
        self.source = source
    }

    deinit {
        stopAll()
    }

    /// Stops all lookups, when the session ends: a task that its user keeps may hold this longer.
    func stopAll() {
        let lookups = state.withLock { state in
            defer { (state.lookups, state.newest) = ([:], [:]) }
            return state.lookups
        }
        for lookup in lookups.values { lookup.stop?() }
    }

    // MARK: Lookups

    /// Finds the addresses of a host name: those that are known, or by a lookup, or by one that is
    /// under way. Where none are known, the completion is called once, on any thread, unless the
    /// ticket is cancelled before.
    func addresses(
        of host: String,
        in family: IPAddress.Family,
        at now: NIODeadline = .now(),
        completion: @escaping Completion
    ) -> Outcome {
        let key = NameCache.Key(host: host, family: family)
        let (outcome, new, stop) = state.withLock { state -> (Outcome, Int?, (@Sendable () -> Void)?) in
            if let known = state.cache.result(for: key, at: now) { return (.known(known), nil, nil) }
            let waiter = state.number()
            var stop: (@Sendable () -> Void)?
            if let number = state.newest[key], let lookup = state.lookups[number] {
                if now - lookup.startedAt < Self.joinableTime {
                    state.lookups[number]?.waiters[waiter] = completion
                    return (.pending(Ticket(lookup: number, waiter: waiter)), nil, nil)
                }
                // Nobody waits for it, and nobody will.
                if lookup.waiters.isEmpty { stop = state.remove(number)?.stop }
            }
            let number = state.number()
            state.lookups[number] = Lookup(key: key, startedAt: now, waiters: [waiter: completion])
            state.newest[key] = number
            return (.pending(Ticket(lookup: number, waiter: waiter)), number, stop)
        }
        stop?()
        if let new { begin(new, key) }
        return outcome
    }

    /// The source does not hold this, so that a lookup that hangs does not hold the session.
    private func begin(_ number: Int, _ key: NameCache.Key) {
        let stop = source.lookUp(key.host, in: key.family) { [weak self] in
            self?.isWanted(number) ?? false
        } completion: { [weak self] in
            self?.end(number, $0)
        }
        let isOver = state.withLock { state in
            state.lookups[number]?.stop = stop
            return state.lookups[number] == nil
        }
        if isOver { stop() }
    }

    /// Ends a wait. The lookup goes on for others, which may still join it; one that none can join
    /// is stopped with its last wait.
    func cancel(_ ticket: Ticket) {
        let stop = state.withLock { state -> (@Sendable () -> Void)? in
            state.lookups[ticket.lookup]?.waiters[ticket.waiter] = nil
            guard let lookup = state.lookups[ticket.lookup], lookup.waiters.isEmpty else { return nil }
            return state.newest[lookup.key] == ticket.lookup ? nil : state.remove(ticket.lookup)?.stop
        }
        stop?()
    }

    /// Whether there are waits for a lookup; without any, it can no longer be joined.
    private func isWanted(_ number: Int) -> Bool {
        state.withLock { state in
            guard let lookup = state.lookups[number] else { return false }
            if lookup.waiters.isEmpty { _ = state.remove(number) }
            return !lookup.waiters.isEmpty
        }
    }

    private func end(_ number: Int, _ result: Result<FoundAddresses, any Error>) {
        let lookup = state.withLock { state -> Lookup? in
            guard let lookup = state.remove(number) else { return nil }
            state.store(result, of: lookup, number: number)
            return lookup
        }
        let addresses = result.map(\.addresses)
        for completion in lookup?.waiters.values ?? [:].values { completion(addresses) }
    }

    // MARK: What was learned by connecting

    /// Forgets what is known of a name: none of its addresses could be reached.
    func forget(_ host: String) {
        state.withLock { $0.cache.remove(host) }
    }

    /// The address to begin with; nil where the order of the resolver is right.
    func preferredAddress(of host: String, at now: NIODeadline) -> IPAddress? {
        state.withLock { $0.history.preferred(for: host, at: now) }
    }

    /// Notes the address that was connected to behind one that failed or was too slow.
    func note(_ address: IPAddress, of host: String, at now: NIODeadline) {
        state.withLock { $0.history.note(address, of: host, at: now) }
    }
}
