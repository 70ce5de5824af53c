public import FoundationEssentials

/// WebSockets (RFC 6455).
extension SessionManager {
    /// Makes a WebSocket that is not opened yet. Its opening request goes through the interceptors,
    /// and has cookies, credentials, redirects and trust, like every other request of the session.
    ///
    /// - Parameters:
    ///   - url: A URL with the scheme `ws` or `wss`, or `http` or `https`, which mean the same.
    ///   - protocols: The subprotocols, the preferred one first. Default: none.
    ///   - options: The other choices. Default: their defaults.
    /// - Returns: The task, not started.
    public func webSocket(
        _ url: URL,
        protocols: [String] = [],
        options: WebSocketOptions = WebSocketOptions()
    ) -> WebSocketTask {
        webSocket(for: Request(url: url), protocols: protocols, options: options)
    }

    /// Makes a WebSocket of an opening request of yours: a GET without a body, for example with
    /// header fields of its own.
    ///
    /// - Parameters:
    ///   - request: The request; the scheme of its URL is `ws` or `wss`, or `http` or `https`,
    ///     which mean the same.
    ///   - protocols: The subprotocols, the preferred one first; they replace those of the options.
    ///     Default: those of the options.
    ///   - options: The other choices. Default: their defaults.
    /// - Returns: The task, not started. It fails with ``NetworkingError/Code/invalidRequest`` for
    ///   a request that opens no WebSocket.
    public func webSocket(
        for request: Request,
        protocols: [String] = [],
        options: WebSocketOptions = WebSocketOptions()
    ) -> WebSocketTask {
        var (request, options) = (request, options)
        if let url = request.url.webSocketAsHTTP { request.url = url }
        if !protocols.isEmpty { options.protocols = protocols }
        return WebSocketTask(request, session: self, options: options)
    }

    /// The WebSockets among ``tasks``: each ``WebSocketTask``.
    public var webSocketTasks: [any SessionTask] { core.tasks(.webSocket) }
}
