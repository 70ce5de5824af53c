extension LocalServer {
    /// The address and the settings of the server.
    package struct Options: Sendable {
        /// The address that the server listens on.
        package enum Address: Sendable {
            /// A host and a port; port 0 takes a free one.
            case tcp(host: String, port: Int)
            /// A Unix-domain socket at this path.
            case unixSocket(String)
        }

        /// The address that the server listens on. Default: a free port of 127.0.0.1.
        package var address: Address

        /// The certificate and settings of TLS; `nil`, the default, speaks plain HTTP.
        package var tls: ServerTLS?

        /// Whether the server speaks HTTP/2: over TLS beside HTTP/1.1, as ALPN decides; without TLS
        /// instead of HTTP/1.1, for clients with prior knowledge. Default: `false`.
        package var http2: Bool

        /// The largest request body that is kept in memory to be echoed, in bytes; 64 MiB by
        /// default.
        ///
        /// The response to a larger one is 413. The endpoint `/sink` has no limit.
        package var maximumBodySize: Int

        /// Called for each request when its response has been sent, on any thread. Default: nil.
        package var log: (@Sendable (AccessRecord) -> Void)?

        /// Creates options; by default plain HTTP/1.1 on a free port of 127.0.0.1.
        package init(
            address: Address = .tcp(host: "127.0.0.1", port: 0),
            tls: ServerTLS? = nil,
            http2: Bool = false,
            maximumBodySize: Int = 64 * 1024 * 1024,
            log: (@Sendable (AccessRecord) -> Void)? = nil
        ) {
            self.address = address
            self.tls = tls
            self.http2 = http2
            self.maximumBodySize = maximumBodySize
            self.log = log
        }
    }
}
