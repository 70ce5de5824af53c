extension FaultServer {
    /// The address and the settings of the server.
    package struct Options: Sendable {
        /// The certificate and settings of TLS; `nil`, the default, speaks plain TCP.
        package var tls: ServerTLS?

        /// The address to listen on.
        package var host: String

        /// The port to listen on; 0, the default, is a free one.
        package var port: Int

        /// The path of a Unix-domain socket to listen on instead of a port.
        package var socketPath: String?

        /// The size of each connection's kernel receive buffer in bytes; `nil` keeps that of the
        /// kernel.
        package var receiveBuffer: Int?

        /// The size of each connection's kernel send buffer in bytes; `nil` keeps that of the
        /// kernel.
        package var sendBuffer: Int?

        /// Whether connections are accepted at all.
        ///
        /// When `false`, the listening queue is filled up, so a client's `connect` on the port
        /// never finishes.
        package var acceptsConnections: Bool

        /// Whether the record keeps the bodies of requests; chunked ones are always kept.
        package var keepsBodies: Bool

        /// Creates options; by default plain TCP on a free port of 127.0.0.1.
        package init(
            tls: ServerTLS? = nil,
            host: String = "127.0.0.1",
            port: Int = 0,
            socketPath: String? = nil,
            receiveBuffer: Int? = nil,
            sendBuffer: Int? = nil,
            acceptsConnections: Bool = true,
            keepsBodies: Bool = true
        ) {
            self.tls = tls
            self.host = host
            self.port = port
            self.socketPath = socketPath
            self.receiveBuffer = receiveBuffer
            self.sendBuffer = sendBuffer
            self.acceptsConnections = acceptsConnections
            self.keepsBodies = keepsBodies
        }
    }
}
