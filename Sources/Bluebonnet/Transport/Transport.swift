/// Sends one request and returns its response: the seam between session and engine.
///
/// The session's default is the engine. `StubTransport` in BluebonnetTesting responds without a
/// network; a transport of your own can take its place too. It sees requests after all
/// interceptors, one call a hop.
///
/// Counterpart of `NSURLProtocol`.
public protocol Transport: Sendable {
    /// Sends the request and returns as soon as the response head is there.
    ///
    /// Cancelling the Swift task must end the call with ``NetworkingError/Code/cancelled``. A call
    /// that does not end is waited for one second and then left to itself.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - context: The task's choices and its cancellation.
    /// - Returns: The response; its body may still be coming.
    /// - Throws: ``NetworkingError``.
    func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse

    /// Ends all exchanges with ``NetworkingError/Code/sessionInvalidated`` and closes all
    /// connections, without waiting.
    func invalidate()
}

extension Transport {
    /// Does nothing: for transports that hold nothing.
    public func invalidate() {}
}
