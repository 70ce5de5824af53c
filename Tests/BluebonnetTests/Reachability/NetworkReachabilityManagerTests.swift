import Dispatch
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

@Suite struct NetworkReachabilityManagerTests {
    private typealias Builder = NetlinkBuilder

    /// A network whose states a test tells.
    private struct Network {
        let monitor = NetworkMonitor { _, _ in true }

        func tell(_ state: NetworkState) { monitor.queue.sync { monitor.publish(state) } }

        /// Returns when the monitor has told what it had to tell.
        func settle() { monitor.queue.sync {} }

        func manager(_ target: ReachabilityTarget = .anywhere) -> NetworkReachabilityManager {
            NetworkReachabilityManager(target: target, domain: nil, monitor: monitor)
        }
    }

    private static let offline = NetworkState.after(Builder.link(2, "eth0", flags: 0x1002))
    private static func online(_ name: String = "eth0", _ kind: NetworkPath.InterfaceKind = .ethernet) -> NetworkState {
        .after(
            Builder.link(2, name),
            Builder.route(to: "0.0.0.0", 0, over: [2]),
            nature: { _ in LinkNature(kind: kind, isExpensive: kind == .cellular) }
        )
    }

    @Test func `The status is unknown before monitoring, and is not told as not reachable`() {
        let network = Network()
        let manager = network.manager()
        #expect(manager.status == .unknown && manager.path == .unknown && !manager.isReachable)
        #expect(manager.localizedNetworkReachabilityStatusString == "Unknown")
        network.tell(Self.online())
        #expect(manager.status == .unknown)
    }

    @Test func `The first status comes though the network was known before`() {
        let network = Network()
        network.monitor.remove(network.monitor.add { _ in })
        network.tell(Self.online())
        let manager = network.manager()
        manager.startMonitoring()
        network.settle()
        #expect(manager.status == .reachableViaEthernet && manager.isReachable)
    }

    @Test func `Equal statuses are not repeated`() {
        let network = Network()
        let manager = network.manager()
        let told = Mutex<[NetworkReachabilityStatus]>([])
        manager.onStatusChange { status in told.withLock { $0.append(status) } }
        manager.startMonitoring()
        for state in [Self.offline, Self.offline, Self.online(), Self.online("eth1"), Self.offline] {
            network.tell(state)
        }
        #expect(told.withLock { $0 } == [.notReachable, .reachableViaEthernet, .notReachable])
    }

    @Test func `Paths are told where only the interface is another`() async {
        let network = Network()
        let manager = network.manager()
        var paths = manager.paths.makeAsyncIterator()
        manager.startMonitoring()
        for state in [Self.online(), Self.online(), Self.online("eth1"), Self.offline] { network.tell(state) }
        #expect(await paths.next()?.interfaceName == "eth0")
        #expect(await paths.next()?.interfaceName == "eth1")
        #expect(await paths.next()?.status == .notReachable)
    }

    @Test func `A sequence begins with the present status`() async {
        let network = Network()
        let manager = network.manager()
        manager.startMonitoring()
        network.tell(Self.online())
        var statuses = manager.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .reachableViaEthernet)
        network.tell(Self.offline)
        #expect(await statuses.next() == .notReachable)
    }

    @Test func `Nothing is told after monitoring was stopped, and the news when it goes on`() {
        let network = Network()
        let manager = network.manager()
        let told = Mutex<[NetworkReachabilityStatus]>([])
        manager.onStatusChange { status in told.withLock { $0.append(status) } }
        manager.startMonitoring()
        network.tell(Self.online())
        manager.stopMonitoring()
        #expect(!manager.isMonitoring)
        network.tell(Self.offline)
        #expect(manager.status == .reachableViaEthernet)
        manager.startMonitoring()
        network.settle()
        #expect(manager.status == .notReachable)
        #expect(told.withLock { $0 } == [.reachableViaEthernet, .notReachable])
    }

    @Test(arguments: [
        (NetworkReachabilityStatus.unknown, -1, "Unknown", false), (.notReachable, 0, "Not Reachable", false),
        (.reachableViaWWAN, 1, "Reachable via WWAN", true), (.reachableViaWiFi, 2, "Reachable via WiFi", true),
        (.reachableViaEthernet, 2, "Reachable via Ethernet", true),
        (.reachableViaOther, 2, "Reachable via Another Network", true),
    ])
    func `Statuses have the numbers and texts of AFNetworking`(
        status: NetworkReachabilityStatus,
        number: Int,
        text: String,
        isReachable: Bool
    ) {
        #expect(status.number == number && status.description == text && status.isReachable == isReachable)
    }

    @Test func `A mobile network is WWAN, and every other one WiFi for AFNetworking`() {
        let network = Network()
        let manager = network.manager()
        manager.startMonitoring()
        network.tell(Self.online("wwan0", .cellular))
        #expect(manager.isReachableViaWWAN && !manager.isReachableViaWiFi && manager.path.isExpensive)
        network.tell(Self.online())
        #expect(!manager.isReachableViaWWAN && manager.isReachableViaWiFi)
    }

    @Test func `A released manager leaves the monitor`() {
        let network = Network()
        weak var weakManager: NetworkReachabilityManager?
        do {
            let manager = network.manager()
            manager.startMonitoring()
            network.tell(Self.online())
            weakManager = manager
        }
        #expect(weakManager == nil)
    }

    @Test func `A text that is no address makes no manager`() {
        #expect(NetworkReachabilityManager(address: "example.org") == nil)
        #expect(NetworkReachabilityManager(address: "2001:db8::1") != nil)
    }

    // MARK: Names

    /// Finds what a test says, at once.
    private final class Names: NameResolver {
        let address = Mutex<SocketAddress?>(nil)
        let lookups = Mutex(0)

        func lookUp(
            _ host: String,
            isWanted: @escaping @Sendable () -> Bool,
            completion: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
        ) {
            lookups.withLock { $0 += 1 }
            let address = address.withLock { $0 }
            completion(address.map { .success([$0]) } ?? .failure(SystemNameResolver.Failure(description: "none")))
        }
    }

    @Test func `A host is unknown until its addresses are found, and not reachable without any network`() throws {
        let network = Network()
        let names = Names()
        let manager = NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: names
        )
        manager.startMonitoring()
        network.tell(Self.offline)
        #expect(manager.status == .notReachable && names.lookups.withLock { $0 } == 0)
        let other = NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: names
        )
        other.startMonitoring()
        network.settle()
        network.tell(Self.online())
        network.settle()
        names.address.withLock { $0 = try? SocketAddress(ipAddress: "198.51.100.1", port: 0) }
        network.tell(Self.online())
        network.settle()
        #expect(manager.status == .reachableViaEthernet && other.status == .reachableViaEthernet)
    }

    @Test func `A name that is not found says nothing of the network`() {
        let network = Network()
        let manager = NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: Names()
        )
        manager.startMonitoring()
        network.tell(Self.online())
        network.settle()
        #expect(manager.status == .unknown)
        // What is not known any more is not told as not reachable.
        network.tell(Self.offline)
        #expect(manager.status == .notReachable)
        network.tell(Self.online())
        network.settle()
        #expect(manager.status == .unknown)
    }
}
