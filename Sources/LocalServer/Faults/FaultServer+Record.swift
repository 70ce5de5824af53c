extension FaultServer {
    /// All connections and requests of the server so far.
    package struct Record: FaultRecord {
        /// The accepted connections in the order of their acceptance.
        package var connections: [Connection] = []

        /// The whole requests of all connections in the order of their arrival.
        package var requests: [Request] = []

        /// The names that TLS clients asked for (SNI, RFC 6066 §3), in the order of their
        /// handshakes.
        package var serverNames: [String] = []

        /// Creates the record of a server without connections.
        package init() {}

        /// The connections as one line.
        package var summary: String {
            connections.enumerated().map { index, connection in
                "#\(index): \(connection.requests.count) requests, \(connection.bytesReceived) bytes in, "
                    + "\(connection.bytesSent) bytes out, \(connection.isClosed ? "closed" : "open")"
                    + (connection.failure.map { ", \($0)" } ?? "")
            }
            .joined(separator: "; ")
        }
    }

    /// The record of one connection.
    package struct Connection: Sendable {
        /// The whole requests in the order of their arrival.
        package var requests: [Request] = []

        /// The number of bytes received, inside TLS if there is TLS.
        package var bytesReceived = 0

        /// The number of bytes passed to the kernel, inside TLS if there is TLS.
        package var bytesSent = 0

        /// Whether the client closed its direction or the connection.
        package var clientClosed = false

        /// Whether the connection is closed.
        package var isClosed = false

        /// The protocol agreed by ALPN, once the TLS handshake is over.
        package var applicationProtocol: String?

        /// The TLS version agreed on, such as `TLSv1.3`, once the TLS handshake is over.
        package var tlsVersion: String?

        /// The first error of the connection, such as a failed TLS handshake, as text.
        package var failure: String?
    }
}
