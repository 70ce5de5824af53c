extension HTTP2FaultServer {
    /// All connections of the server so far.
    package struct Record: FaultRecord {
        /// The accepted connections in the order of their acceptance.
        package var connections: [Connection] = []

        /// The names that TLS clients asked for (SNI, RFC 6066 §3), in the order of their
        /// handshakes.
        package var serverNames: [String] = []

        /// The number of whole requests on all connections.
        package var wholeRequests = 0

        /// The number of requests over HTTP/1.1, on connections whose handshake selected that.
        package var http1Requests = 0

        /// Creates the record of a server without connections.
        package init() {}

        /// The requests of all connections.
        package var requests: [Request] { connections.flatMap(\.requests) }

        /// The connections as one line.
        package var summary: String {
            connections.enumerated().map { index, connection in
                "#\(index): \(connection.frames.count) frames, \(connection.requests.count) requests, "
                    + (connection.isClosed ? "closed" : "open") + (connection.failure.map { ", \($0)" } ?? "")
            }
            .joined(separator: "; ")
        }
    }

    /// The record of one connection.
    package struct Connection: Sendable {
        /// The frames of the client in the order of their arrival; DATA without its bytes.
        package var frames: [WireFrame] = []

        /// The requests in the order of their heads.
        package var requests: [Request] = []

        /// Whether the connection preface of RFC 9113 §3.4 has arrived.
        package var hasPreface = false

        /// The number of bytes of DATA sent.
        package var bodyBytesSent = 0

        /// Whether the client closed its direction or the connection.
        package var clientClosed = false

        /// Whether the connection is closed.
        package var isClosed = false

        /// The protocol agreed by ALPN, once the TLS handshake is over.
        package var applicationProtocol: String?

        /// The first error of the connection, such as a failed TLS handshake, as text.
        package var failure: String?

        /// The settings of the client, by their numbers; the last value of each.
        package var settings: [UInt16: UInt32] {
            frames.reduce(into: [:]) { settings, frame in
                for setting in frame.settings { settings[setting.name] = setting.value }
            }
        }

        /// The frames of the client with this type.
        package func frames(_ kind: WireFrame.Kind) -> [WireFrame] {
            frames.filter { $0.kind == kind }
        }

        /// The code of the client's first GOAWAY.
        package var goAwayCode: WireFrame.ErrorCode? { frames(.goAway).first?.errorCode }

        /// The code of the client's RST_STREAM for this stream.
        package func resetCode(of stream: Int) -> WireFrame.ErrorCode? {
            frames.first { $0.kind == .resetStream && $0.stream == stream }?.errorCode
        }
    }

    /// A request as it was received.
    package struct Request: Sendable {
        /// The number of its connection, from 0.
        package var connection: Int

        /// The number of the request on its connection, from 0.
        package var number: Int

        /// Its stream.
        package var stream: Int

        /// The fields of its head with the pseudo-header fields, in the order they were sent.
        package var fields: [(name: String, value: String)]

        /// The body as far as it has arrived; empty when the server keeps no bodies.
        package var body: [UInt8] = []

        /// The length of the body as far as it has arrived.
        package var bodyLength = 0

        /// The trailer fields in order.
        package var trailers: [(name: String, value: String)] = []

        /// Whether the client has ended the stream with END_STREAM.
        package var isWhole = false

        /// The value of `:method`.
        package var method: String { value(of: ":method") ?? "" }

        /// The value of `:path`.
        package var path: String { value(of: ":path") ?? "" }

        /// The value of `:authority`.
        package var authority: String { value(of: ":authority") ?? "" }

        /// The first value of the field with this name in lower case.
        package func value(of name: String) -> String? {
            fields.first { $0.name == name }?.value
        }
    }
}
