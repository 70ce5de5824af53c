import NIOCore

/// One end of a connection.
///
/// Counterpart of `remoteAddress` and `remotePort` of `NSURLSessionTaskTransactionMetrics`, and of
/// `localAddress` and `localPort`.
public struct NetworkEndpoint: Sendable, Hashable {
    /// The IP address, `203.0.113.7` or `2001:db8::7`; of a Unix-domain socket its path, which is
    /// empty on the side of the client.
    public let address: String

    /// The port; nil for a Unix-domain socket.
    public let port: Int?

    /// Makes an endpoint.
    ///
    /// - Parameters:
    ///   - address: The IP address, or the path of a Unix-domain socket.
    ///   - port: The port. Default: none.
    public init(address: String, port: Int? = nil) {
        self.address = address
        self.port = port
    }

    init(_ address: SocketAddress) {
        self.init(address: address.ipAddress ?? address.pathname ?? "", port: address.port)
    }
}

extension NetworkEndpoint: CustomStringConvertible {
    /// Address and port as a URL has them: `203.0.113.7:443`, `[2001:db8::7]:443`.
    public var description: String {
        guard let port else { return address }
        return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}

/// A version of TLS.
///
/// Counterpart of `tls_protocol_version_t`, which `negotiatedTLSProtocolVersion` has.
public struct TLSVersion: Sendable, Hashable, CustomStringConvertible {
    /// The name of the version: `TLS 1.3`.
    public let description: String

    /// TLS 1.0 (RFC 2246).
    public static let tls1_0 = TLSVersion(description: "TLS 1.0")
    /// TLS 1.1 (RFC 4346).
    public static let tls1_1 = TLSVersion(description: "TLS 1.1")
    /// TLS 1.2 (RFC 5246).
    public static let tls1_2 = TLSVersion(description: "TLS 1.2")
    /// TLS 1.3 (RFC 8446).
    public static let tls1_3 = TLSVersion(description: "TLS 1.3")
}
