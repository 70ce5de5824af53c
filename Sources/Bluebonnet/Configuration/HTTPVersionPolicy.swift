/// Which versions of HTTP a session speaks.
///
/// Counterpart of `assumesHTTP3Capable` of `NSURLRequest`, which is about HTTP/3; `URLSession`
/// has no choice between these two. In curl it is `--http1.1`, `--http2` and
/// `--http2-prior-knowledge`.
public struct HTTPVersionPolicy: Sendable, Hashable, CustomStringConvertible {
    /// The name of the policy: `automatic`.
    public let description: String

    /// HTTP/2 with `https` where the server speaks it, which is agreed upon in the TLS handshake
    /// (RFC 9113 §3.2, RFC 7301); otherwise HTTP/1.1. The default.
    ///
    /// A server that wants HTTP/1.1 all the same, by status 421 or the error code
    /// `HTTP_1_1_REQUIRED`, gets it from then on in this session.
    public static let automatic = HTTPVersionPolicy(description: "automatic")
    /// HTTP/1.1 only, to proxies too.
    public static let http1_1 = HTTPVersionPolicy(description: "http/1.1")
    /// HTTP/2 only with `https`: a server that does not speak it causes
    /// ``NetworkingError/Code/unsupportedHTTPVersion``, or a failed TLS handshake. HTTP/1.1 with
    /// `http`.
    public static let http2 = HTTPVersionPolicy(description: "http/2")
    /// HTTP/2 only, also with `http`, where nothing is agreed upon before (RFC 9113 §3.3): the
    /// caller knows that the server speaks it.
    public static let http2PriorKnowledge = HTTPVersionPolicy(description: "http/2-prior-knowledge")

    /// The protocols that are offered in a TLS handshake, the preferred one first.
    var offer: [ApplicationProtocol] {
        switch self {
        case .automatic: [.http2, .http1]
        case .http1_1: [.http1]
        default: [.http2]
        }
    }

    /// Whether every connection to the origin speaks HTTP/2.
    func requiresHTTP2(to origin: Origin) -> Bool {
        self == .http2PriorKnowledge || (self == .http2 && origin.isSecure)
    }
}

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
