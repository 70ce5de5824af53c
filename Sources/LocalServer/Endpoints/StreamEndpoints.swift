import HTTPTypes
import Hummingbird
import NIOCore

/// Endpoints whose responses are slow, or come in pieces.
enum StreamEndpoints {
    static let all: [Endpoint] = [
        Endpoint("delay/:seconds", nil) { exchange in
            let seconds = Double(exchange.parameter("seconds")) ?? -1
            guard seconds >= 0 else { throw EndpointError(.notFound, "Not Found") }
            try await Task.sleep(for: .seconds(min(seconds, 10)))
            return .json(try await EchoEndpoints.withBody(exchange, parsingJSON: false))
        },
        Endpoint("stream/:n") { lines($0, count: min(try $0.count("n"), 100)) },
        Endpoint("bytes/:n") { exchange in
            let count = try exchange.count("n")
            return try bytes(exchange, count: count, length: count)
        },
        Endpoint("stream-bytes/:n") { try bytes($0, count: $0.count("n"), length: nil) },
        Endpoint("drip") { try await drip($0) },
        Endpoint("sse") { try events($0) },
    ]

    /// JSON texts, one in a line, chunked.
    private static func lines(_ exchange: Exchange, count: Int) -> Response {
        let body = ResponseBody { writer in
            for index in 0..<count {
                let line: JSON = [
                    "id": .integer(index),
                    "args": exchange.arguments,
                    "headers": exchange.headers,
                    "origin": .string(exchange.origin),
                    "url": .string(exchange.url),
                ]
                try await writer.write(ByteBuffer(string: line.compact + "\n"))
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// Server-sent events (HTML Standard §9.2), which begin behind the one that the client has seen
    /// last.
    private static func events(_ exchange: Exchange) throws -> Response {
        let count = try exchange.number("count", default: 10)
        let delay = try exchange.number("delay", default: 0.5)
        guard 0...100_000 ~= count, 0...60 ~= delay else {
            throw EndpointError(.badRequest, "count must be 0 to 100000, and delay 0 to 60 seconds.")
        }
        let seen = HTTPField.Name("Last-Event-ID").flatMap { exchange.request.headers[$0] }.flatMap { Int($0) }
        let first = seen.map { max(0, min($0, count - 1) + 1) } ?? 0
        let body = ResponseBody { writer in
            for number in first..<max(first, count) {
                if number > first { try await Task.sleep(for: .seconds(delay)) }
                let data: JSON = ["id": .integer(number), "left": .integer(count - number - 1)]
                let event = "id: \(number)\nevent: tick\ndata: \(data.compact)\n\n"
                try await writer.write(ByteBuffer(string: event))
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: body
        )
    }

    /// Pseudo-random bytes; the same for the same seed, with every size of the chunks.
    private static func bytes(_ exchange: Exchange, count: Int, length: Int?) throws -> Response {
        let seed = try exchange.number("seed", default: UInt64.random(in: 0 ... .max))
        let size = max(1, try exchange.number("chunk_size", default: 64 * 1024))
        let body = ResponseBody(contentLength: length) { writer in
            var generator = ByteGenerator(seed: seed)
            var pending = ByteBuffer()
            var rest = count
            while rest > 0 {
                let piece = min(rest, size)
                while pending.readableBytes < piece {
                    pending.writeImmutableBuffer(generator.buffer(count: 64 * 1024))
                }
                rest -= piece
                if let slice = pending.readSlice(length: piece) {
                    try await writer.write(slice)
                }
                pending.discardReadBytes()
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/octet-stream"], body: body)
    }

    /// Stars, spread evenly over a duration, after a delay before the head.
    private static func drip(_ exchange: Exchange) async throws -> Response {
        let count = try exchange.number("numbytes", default: 10)
        let duration = try exchange.number("duration", default: 2.0)
        let delay = try exchange.number("delay", default: 0.0)
        let code = try exchange.number("code", default: 200)
        guard 1...10_485_760 ~= count, 0...3600 ~= duration, 0...3600 ~= delay, 200..<1000 ~= code else {
            throw EndpointError(.badRequest, "numbytes must be 1 to 10485760, and each time 0 to 3600 seconds.")
        }
        try await Task.sleep(for: .seconds(delay))
        let pause = Duration.seconds(duration / Double(count))
        let body = ResponseBody(contentLength: count) { writer in
            for index in 0..<count {
                try await writer.write(ByteBuffer(string: "*"))
                if index + 1 < count {
                    try await Task.sleep(for: pause)
                }
            }
            try await writer.finish(nil)
        }
        return Response(
            status: HTTPResponse.Status(code: code),
            headers: [.contentType: "application/octet-stream"],
            body: body
        )
    }
}
