/// A protocol that may be spoken over TLS, by its name in the handshake (RFC 7301 §6).
enum ApplicationProtocol: String {
    case http2 = "h2"
    case http1 = "http/1.1"

    /// The protocol that was agreed upon. A server that knows nothing of such agreements speaks
    /// HTTP/1.1.
    init(negotiated name: String?) {
        self = name.flatMap(Self.init(rawValue:)) ?? .http1
    }
}
