import NIOCore
import Synchronization

/// The name lookups under way, each shared by all attempts for the same host. Results are not
/// remembered: that is left to the system.
final class NameLookups: Sendable {
    typealias Completion = @Sendable (Result<[SocketAddress], any Error>) -> Void

    /// An attempt's wait for a lookup.
    struct Ticket: Sendable {
        fileprivate let lookup: Int
        fileprivate let waiter: Int
    }

    private struct Lookup {
        let host: String
        let startedAt: NIODeadline
        var waiters: [Int: Completion]
    }

    private struct State {
        var lookups: [Int: Lookup] = [:]
        /// The lookup that others may join.
        var newest: [String: Int] = [:]
        var nextNumber = 0

        mutating func number() -> Int {
            defer { nextNumber += 1 }
            return nextNumber
        }

        mutating func remove(_ number: Int) -> Lookup? {
            guard let lookup = lookups.removeValue(forKey: number) else { return nil }
            if newest[lookup.host] == number { newest[lookup.host] = nil }
            return lookup
        }
    }

    /// A lookup that has taken longer is not joined any more: a new one may meet a network or a
    /// name server that has come back.
    private static let joinableTime = TimeAmount.seconds(5)

    private let resolver: any NameResolver
    private let state = Mutex(State())

    init(resolver: any NameResolver) {
        self.resolver = resolver
    }

    /// Looks a host name up, or joins a lookup of it. The completion is called once, on any thread,
    /// unless the ticket is cancelled before.
    func addresses(
        of host: String,
        at now: NIODeadline = .now(),
        completion: @escaping Completion
    ) -> Ticket {
        let (ticket, isNew) = state.withLock { state -> (Ticket, Bool) in
            let waiter = state.number()
            if let number = state.newest[host], let startedAt = state.lookups[number]?.startedAt,
                now - startedAt < Self.joinableTime
            {
                state.lookups[number]?.waiters[waiter] = completion
                return (Ticket(lookup: number, waiter: waiter), false)
            }
            let number = state.number()
            state.lookups[number] = Lookup(host: host, startedAt: now, waiters: [waiter: completion])
            state.newest[host] = number
            return (Ticket(lookup: number, waiter: waiter), true)
        }
        if isNew {
            resolver.lookUp(host) {
                self.isWanted(ticket.lookup)
            } completion: {
                self.end(ticket.lookup, $0)
            }
        }
        return ticket
    }

    /// Ends a wait. The lookup goes on for others, which may still join it.
    func cancel(_ ticket: Ticket) {
        state.withLock { state in
            state.lookups[ticket.lookup]?.waiters[ticket.waiter] = nil
        }
    }

    /// Whether there are waits for a lookup; without any, it can no longer be joined.
    private func isWanted(_ number: Int) -> Bool {
        state.withLock { state in
            guard let lookup = state.lookups[number] else { return false }
            if lookup.waiters.isEmpty { _ = state.remove(number) }
            return !lookup.waiters.isEmpty
        }
    }

    private func end(_ number: Int, _ result: Result<[SocketAddress], any Error>) {
        let lookup = state.withLock { $0.remove(number) }
        for completion in lookup?.waiters.values ?? [:].values { completion(result) }
    }
}
