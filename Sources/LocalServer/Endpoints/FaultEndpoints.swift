import HTTPTypes
import Hummingbird
import NIOCore

/// Endpoints that fail on purpose, as servers and networks do.
enum FaultEndpoints {
    /// Ends the work of an endpoint that has no connection any more.
    private static let isGone = EndpointError(.internalServerError, "The connection is gone.")

    static let all: [Endpoint] = [
        Endpoint("fault/reset", nil) { exchange in
            try await exchange.resetConnection()
            throw isGone
        },
        Endpoint("fault/reset/:bytes", nil) { exchange in
            try cut(exchange) { try await exchange.resetConnection() }
        },
        Endpoint("fault/close", nil) { exchange in
            try await exchange.closeConnection()
            throw isGone
        },
        Endpoint("fault/truncate/:bytes", nil) { exchange in
            try cut(exchange) { try await exchange.closeConnection() }
        },
        Endpoint("fault/stall/:seconds", nil) { try stall($0) },
        Endpoint("fault/hang", nil) { exchange in
            try await exchange.waitUntilClosed()
            throw isGone
        },
        Endpoint("fault/garbage", nil) { try await send("This is not HTTP.\r\n\r\n", to: $0) },
        Endpoint("fault/chunk", nil) {
            try await send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nno size\r\n", to: $0)
        },
        Endpoint("fault/lengths", nil) {
            try await send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", to: $0)
        },
    ]

    /// So many bytes of a body that is announced to be twice as long, and one byte, or that is
    /// chunked; then the connection ends.
    private static func cut(
        _ exchange: Exchange,
        with end: @escaping @Sendable () async throws -> Void
    ) throws -> Response {
        let count = try exchange.count("bytes")
        guard count <= 1 << 30 else { throw EndpointError(.badRequest, "At most 1073741824 bytes.") }
        let isChunked = exchange.argument("chunked") != nil
        let body = ResponseBody(contentLength: isChunked ? nil : 2 * count + 1) { writer in
            var rest = count
            while rest > 0 {
                let size = min(rest, 64 * 1024)
                try await writer.write(ByteBuffer(repeating: UInt8(ascii: "*"), count: size))
                rest -= size
            }
            try await end()
            // The body has no end.
            throw isGone
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }

    /// Half of a body, and the other half after a pause.
    private static func stall(_ exchange: Exchange) throws -> Response {
        guard let seconds = Double(exchange.parameter("seconds")), 0...3600 ~= seconds else {
            throw EndpointError(.badRequest, "The pause must be 0 to 3600 seconds.")
        }
        let half = ByteBuffer(string: "*****")
        let body = ResponseBody(contentLength: 2 * half.readableBytes) { writer in
            try await writer.write(half)
            try await Task.sleep(for: .seconds(seconds))
            try await writer.write(half)
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/plain"], body: body)
    }

    private static func send(_ text: String, to exchange: Exchange) async throws -> Response {
        try await exchange.send(raw: text)
        throw isGone
    }
}
