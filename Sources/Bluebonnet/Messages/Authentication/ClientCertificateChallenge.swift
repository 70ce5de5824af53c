/// The demand of a server for a client certificate, as ``SessionHooks/sessionDidReceiveChallenge``
/// gets it.
///
/// Counterpart of an `NSURLAuthenticationChallenge` with
/// `NSURLAuthenticationMethodClientCertificate`.
public struct ClientCertificateChallenge: Sendable, Hashable {
    /// The host of the server in lower case, without brackets; of a Unix-domain socket that of the
    /// URL.
    public let host: String

    /// The port of the server; 0 for a Unix-domain socket.
    public let port: Int

    /// The identity that ``ChallengeDisposition/performDefaultHandling`` would show: that of
    /// ``TLSSettings/hostIdentities`` or ``TLSSettings/identity``. Nil for none.
    public let proposedIdentity: TLSSettings.Identity?

    /// Makes a challenge: for testing a handler.
    ///
    /// - Parameters:
    ///   - host: The host of the server.
    ///   - port: The port of the server. Default: 443.
    ///   - proposedIdentity: The identity of the default handling. Default: none.
    public init(host: String, port: Int = 443, proposedIdentity: TLSSettings.Identity? = nil) {
        self.host = host
        self.port = port
        self.proposedIdentity = proposedIdentity
    }

    init(_ origin: Origin, _ proposedIdentity: TLSSettings.Identity?) {
        let port = if case .host(_, let port) = origin.endpoint { port } else { 0 }
        self.init(host: origin.serverName, port: port, proposedIdentity: proposedIdentity)
    }
}
