import Synchronization

/// Has requests wait for a network, and keeps them off those that they may not use. Only for a
/// session that waits, and for requests that may not use each network.
enum Connectivity {
    /// Sends a request over a network that it may use.
    ///
    /// A session that waits does so when no connection could be made and there is no path, never
    /// before an attempt: only the attempt tells what a name is, and whether a network that looks
    /// like none is enough for it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - proxy: The proxy that it is sent through; nil for none. Then the way to it counts, and
    ///     the name of the server is not looked up here.
    ///   - context: Its context.
    ///   - send: Sends it; over a new connection, where an existing one may be over a network that
    ///     the request may not use.
    /// - Returns: The response.
    /// - Throws: What `send` throws, and ``NetworkingError/Code/networkNotAllowed``.
    @inline(never)
    static func send(
        _ request: Request,
        _ proxy: Proxy?,
        _ context: ExchangeContext,
        _ send: (_ needsFreshConnection: Bool) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        let waits = context.settings.configuration.waitsForConnectivity
        guard let next = proxy?.origin.endpoint ?? context.endpoint(of: request) else { return try await send(false) }
        let refusal = Refusal(request)
        var isTold = false
        while true {
            var needsFreshConnection = false
            if request.refusesNetworks, let state = try await context.network(),
                state.hasLink(where: refusal.concerns)
            {
                let known = context.knownAddresses(of: next)
                let host = Host(known, try await context.addresses(of: next, for: request))
                if let path = host.path(in: state, refusedBy: refusal) {
                    guard waits else { throw NetworkingError(notAllowed: request, path) }
                    if !isTold { try await context.tellWaitingForConnectivity() }
                    isTold = true
                    try await context.waitForNetwork(atMost: nil) { state in
                        host.isReachable(in: state) && host.path(in: state, refusedBy: refusal) == nil
                    }
                    continue
                }
                needsFreshConnection = true
            }
            guard waits else { return try await send(needsFreshConnection) }
            do {
                return try await send(needsFreshConnection)
            } catch let error as NetworkingError {
                guard Self.isUnsent(request, error), context.call.error == nil, !Task.isCancelled,
                    let state = try await context.network()
                else { throw error }
                let known = context.knownAddresses(of: next)
                guard Host(known).isUnreachable(in: state) else { throw error }
                // A host may have a route where there is no default one. A name that was not found
                // is not looked up again.
                let isNamed = error.code != .dnsLookupFailed
                let host = Host(known, isNamed ? try await context.addresses(of: next, for: request) : [])
                guard host.isUnreachable(in: state) else { throw error }
                if !isTold { try await context.tellWaitingForConnectivity() }
                isTold = true
                let near = Mutex(state.linksInUse)
                try await context.waitForNetwork(atMost: nil) { state in
                    if host.isReachable(in: state) { return true }
                    guard known == nil else { return false }
                    // One whose addresses are not known may be in a network without a default
                    // route, which was not there before.
                    let links = state.linksInUse
                    return near.withLock { near in
                        defer { near.formIntersection(links) }
                        return !links.isSubset(of: near)
                    }
                }
            }
        }
    }

    /// The networks that a request may not use.
    private struct Refusal: Sendable {
        private let isOfExpensive: Bool
        private let isOfCellular: Bool

        init(_ request: Request) {
            isOfExpensive = request.allowsExpensiveNetworkAccess == false
            isOfCellular = request.allowsCellularAccess == false
        }

        func concerns(_ nature: LinkNature) -> Bool {
            isOfExpensive && nature.isExpensive || isOfCellular && nature.kind == .cellular
        }

        func concerns(_ path: NetworkPath) -> Bool {
            path.interfaceKind.map { concerns(LinkNature(kind: $0, isExpensive: path.isExpensive)) } ?? false
        }
    }

    /// The host of a request, and the paths to it.
    private struct Host: Sendable {
        /// Its addresses; empty where they are not known.
        private let addresses: [IPAddress]
        /// Whether it has a name, which may have other addresses in another network.
        private let hasName: Bool

        /// - Parameters:
        ///   - known: Its addresses where they need no lookup; nil where it has a name.
        ///   - found: Those that were looked up.
        init(_ known: [IPAddress]?, _ found: [IPAddress] = []) {
            (addresses, hasName) = (known ?? found, known == nil)
        }

        private func paths(in state: NetworkState) -> [NetworkPath] {
            (hasName ? [state.path(to: nil)] : []) + addresses.map { state.path(to: $0) }
        }

        func isReachable(in state: NetworkState) -> Bool { paths(in: state).contains(where: \.isReachable) }

        /// Whether there is certainly no path.
        func isUnreachable(in state: NetworkState) -> Bool {
            paths(in: state).allSatisfy { $0.status == .notReachable }
        }

        /// A path that is refused, and that a connection may take: one to any of the addresses, or
        /// the default route where no address has a path.
        func path(in state: NetworkState, refusedBy refusal: Refusal) -> NetworkPath? {
            let known = addresses.map { state.path(to: $0) }.filter(\.isReachable)
            return (known.isEmpty && hasName ? [state.path(to: nil)] : known).first(where: refusal.concerns)
        }
    }

    private static func isUnsent(_ request: Request, _ error: NetworkingError) -> Bool {
        let codes: [NetworkingError.Code] = [
            .dnsLookupFailed, .connectFailed, .dnsLookupTimeout, .connectTimeout, .proxyConnectFailed, .proxyTimeout,
        ]
        return codes.contains(error.code)
            && request.body.map { $0.isReplayable || $0.use?.hasBegun != true } ?? true
    }
}

extension NetworkingError {
    fileprivate init(notAllowed request: Request, _ path: NetworkPath) {
        let refused = request.allowsCellularAccess == false && path.interfaceKind == .cellular ? "mobile" : "expensive"
        self.init(
            .networkNotAllowed,
            "\(request) may not use \(refused) networks, and would use that of “\(path.interfaceName ?? "")”.",
            request: request
        )
    }
}
