import Synchronization

/// Has requests wait for a network, and keeps them off those that cost money. Only for a session
/// that waits, and for requests that may not use such a network.
enum Connectivity {
    /// Sends a request over a network that it may use.
    ///
    /// A session that waits does so when no connection could be made and there is no path, never
    /// before an attempt: only the attempt tells what a name is, and whether a network that looks
    /// like none is enough for it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    ///   - send: Sends it.
    /// - Returns: The response.
    /// - Throws: What `send` throws, and ``NetworkingError/Code/networkNotAllowed``.
    @inline(never)
    static func send(
        _ request: Request,
        _ context: ExchangeContext,
        _ send: () async throws -> TransportResponse
    ) async throws -> TransportResponse {
        let waits = context.settings.configuration.waitsForConnectivity
        let destination = request.destination
        var isTold = false
        while true {
            if request.allowsExpensiveNetworkAccess == false,
                let path = try await context.network()?.path(to: destination), path.isExpensive
            {
                guard waits else { throw NetworkingError(notAllowed: request, path) }
                if !isTold { try await context.tellWaitingForConnectivity() }
                isTold = true
                try await context.waitForNetwork(atMost: nil) { state in
                    let path = state.path(to: destination)
                    return path.isReachable && !path.isExpensive
                }
                continue
            }
            guard waits else { return try await send() }
            do {
                return try await send()
            } catch let error as NetworkingError {
                guard Self.isUnsent(request, error), context.call.error == nil, !Task.isCancelled,
                    let state = try await context.network(), !state.path(to: destination).isReachable
                else { throw error }
                if !isTold { try await context.tellWaitingForConnectivity() }
                isTold = true
                // A host whose addresses are not known may be in a network without a default route.
                let mayBeNear = destination == nil && !state.hasAnyPath
                try await context.waitForNetwork(atMost: nil) { state in
                    state.path(to: destination).isReachable || mayBeNear && state.hasAnyPath
                }
            }
        }
    }

    private static func isUnsent(_ request: Request, _ error: NetworkingError) -> Bool {
        [.dnsLookupFailed, .connectFailed, .connectTimeout].contains(error.code)
            && request.body.map { $0.isReplayable || $0.use?.hasBegun != true } ?? true
    }
}

extension NetworkingError {
    fileprivate init(notAllowed request: Request, _ path: NetworkPath) {
        self.init(
            .networkNotAllowed,
            "\(request) may not use a network that costs money, and the only one is that of "
                + "“\(path.interfaceName ?? "")”.",
            request: request
        )
    }
}
