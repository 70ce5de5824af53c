/// The server that a request is sent to. Requests of one origin share connections (RFC 9110
/// §4.3.1).
package struct Origin: Hashable, Sendable {
    package enum Endpoint: Hashable, Sendable {
        /// A host name or IP literal (without brackets) and a port.
        case host(String, port: Int)
        /// The path of a Unix-domain socket.
        case unixSocket(SocketPath)
    }

    /// A path, compared by its bytes as the system does: a `String` is equal to another that looks
    /// alike, but the two can name different files.
    package struct SocketPath: Hashable, Sendable {
        package let text: String

        init(_ text: String) {
            self.text = text
        }

        package static func == (one: SocketPath, other: SocketPath) -> Bool {
            one.text.utf8.elementsEqual(other.text.utf8)
        }

        package func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    package var isSecure: Bool
    package var endpoint: Endpoint

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
        case .host(let host, let port): host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unixSocket(let path): path.text
        }
    }
}
