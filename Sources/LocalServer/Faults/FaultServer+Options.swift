extension FaultServer {
    /// How the server listens.
    package struct Options: Sendable {
        /// The certificate and rules of TLS; `nil`, the default, speaks plain TCP.
        package var tls: ServerTLS?

        /// The path of a Unix-domain socket to listen on instead of a port of 127.0.0.1.
        package var socketPath: String?

        /// The size of each connection's kernel receive buffer in bytes; `nil` leaves it to the kernel.
        package var receiveBuffer: Int?

        /// The size of each connection's kernel send buffer in bytes; `nil` leaves it to the kernel.
        package var sendBuffer: Int?

        /// Whether connections are accepted at all.
        ///
        /// When `false`, the listening queue is filled up, so a client's `connect` on the port never finishes.
        package var acceptsConnections: Bool

        /// Creates options; by default plain TCP on a free port of 127.0.0.1.
        package init(
            tls: ServerTLS? = nil,
            socketPath: String? = nil,
            receiveBuffer: Int? = nil,
            sendBuffer: Int? = nil,
            acceptsConnections: Bool = true
        ) {
            self.tls = tls
            self.socketPath = socketPath
            self.receiveBuffer = receiveBuffer
            self.sendBuffer = sendBuffer
            self.acceptsConnections = acceptsConnections
        }
    }
}
