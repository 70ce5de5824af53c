import FoundationEssentials
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

    /// Where a request leads to: the addresses of its host, which are looked up where it has a
    /// name; none where they are not found within the time for a connection.
    func addresses(of request: Request) async throws(NetworkingError) -> [IPAddress] {
        guard let host = request.url.host(percentEncoded: false) else { return request.destination.map { [$0] } ?? [] }
        let port = request.url.port ?? (request.url.scheme?.lowercased() == "http" ? 80 : 443)
        if let known = settings.configuration.addressOverrides.addresses(of: host, port: port) { return known }
        if let destination = request.destination { return [destination] }
        let found = Mutex<[IPAddress]>([])
        let limit = request.effectiveTimeouts(over: settings.timeouts).connect.duration
        try await sleep(atMost: limit) { wake in
            settings.configuration.nameResolver.lookUpAll(host) { addresses in
                found.withLock { $0 = addresses }
                wake()
            }
        }
        return found.withLock { $0 }
    }

    /// Whether the newest known state has a path to the host of a request.
    func hasKnownPath(to request: Request) -> Bool {
        monitor.current.map { $0.path(to: request.destination).isReachable } ?? false
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

    /// Waits until a path to the host of a request is there again that was missing.
    func waitForReturnOfPath(to request: Request) async throws(NetworkingError) {
        let destination = request.destination
        let wasMissing = Mutex(false)
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

extension Request {
    /// The address that its host is by itself, without a lookup; nil where only the default route
    /// can be asked about.
    var destination: IPAddress? {
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        let isLocal =
            host == "localhost" || host.hasSuffix(".localhost") || url.scheme?.lowercased().hasSuffix("+unix") == true
        return isLocal ? .loopback : IPAddress(host)
    }
}
