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
    ]

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
