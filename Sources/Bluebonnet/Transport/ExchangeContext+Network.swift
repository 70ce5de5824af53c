import NIOCore
import Synchronization

/// What requests know of the network. Nothing is known, and nothing runs, before the first
/// question.
extension ExchangeContext {
    private var monitor: NetworkMonitor { settings.configuration.networkMonitor }

    /// The state of the network; nil where none is known within a second, and at once where none
    /// will be, as on other systems than Linux.
    func network() async throws(NetworkingError) -> NetworkState? {
        if let current = monitor.current { return current }
        try await waitForNetwork(atMost: .seconds(1), endsWithoutOne: true) { _ in true }
        return monitor.current
    }

    /// Whether the newest state has a path to where a request that failed was sent; nil where no
    /// state is known.
    func knownPath(to request: Request) -> Bool? {
        monitor.current.map { $0.path(to: destination(of: request)).isReachable }
    }

    /// Waits until the network is as wanted.
    ///
    /// - Parameters:
    ///   - limit: The longest wait; nil for no limit.
    ///   - endsWithoutOne: Whether it ends where the network cannot be followed. Default: false.
    ///   - isWanted: Whether a state is as wanted: the newest one first, and then each one.
    /// - Throws: What stopped the task.
    func waitForNetwork(
        atMost limit: Duration?,
        endsWithoutOne: Bool = false,
        _ isWanted: @escaping @Sendable (NetworkState) -> Bool
    ) async throws(NetworkingError) {
        let monitor = monitor
        let listener = Mutex<Int?>(nil)
        defer { if let number = listener.withLock({ $0 }) { monitor.remove(number) } }
        try await sleep(atMost: limit) { wake in
            let number = monitor.add(
                { state in
                    if isWanted(state) { wake() }
                },
                orElse: endsWithoutOne ? wake : nil
            )
            listener.withLock { $0 = number }
        }
    }

    /// Waits until there is a path again to where a request that failed was sent.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isMissing: Whether the path is known to be missing: then the newest state may have it
    ///     already. Otherwise, a state without it has to come first.
    /// - Throws: What stopped the task.
    func waitForReturnOfPath(to request: Request, isMissing: Bool) async throws(NetworkingError) {
        let destination = destination(of: request)
        let wasMissing = Mutex(isMissing)
        try await waitForNetwork(atMost: nil) { state in
            let isThere = state.path(to: destination).isReachable
            return wasMissing.withLock { wasMissing in
                if !isThere { wasMissing = true }
                return isThere && wasMissing
            }
        }
    }

    /// Tells events and the hook that the task waits for a network.
    func tellWaitingForConnectivity() async throws {
        call.waitsForConnectivity()
        guard let lane = call.hooks, let hook = lane.hooks.taskIsWaitingForConnectivity else { return }
        let task = call.presented
        try await lane.call(in: self) { await hook(task) }
    }
}

/// Where requests lead to, by the names and the overrides of the session, as when they are sent.
extension ExchangeContext {
    /// The endpoint that a request is sent to without a proxy; nil for a URL that no request can
    /// have.
    func endpoint(of request: Request) -> Origin.Endpoint? {
        (try? request.target).map { settings.configuration.endpointOverrides.endpoint(for: $0.origin.endpoint) }
    }

    /// The endpoint of the last connection for a request, or for what a redirect has made of it:
    /// that of the proxy, where there is one. Then the way to the server is not this machine's
    /// concern, and its name is not looked up here.
    func lastEndpoint(of request: Request) -> Origin.Endpoint? {
        let last = call.lastTransaction
        return last?.connection?.proxy?.origin.endpoint ?? endpoint(of: last?.sent.base ?? request)
    }

    /// The address of ``lastEndpoint(of:)``, where it is known without a lookup; nil where only the
    /// default route can be asked about.
    func destination(of request: Request) -> IPAddress? {
        lastEndpoint(of: request).flatMap { knownAddresses(of: $0)?.first }
    }

    /// The addresses of an endpoint that are known without a lookup, in every network; nil where it
    /// has a name.
    func knownAddresses(of endpoint: Origin.Endpoint) -> [IPAddress]? {
        guard case .host(let host, let port) = endpoint else { return [.loopback] }
        if let known = settings.configuration.addressOverrides.addresses(of: host, port: port) { return known }
        // RFC 6761 §6.3.
        if host == "localhost" || host.hasSuffix(".localhost") { return [.loopback] }
        return IPAddress(host).map { [$0] }
    }

    /// The addresses of an endpoint, which are looked up where it has a name; none where they are
    /// not found within the time for a connection.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - request: The request, whose timeouts count.
    /// - Returns: The addresses that a connection would begin with: those of a family whose lookup
    ///   takes longer are missing, as they are there (RFC 8305 §3).
    /// - Throws: What stopped the task.
    func addresses(of endpoint: Origin.Endpoint, for request: Request) async throws(NetworkingError) -> [IPAddress] {
        if let known = knownAddresses(of: endpoint) { return known }
        guard case .host(let host, _) = endpoint else { return [] }
        let (names, families) = (settings.names, settings.configuration.addressFamilies)
        guard !families.isEmpty else { return [] }
        let lookup = PendingAddresses(families)
        var tickets: [NameLookups.Ticket] = []
        defer { for ticket in tickets { names.cancel(ticket) } }
        let limit = request.effectiveTimeouts(over: settings.timeouts).connect.duration
        try await sleep(atMost: limit) { wake in
            lookup.whenSome(wake)
            for family in [IPAddress.Family.ipv6, .ipv4] where families.contains(family) {
                switch names.addresses(of: host, in: family, completion: { lookup.take($0, family) }) {
                case .known(let result): lookup.take(result, family)
                case .pending(let ticket): tickets.append(ticket)
                }
            }
        }
        if !lookup.addresses.isEmpty {
            try await sleep(atMost: .nanoseconds(NameLookups.resolutionDelay.nanoseconds)) { lookup.whenAll($0) }
        }
        return lookup.addresses
    }
}

/// The lookups of a name in its families, and those who wait for them.
private final class PendingAddresses: Sendable {
    private struct State {
        var pending: Set<IPAddress.Family>
        var found: [IPAddress.Family: [IPAddress]] = [:]
        /// Called when there are addresses, or will be none.
        var whenSome: (@Sendable () -> Void)?
        /// Called when no lookup is under way.
        var whenAll: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ families: Set<IPAddress.Family>) {
        state = Mutex(State(pending: families))
    }

    /// The addresses that were found so far.
    var addresses: [IPAddress] {
        state.withLock { ($0.found[.ipv6] ?? []) + ($0.found[.ipv4] ?? []) }
    }

    func whenSome(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenSome = wake }
    }

    func whenAll(_ wake: @escaping @Sendable () -> Void) {
        let isComplete = state.withLock { state in
            state.whenAll = wake
            return state.pending.isEmpty
        }
        if isComplete { wake() }
    }

    func take(_ result: Result<[IPAddress], any Error>, _ family: IPAddress.Family) {
        let (some, all) = state.withLock { state in
            state.pending.remove(family)
            let addresses = (try? result.get()) ?? []
            state.found[family] = addresses
            let isComplete = state.pending.isEmpty
            return (isComplete || !addresses.isEmpty ? state.whenSome : nil, isComplete ? state.whenAll : nil)
        }
        some?()
        all?()
    }
}
