import Dispatch
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

    @Test func `a manager of one's own is not started and stopped with another one`() {
        let (own, other) = (NetworkReachabilityManager(), NetworkReachabilityManager())
        own.startMonitoring()
        #expect(own.isMonitoring && !other.isMonitoring)
        other.startMonitoring()
        own.stopMonitoring()
        #expect(!own.isMonitoring && other.isMonitoring)
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

    /// A user's rule for the table 1000, and a link with a route nearby.
    private static func ruled(_ routes: [UInt8]) -> NetworkState {
        let user = NetlinkBuilder.attribute(20, NetlinkBuilder.bytes(UInt64(0)))
        return .after(
            NetlinkBuilder.rule(100, table: 1000, user) + NetlinkBuilder.rule(32_766, table: 254),
            NetlinkBuilder.link(1, "lo", flags: 0x49, hardwareType: 772) + NetlinkBuilder.link(2, "eth0") + routes
        )
    }

    @Test func `an address whose path is not known is not told as not reachable, nor is a host with one`() throws {
        let network = StubNetwork(
            Self.ruled(
                NetlinkBuilder.route(to: "198.51.100.0", 24, over: [2], table: 1000)
                    + NetlinkBuilder.route(to: "203.0.113.0", 24, over: [2])
            )
        )
        let addresses = try ["192.0.2.1", "198.51.100.1", "203.0.113.1"].map { try #require(IPAddress($0)) }
        for (count, status) in [
            (1, NetworkReachabilityStatus.notReachable), (2, .unknown), (3, .reachableViaEthernet),
        ] {
            let manager = network.manager(.addresses(Array(addresses.prefix(count))))
            let told = Mutex<[NetworkReachabilityStatus]>([])
            manager.onStatusChange { status in told.withLock { $0.append(status) } }
            manager.startMonitoring()
            network.settle()
            #expect(manager.status == status)
            #expect(told.withLock { $0 } == (status == .unknown ? [] : [status]))
        }
    }

    @Test func `a name is looked up where it is not known whether there is any path`() {
        // The only route is that of a rule for some users, over no link to another machine.
        let network = StubNetwork(Self.ruled(NetlinkBuilder.route(to: "0.0.0.0", 0, over: [1], table: 1000)))
        let names = StubNames()
        names.set("192.0.2.1")
        let manager = manager(network, names)
        manager.startMonitoring()
        for _ in 0..<3 { network.settle() }
        #expect(manager.status == .unknown && names.lookups == 1)
    }

    private func manager(_ network: StubNetwork, _ names: StubNames, pauses: [Duration] = [])
        -> NetworkReachabilityManager
    {
        NetworkReachabilityManager(
            target: .unresolved,
            domain: "example.org",
            monitor: network.monitor,
            resolver: names,
            pauses: pauses
        )
    }

    @Test(arguments: [true, false])
    func `a lookup that began before a stop is of use for the next start`(isStarted: Bool) {
        let (network, names) = (StubNetwork(), StubNames())
        names.set("198.51.100.1")
        names.hold()
        let manager = manager(network, names)
        manager.startMonitoring()
        network.tell(.online())
        manager.stopMonitoring()
        if isStarted { manager.startMonitoring() }
        network.settle()
        names.release()
        network.settle()
        // While it is stopped, it tells nothing.
        #expect(manager.status == (isStarted ? .reachableViaEthernet : .unknown))
        manager.startMonitoring()
        network.settle()
        network.settle()
        #expect(manager.status == .reachableViaEthernet)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a name that was not found is looked up again without a change`() async {
        let (network, names) = (StubNetwork(.online()), StubNames())
        let manager = manager(network, names, pauses: Array(repeating: .milliseconds(1), count: 10_000))
        manager.startMonitoring()
        network.settle()
        names.set("198.51.100.1")
        let status = await manager.statuses.first { _ in true }
        #expect(status == .reachableViaEthernet)
    }

    @Test func `a name that does not exist is looked up a few times only`() {
        let (network, names) = (StubNetwork(.online()), StubNames())
        let manager = manager(network, names, pauses: [.zero, .zero, .zero])
        manager.startMonitoring()
        for _ in 0..<20 { network.settle() }
        // Each of them may still be under way.
        #expect(names.lookups <= 4)
    }

    // MARK: The monitor

    @Test func `a change of a state that was not read tells nothing`() {
        let network = StubNetwork()
        let manager = network.manager()
        manager.startMonitoring()
        network.monitor.queue.sync {
            network.monitor.update { _ = $0?.apply(.linkRemoved(index: 2)) }
        }
        #expect(manager.status == .unknown && network.monitor.current == nil)
    }

    @Test func `who waits for a network that cannot be followed is told so`() {
        let monitor = NetworkMonitor { _, _ in false }
        let failures = Mutex(0)
        for _ in 0..<2 {
            _ = monitor.add({ _ in }, orElse: { failures.withLock { $0 += 1 } })
        }
        monitor.queue.sync {}
        // The second one was told once more than it asked for, or the first one was.
        #expect(failures.withLock { $0 } >= 2)
    }
}
