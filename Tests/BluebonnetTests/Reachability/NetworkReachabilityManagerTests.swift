import Synchronization
import Testing

@testable import Bluebonnet

@Suite struct NetworkReachabilityManagerTests {
    @Test func `the status is unknown before monitoring, and is not told as not reachable`() {
        let network = StubNetwork()
        let manager = network.manager()
        #expect(manager.status == .unknown && manager.path == .unknown && !manager.isReachable)
        #expect(manager.localizedNetworkReachabilityStatusString == "Unknown")
        network.tell(.online())
        #expect(manager.status == .unknown)
    }

    @Test func `the first status comes though the network was known before`() {
        let network = StubNetwork()
        network.monitor.remove(network.monitor.add { _ in })
        network.tell(.online())
        let manager = network.manager()
        manager.startMonitoring()
        network.settle()
        #expect(manager.status == .reachableViaEthernet && manager.isReachable)
    }

    @Test func `equal statuses are not repeated`() {
        let network = StubNetwork()
        let manager = network.manager()
        let told = Mutex<[NetworkReachabilityStatus]>([])
        manager.onStatusChange { status in told.withLock { $0.append(status) } }
        manager.startMonitoring()
        for state in [NetworkState.offline, .offline, .online(), .online("eth1"), .offline] {
            network.tell(state)
        }
        #expect(told.withLock { $0 } == [.notReachable, .reachableViaEthernet, .notReachable])
    }

    @Test func `paths are told where only the interface is another`() async {
        let network = StubNetwork()
        let manager = network.manager()
        var paths = manager.paths.makeAsyncIterator()
        manager.startMonitoring()
        for state in [NetworkState.online(), .online(), .online("eth1"), .offline] { network.tell(state) }
        #expect(await paths.next()?.interfaceName == "eth0")
        #expect(await paths.next()?.interfaceName == "eth1")
        #expect(await paths.next()?.status == .notReachable)
    }

    @Test func `a sequence begins with the present status`() async {
        let network = StubNetwork()
        let manager = network.manager()
        manager.startMonitoring()
        network.tell(.online())
        var statuses = manager.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .reachableViaEthernet)
        network.tell(.offline)
        #expect(await statuses.next() == .notReachable)
    }

    @Test func `nothing is told after monitoring was stopped, and the news when it goes on`() {
        let network = StubNetwork()
        let manager = network.manager()
        let told = Mutex<[NetworkReachabilityStatus]>([])
        manager.onStatusChange { status in told.withLock { $0.append(status) } }
        manager.startMonitoring()
        network.tell(.online())
        manager.stopMonitoring()
        #expect(!manager.isMonitoring)
        network.tell(.offline)
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
    func `statuses have the numbers and texts of AFNetworking`(
        status: NetworkReachabilityStatus,
        number: Int,
        text: String,
        isReachable: Bool
    ) {
        #expect(status.number == number && status.description == text && status.isReachable == isReachable)
    }

    @Test func `a mobile network is WWAN, and every other one WiFi for AFNetworking`() {
        let network = StubNetwork()
        let manager = network.manager()
        manager.startMonitoring()
        network.tell(.online("wwan0", .cellular))
        #expect(manager.isReachableViaWWAN && !manager.isReachableViaWiFi && manager.path.isExpensive)
        network.tell(.online())
        #expect(!manager.isReachableViaWWAN && manager.isReachableViaWiFi)
    }

    @Test func `a released manager leaves the monitor`() {
        let network = StubNetwork()
        weak var weakManager: NetworkReachabilityManager?
        do {
            let manager = network.manager()
            manager.startMonitoring()
            network.tell(.online())
            weakManager = manager
        }
        #expect(weakManager == nil)
    }

    @Test func `a text that is no address makes no manager`() {
        #expect(NetworkReachabilityManager(address: "example.org") == nil)
        #expect(NetworkReachabilityManager(address: "2001:db8::1") != nil)
    }

    // MARK: Names

    @Test func `a host is unknown until its addresses are found, and not reachable without any network`() throws {
        let network = StubNetwork()
        let names = StubNames()
        let manager = NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: names
        )
        manager.startMonitoring()
        network.tell(.offline)
        #expect(manager.status == .notReachable && names.lookups == 0)
        let other = NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: names
        )
        other.startMonitoring()
        network.settle()
        network.tell(.online())
        network.settle()
        names.set("198.51.100.1")
        network.tell(.online())
        network.settle()
        #expect(manager.status == .reachableViaEthernet && other.status == .reachableViaEthernet)
    }

    @Test func `a name that is not found says nothing of the network`() {
        let network = StubNetwork()
        let manager = NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: StubNames()
        )
        manager.startMonitoring()
        network.tell(.online())
        network.settle()
        #expect(manager.status == .unknown)
        // What is not known any more is not told as not reachable.
        network.tell(.offline)
        #expect(manager.status == .notReachable)
        network.tell(.online())
        network.settle()
        #expect(manager.status == .unknown)
    }
}
