import Dispatch
import NIOCore
import Synchronization

/// Tells whether the network, or a host, can be reached, and over what kind of network, each time
/// that changes.
///
/// ```swift
/// let manager = NetworkReachabilityManager.shared
/// manager.startMonitoring()
/// for await status in manager.statuses {
///     print(status)  // Reachable via WiFi
/// }
/// ```
///
/// It reads the links, addresses and routes of the kernel (rtnetlink): no packet is sent, nothing
/// is polled, and no privilege is needed. A route says that packets can be sent, not that somebody
/// replies. So do not ask it before a request: send the request, and use the manager to know when
/// trying again makes sense.
///
/// On other systems than Linux the status stays ``NetworkReachabilityStatus/unknown``.
///
/// Counterpart of `AFNetworkReachabilityManager`, and of `NetworkReachabilityManager` in Alamofire.
public final class NetworkReachabilityManager: Sendable {
    private struct State {
        var target: ReachabilityTarget
        var path = NetworkPath.unknown
        /// The number of the monitor's listener while it is monitoring.
        var listener: Int?
        /// The number of the present start: what began before is not told.
        var start = 0
        /// Whether the name is being looked up.
        var isLookingUp = false
        /// Whether the network changed since the last lookup.
        var mustLookUp = false
        /// How often in a row the name was not found since it had to be looked up.
        var failedLookups = 0
        var observers: [Int: @Sendable (NetworkPath) -> Void] = [:]
        var lastObserver = 0
    }

    /// The manager for the networks beyond this machine: its status is that of the default route,
    /// of IPv4 where there is one, else of IPv6.
    ///
    /// It is not monitoring before ``startMonitoring()``.
    ///
    /// Counterpart of `sharedManager`.
    public static let shared = NetworkReachabilityManager()

    /// The name whose addresses are looked up; nil where there is none.
    private let domain: String?
    private let monitor: NetworkMonitor
    private let resolver: any NameResolver
    private let pauses: [Duration]
    private let state: Mutex<State>

    /// Makes a manager for the networks beyond this machine, as ``shared`` is, which nobody else
    /// starts and stops.
    ///
    /// Counterpart of `manager`.
    public convenience init() {
        self.init(target: .anywhere, domain: nil)
    }

    /// Makes a manager for a host.
    ///
    /// Its name is looked up when monitoring starts, and again when the network has changed. The
    /// status is unknown while its addresses are not known, except where there is no path to any
    /// other machine. A name that is not found is looked up again at each change, and after 1, 2,
    /// 4, 8, 16 and 32 seconds: a network often has routes before it has a name server.
    ///
    /// `localhost` and the names below it are this machine (RFC 6761 §6.3).
    ///
    /// Counterpart of `managerForDomain:`.
    ///
    /// - Parameter domain: A host name, or an address.
    public convenience init(domain: String) {
        let name = domain.lowercased()
        if let address = IPAddress(domain) {
            self.init(target: .addresses([address]), domain: nil)
        } else if name == "localhost" || name.hasSuffix(".localhost") {
            self.init(target: .addresses([.loopback]), domain: nil)
        } else {
            self.init(target: .unresolved, domain: domain)
        }
    }

    /// Makes a manager for an address; nil where the text is no address.
    ///
    /// Counterpart of `managerForAddress:`.
    ///
    /// - Parameter address: An address such as `192.0.2.1` or `2001:db8::1`.
    public convenience init?(address: String) {
        guard let address = IPAddress(address) else { return nil }
        self.init(target: .addresses([address]), domain: nil)
    }

    init(
        target: ReachabilityTarget,
        domain: String?,
        monitor: NetworkMonitor = .process,
        resolver: any NameResolver = SystemNameResolver(),
        pauses: [Duration] = [1, 2, 4, 8, 16, 32].map { .seconds($0) }
    ) {
        (self.domain, self.monitor, self.resolver, self.pauses) = (domain, monitor, resolver, pauses)
        state = Mutex(State(target: target))
    }

    deinit {
        if let listener = state.withLock(\.listener) { monitor.remove(listener) }
    }

    // MARK: The status

    /// The status as it was told last. Default: ``NetworkReachabilityStatus/unknown``, until
    /// monitoring has started and the kernel has told its state, which takes some milliseconds.
    ///
    /// Counterpart of `networkReachabilityStatus`.
    public var status: NetworkReachabilityStatus { path.status }

    /// The path as it was told last; its ``NetworkPath/status`` may be unknown.
    public var path: NetworkPath { state.withLock(\.path) }

    /// Whether the status is one of the reachable ones. False while it is unknown: look at
    /// ``status`` before you tell a user that there is no network.
    ///
    /// Counterpart of `reachable`.
    public var isReachable: Bool { status.isReachable }

    /// Whether the host is reached over a mobile network.
    ///
    /// Counterpart of `reachableViaWWAN`.
    public var isReachableViaWWAN: Bool { status == .reachableViaWWAN }

    /// Whether the host is reached over a network that is none of ``isReachableViaWWAN``, as
    /// AFNetworking counts: also a cable.
    ///
    /// Counterpart of `reachableViaWiFi`.
    public var isReachableViaWiFi: Bool { status.number == NetworkReachabilityStatus.reachableViaWiFi.number }

    /// The text of the status, such as `Reachable via WiFi`.
    ///
    /// Counterpart of `localizedNetworkReachabilityStatusString`. It is not translated.
    public var localizedNetworkReachabilityStatusString: String { status.description }

    // MARK: Monitoring

    /// Whether it is monitoring.
    public var isMonitoring: Bool { state.withLock { $0.listener != nil } }

