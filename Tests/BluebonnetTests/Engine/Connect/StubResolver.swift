import Dispatch
import Synchronization

@testable import Bluebonnet

/// A resolver for tests. A lookup of a host that begins with `dead` blocks one thread until the
/// test ends it, as the system's resolver does when its name server sends nothing.
final class StubResolver: NameResolver {
    /// The name does not exist.
    struct NotFound: Error {}

    private let hosts: [String: [String]]
    private let lookups = Mutex<[String: Int]>([:])
    private let dead = Mutex<[DispatchSemaphore]>([])

    /// - Parameter hosts: The hosts that exist, with their addresses. Hosts that begin with `dead`
    ///   are never resolved.
    init(_ hosts: [String: [String]] = [:]) {
        self.hosts = hosts
    }

    deinit {
        endDeadLookups()
    }

    /// The number of lookups of a host so far.
    func lookups(of host: String) -> Int { lookups.withLock { $0[host] ?? 0 } }

    /// The number of lookups that are blocked now.
    var deadLookups: Int { dead.withLock { $0.count } }

    /// Ends the blocked lookups with an error.
    func endDeadLookups() {
        let ended = dead.withLock { dead in
            defer { dead = [] }
            return dead
        }
        for gate in ended { gate.signal() }
    }

    func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
        // Each name is counted once.
        guard family == .ipv4 else {
            return FoundAddresses((hosts[host] ?? []).compactMap { IPAddress($0) }.filter { $0.family == family })
        }
        lookups.withLock { $0[host, default: 0] += 1 }
        let gate = host.hasPrefix("dead") ? DispatchSemaphore(value: 0) : nil
        if let gate { dead.withLock { $0.append(gate) } }
        let addresses = hosts[host]
        return try await BlockingThreads.lookups.runEvenIfCancelled {
            gate?.wait()
            guard let addresses, gate == nil else { throw NotFound() }
            return FoundAddresses(addresses.compactMap { IPAddress($0) }.filter { $0.family == family })
        }
    }
}

/// A resolver for tests whose name server sends the addresses of IPv4, and nothing about IPv6.
struct HalfSilentResolver: NameResolver {
    private let addresses: [IPAddress]

    /// - Parameter addresses: The addresses of every host.
    init(_ addresses: [String]) {
        self.addresses = addresses.compactMap { IPAddress($0) }
    }

    func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
        if family == .ipv6 { try await Task.sleep(for: .seconds(3600)) }
        return FoundAddresses(addresses)
    }
}
