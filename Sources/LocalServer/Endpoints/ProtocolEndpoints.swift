import HTTPTypes
import Hummingbird
import NIOCore

/// Endpoints about the protocol that carries a request.
enum ProtocolEndpoints {
    static let all: [Endpoint] = [
        Endpoint("protocol", nil) { exchange in
            let stream = try await exchange.stream
            return .json([
                "protocol": .string(stream == nil ? "http/1.1" : "h2"),
                "stream": stream.map { .integer($0) } ?? nil,
            ])
        },
        Endpoint("trailers") { try trailers($0) },
        Endpoint("websocket") { upgradeRequired($0) },
    ]

    /// The response to a request that opens no WebSocket (RFC 9110 §15.5.22, RFC 6455 §4.4);
    /// ``WebSocketUpgradeHandler`` takes those that do.
    private static func upgradeRequired(_ exchange: Exchange) -> Response {
        var response = Response.text(
            "A WebSocket that sends messages back is here, over HTTP/1.1: bluebonnet ws URL\n",
            status: .upgradeRequired
        )
        response.headers[.secWebSocketVersion] = "13"
        // RFC 9113 §8.2.2: HTTP/2 has none of these fields.
        if !exchange.isOverHTTP2 {
            response.headers[.upgrade] = "websocket"
            response.headers[.connection] = "Upgrade"
        }
        return response
    }

    /// A body of some bytes, and the query's pairs as trailer fields (RFC 9110 §6.5).
    private static func trailers(_ exchange: Exchange) throws -> Response {
        var fields = HTTPFields()
        for (name, value) in exchange.query {
            guard let name = HTTPField.Name(name) else { throw EndpointError(.badRequest, "\(name) is no field name.") }
            fields.append(HTTPField(name: name, value: value))
        }
        let body = ResponseBody { [fields] writer in
            try await writer.write(ByteBuffer(string: "The trailer fields follow.\n"))
            try await writer.finish(fields)
        }
        return Response(status: .ok, headers: [.contentType: "text/plain"], body: body)
    }
}
