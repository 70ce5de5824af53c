public import FoundationEssentials

extension SessionManager {
    /// Sends a PING (RFC 9113 §6.7) on the HTTP/2 connection that this session has to a server, and
    /// waits for its acknowledgement.
    ///
    /// ```swift
    /// let time = try await session.ping(URL(string: "https://example.com")!)
    /// ```
    ///
    /// It tells whether the connection is alive, and keeps proxies and firewalls from forgetting
    /// it. No connection is made for it, and an idle one stays no longer. Behind much that is being
    /// sent, a PING waits. Calls at the same time share one PING, and those within 50 milliseconds
    /// its time. No counterpart in URLSession, AFNetworking or Alamofire;
    /// ``WebSocketTask/ping()`` is that of a WebSocket.
    ///
    /// - Parameter url: A URL of the server; only scheme, host and port count.
    /// - Returns: The time from the PING to its acknowledgement.
    /// - Throws: ``NetworkingError/Code/connectionLost`` where there is no HTTP/2 connection to the
    ///   server, or it ends before that: it is dead when nothing comes within 10 seconds.
    ///   ``NetworkingError/Code/firstByteTimeout`` where other things come, and no acknowledgement
    ///   within 60 seconds. ``NetworkingError/Code/cancelled`` when the Swift task is cancelled.
    ///   ``NetworkingError/Code/invalidURL`` or ``NetworkingError/Code/unsupportedScheme`` for a
    ///   URL that has no server.
    public func ping(_ url: URL) async throws(NetworkingError) -> Duration {
        let origin = try RequestTarget(url).origin
        guard let engine = core.transport as? Engine else { throw .noHTTP2Connection(origin) }
        return try await engine.ping(origin)
    }
}
