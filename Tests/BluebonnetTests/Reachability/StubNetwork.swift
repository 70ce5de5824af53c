import Dispatch
import NIOCore
import Synchronization

@testable import Bluebonnet

/// A network whose states a test tells.
struct StubNetwork {
    let monitor = NetworkMonitor { _, _ in true }

    init(_ state: NetworkState? = nil) {
        // The monitor starts with its first listener.
        monitor.remove(monitor.add { _ in })
        if let state { tell(state) }
    }

    func tell(_ state: NetworkState) { monitor.queue.sync { monitor.publish(state) } }

    /// Returns when the monitor has told what it had to tell.
    func settle() { monitor.queue.sync {} }

    func manager(_ target: ReachabilityTarget = .anywhere) -> NetworkReachabilityManager {
        NetworkReachabilityManager(target: target, domain: nil, monitor: monitor)
    }
}

extension NetworkState {
    /// An interface that is switched off.
    static let offline = NetworkState.after(NetlinkBuilder.link(2, "eth0", flags: 0x1002))

    /// A default route.
    static func online(_ name: String = "eth0", _ kind: NetworkPath.InterfaceKind = .ethernet) -> NetworkState {
        .after(
            NetlinkBuilder.link(2, name),
            NetlinkBuilder.route(to: "0.0.0.0", 0, over: [2]),
            nature: { _ in LinkNature(kind: kind, isExpensive: kind == .cellular) }
        )
    }

    /// A route to a network nearby, and no default route.
    static let near = NetworkState.after(
        NetlinkBuilder.link(1, "lo", flags: 0x49, hardwareType: 772),
        NetlinkBuilder.link(2, "eth0"),
        NetlinkBuilder.route(to: "192.0.2.0", 24, over: [2])
    )
}

extension NetworkState {
    /// ``near``, and a route over a further interface.
    static func near(also network: String) -> NetworkState {
        var state = near
        state.take(NetlinkBuilder.link(3, "eth1") + NetlinkBuilder.route(to: network, 24, over: [3]))
        return state
    }

    /// A default route, and another interface for 192.0.2.0/24.
    static func two(default kind: NetworkPath.InterfaceKind, near: NetworkPath.InterfaceKind) -> NetworkState {
        .after(
            NetlinkBuilder.link(1, "lo", flags: 0x49, hardwareType: 772),
            NetlinkBuilder.link(2, "x0") + NetlinkBuilder.link(3, "x1"),
            NetlinkBuilder.route(to: "0.0.0.0", 0, over: [2]) + NetlinkBuilder.route(to: "192.0.2.0", 24, over: [3]),
            nature: { link in
                if link.isLoopback { return LinkNature(kind: .loopback) }
                let kind = link.index == 2 ? kind : near
                return LinkNature(kind: kind, isExpensive: kind == .cellular)
            }
        )
    }
}

/// Finds what a test says, at once.
final class StubNames: NameResolver, NameSource {
    private struct State {
        var address: IPAddress?
        /// The name of each lookup.
        var hosts: [String] = []
        /// Lookups that a test ends; nil where they end at once.
        var held: [@Sendable () -> Void]?
    }

    private let state = Mutex(State())

    var lookups: Int { hosts.count }

    /// The name of each lookup.
    var hosts: [String] { state.withLock(\.hosts) }

    /// The address of each name from now on.
    func set(_ address: String) {
        state.withLock { $0.address = IPAddress(address) }
    }

    /// Lookups go on until ``release()``.
    func hold() { state.withLock { $0.held = [] } }

    func release() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for end in held { end() }
    }

    func lookUp(
        _ host: String,
        in family: IPAddress.Family,
        isWanted: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<FoundAddresses, any Error>) -> Void
    ) -> @Sendable () -> Void {
        // Counts each name once.
        guard family == .ipv4 else {
            completion(.success(FoundAddresses([])))
            return {}
        }
        let end: @Sendable () -> Void = { [self] in
            let address = state.withLock(\.address)
            let failure = SystemNameResolver.Failure(description: "none")
            completion(address.map { .success(FoundAddresses([$0])) } ?? .failure(failure))
        }
        let isHeld = state.withLock { state in
            state.hosts.append(host)
            state.held?.append(end)
            return state.held != nil
        }
        if !isHeld { end() }
        return {}
    }

    func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
        try await withCheckedThrowingContinuation { continuation in
            _ = lookUp(host, in: family, isWanted: { true }) { continuation.resume(with: $0) }
        }
    }
}
