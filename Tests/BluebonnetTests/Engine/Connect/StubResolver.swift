import Dispatch
import NIOCore
import Synchronization

@testable import Bluebonnet

/// A resolver whose dead name servers hold a thread for each lookup until the test ends them, as the system's do.
final class StubResolver: NameResolver {
    /// No such name.
    struct NotFound: Error {}

    private let hosts: [String: [String]]
    private let lookups = Mutex<[String: Int]>([:])
    private let dead = Mutex<[DispatchSemaphore]>([])

    /// Knows these hosts; those that begin with `dead` never get an answer, all others do not exist.
    init(_ hosts: [String: [String]] = [:]) {
        self.hosts = hosts
    }

    deinit {
        endDeadLookups()
    }

    /// How often a host was looked up.
    func lookups(of host: String) -> Int { lookups.withLock { $0[host] ?? 0 } }

    /// How many lookups hang.
    var deadLookups: Int { dead.withLock { $0.count } }

    /// Lets the lookups that hang fail.
    func endDeadLookups() {
        let ended = dead.withLock { dead in
            defer { dead = [] }
            return dead
        }
        for gate in ended { gate.signal() }
    }

    func lookUp(
        _ host: String,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
    ) {
        lookups.withLock { $0[host, default: 0] += 1 }
        let gate = host.hasPrefix("dead") ? DispatchSemaphore(value: 0) : nil
        if let gate { dead.withLock { $0.append(gate) } }
        let addresses = hosts[host]
        BlockingThreads.lookups.submit { _ in
            gate?.wait()
            completion(
                Result {
                    guard let addresses, gate == nil else { throw NotFound() }
                    return try addresses.map { try SocketAddress(ipAddress: $0, port: 0) }
                }
            )
        }
    }
}
