/// Where a request goes: the key of the connection pool. Requests of one origin share connections (RFC 9110 §4.3.1).
struct Origin: Hashable, Sendable {
    enum Endpoint: Hashable, Sendable {
        /// A host name or IP literal (without brackets) and a port.
        case host(String, port: Int)
        /// The path of a Unix-domain socket.
        case unixSocket(String)
    }

    var isSecure: Bool
    var endpoint: Endpoint

    /// The name for SNI and for the check of the certificate.
    var serverName: String {
        switch endpoint {
        case .host(let host, _): host
        case .unixSocket: "localhost"
        }
    }

    /// The origin for messages: `host:port` or the path of the socket.
    var description: String {
        switch endpoint {
        case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): path
        }
    }
}