    /// Begins to tell of changes; has no effect on a manager that is monitoring. The present status
    /// comes first, unless it was told before.
    public func startMonitoring() {
        let start = state.withLock { state -> Int? in
            guard state.listener == nil else { return nil }
            state.start += 1
            // Until the monitor has given a number.
            state.listener = 0
            (state.mustLookUp, state.failedLookups) = (true, 0)
            return state.start
        }
        guard let start else { return }
        let listener = monitor.add { [weak self] in self?.receive($0, start) }
        let isWanted = state.withLock { state in
            guard state.start == start, state.listener != nil else { return false }
            state.listener = listener
            return true
        }
        if !isWanted { monitor.remove(listener) }
    }

    /// Stops telling of changes. The status stays as it was told last.
    public func stopMonitoring() {
        let listener = state.withLock { state in
            state.start += 1
            defer { state.listener = nil }
            return state.listener
        }
        if let listener { monitor.remove(listener) }
    }

    /// Calls the closure at each change of the status, and when the first one is known. Equal
    /// statuses are not repeated; unknown comes only where it follows another one. The calls come
    /// one after the other, on no particular thread. A further closure is called too.
    ///
    /// Counterpart of `setReachabilityStatusChangeBlock:`, which is called on the main queue.
    ///
    /// - Parameter body: Gets the status. It must not block.
    public func onStatusChange(_ body: @escaping @Sendable (_ status: NetworkReachabilityStatus) -> Void) {
        let last = Mutex(status)
        // One that comes between the two is not lost.
        _ = observe(tellsPresent: true) { path in
            let isNew = last.withLock { last in
                defer { last = path.status }
                return last != path.status
            }
            if isNew { body(path.status) }
        }
    }

    /// The most values that wait for a slow reader of ``statuses`` or ``paths``; then it gets the
    /// newest.
    public static let mostWaitingValues = 1000

    /// The statuses: the present one, where it is known, and each other one after it. Equal ones
    /// are not repeated. Each call makes a new sequence, which keeps the manager while it is read.
    public var statuses: AsyncStream<NetworkReachabilityStatus> {
        sequence { path, last in
            defer { last = path.status }
            return last == path.status ? nil : path.status
        }
    }

    /// The paths: the present one, where it is known, and each other one after it, also where only
    /// the interface or its address is another one. Each call makes a new sequence, which keeps the
    /// manager while it is read.
    public var paths: AsyncStream<NetworkPath> {
        sequence { path, last in
            defer { last = path }
            return last == path ? nil : path
        }
    }

    private func sequence<Element: Sendable>(
        _ element: @escaping @Sendable (_ path: NetworkPath, _ last: inout Element?) -> Element?
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self,
            bufferingPolicy: .bufferingNewest(Self.mostWaitingValues)
        )
        let last = Mutex(Element?.none)
        let number = observe(tellsPresent: true) { path in
            last.withLock { last in
                if let element = element(path, &last) { continuation.yield(element) }
            }
        }
        continuation.onTermination = { [self] _ in
            state.withLock { state in _ = state.observers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Adds an observer of paths, which is called on the queue of the monitor.
    private func observe(
        tellsPresent: Bool = false,
        _ observer: @escaping @Sendable (NetworkPath) -> Void
    ) -> Int {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        if tellsPresent {
            monitor.queue.async { [self] in
                let path = self.path
                if path.status != .unknown { observer(path) }
            }
        }
        return number
    }

    // MARK: Changes

    /// Takes a state of the network; on the queue of the monitor.
    private func receive(_ network: NetworkState, _ start: Int, isNews: Bool = true) {
        var observers: [@Sendable (NetworkPath) -> Void] = []
        let (path, mustLookUp) = state.withLock { state -> (NetworkPath, Bool) in
            guard state.start == start, state.listener != nil else { return (.unknown, false) }
            let path = state.target.path(in: network)
            if path != state.path {
                state.path = path
                observers = state.observers.sorted { $0.key < $1.key }.map(\.value)
                // After a lookup, the path is new because of it.
                if isNews { (state.mustLookUp, state.failedLookups) = (true, 0) }
            }
            let mustLookUp =
                domain != nil && network.mayHavePath && !state.isLookingUp
                && (state.mustLookUp || state.target == .unresolved)
            if mustLookUp { (state.isLookingUp, state.mustLookUp) = (true, false) }
            return (path, mustLookUp)
        }
        for observer in observers { observer(path) }
        if mustLookUp, let domain { lookUp(domain) }
    }

    private func lookUp(_ domain: String) {
        resolver.lookUpAll(domain) { [weak self] addresses in
            guard let self else { return }
            self.monitor.queue.async { self.receive(addresses) }
        }
    }

    /// Takes the end of a lookup, which a start may have begun that is over: the present one has
    /// waited for it.
    private func receive(_ addresses: [IPAddress]) {
        let (start, pause) = state.withLock { state -> (Int, Duration?) in
            state.isLookingUp = false
            // The addresses that were found before may be right again in a moment.
            if !addresses.isEmpty { (state.target, state.failedLookups) = (.addresses(addresses), 0) }
            guard addresses.isEmpty, state.failedLookups < pauses.count else { return (state.start, nil) }
            defer { state.failedLookups += 1 }
            return (state.start, pauses[state.failedLookups])
        }
        if let pause {
            lookUpAgain(after: pause, start)
        } else if !addresses.isEmpty, let current = monitor.current {
            receive(current, start, isNews: false)
        }
    }

    private func lookUpAgain(after pause: Duration, _ start: Int) {
        let time = Double(pause.components.seconds) + Double(pause.components.attoseconds) / 1e18
        monitor.queue.asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self, let current = self.monitor.current else { return }
            self.state.withLock { if $0.start == start { $0.mustLookUp = true } }
            self.receive(current, start, isNews: false)
        }
    }
}
