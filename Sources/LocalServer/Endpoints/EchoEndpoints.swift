import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// Endpoints that show the client its request.
enum EchoEndpoints {
    static let all: [Endpoint] = [
        Endpoint("get") { .json(withoutBody($0)) },
        Endpoint("post", [.post]) { .json(try await withBody($0)) },
        Endpoint("put", [.put]) { .json(try await withBody($0)) },
        Endpoint("patch", [.patch]) { .json(try await withBody($0)) },
        Endpoint("delete", [.delete]) { .json(try await withBody($0)) },
        Endpoint("anything/**", nil) { exchange in
            .json(try await withBody(exchange, adding: ["method": .string(exchange.method.rawValue)]))
        },
        Endpoint("headers") { .json(["headers": $0.headers]) },
        Endpoint("ip") { .json(["origin": .string($0.origin)]) },
        Endpoint("user-agent") { exchange in
            .json(["user-agent": exchange.request.headers[.userAgent].map { .string($0) } ?? nil])
        },
        Endpoint("sink", [.post, .put]) { try await sink($0) },
        Endpoint("gzip") { encoded($0, "gzip", "gzipped") { Compressor.compress($0, as: .gzip) } },
        Endpoint("deflate") { encoded($0, "deflate", "deflated") { Compressor.compress($0, as: .zlib) } },
        Endpoint("brotli") { encoded($0, "br", "brotli", StoredCoding.brotli) },
        Endpoint("zstd") { encoded($0, "zstd", "zstd", StoredCoding.zstd) },
    ]

    /// The JSON of `/get`.
    static func withoutBody(_ exchange: Exchange) -> JSON {
        .object(common(exchange))
    }

    /// The JSON of `/post`, with a few members more or without `json`.
    static func withBody(
        _ exchange: Exchange,
        adding more: [String: JSON] = [:],
        parsingJSON: Bool = true
    ) async throws -> JSON {
        let body = try await exchange.body()
        let contentType = exchange.request.headers[.contentType]
        let type = contentType?.prefix { $0 != ";" }.lowercased()
        var data = ""
        var form: [(name: String, value: String)] = []
        var files: [(name: String, value: String)] = []
        if type == "application/x-www-form-urlencoded" {
            form = FormText.pairs(String(decoding: body, as: UTF8.self))
        } else if type == "multipart/form-data", let contentType,
            let multipart = MultipartForm(contentType: contentType, body: body)
        {
            form = multipart.fields
            files = multipart.files
        } else {
            data = DataText.echo(body)
        }
        var members = common(exchange)
        members["data"] = .string(data)
        members["form"] = JSON(pairs: form)
        members["files"] = JSON(pairs: files)
        if parsingJSON {
            members["json"] = .some(JSONValidator.echo(data))
        }
        return .object(members.merging(more) { $1 })
    }

    private static func common(_ exchange: Exchange) -> [String: JSON] {
        [
            "args": exchange.arguments,
            "headers": exchange.headers,
            "origin": .string(exchange.origin),
            "url": .string(exchange.url),
        ]
    }

    /// Counts and hashes a body of any size without keeping it.
    private static func sink(_ exchange: Exchange) async throws -> Response {
        var hash = SHA256()
        var count = 0
        for try await buffer in exchange.request.body {
            count += buffer.readableBytes
            hash.update(data: Array(buffer.readableBytesView))
        }
        let digits = hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return .json(["bytes": .integer(count), "sha256": .string(digits.joined())])
    }

    private static func encoded(
        _ exchange: Exchange,
        _ coding: String,
        _ flag: String,
        _ encode: ([UInt8]) -> [UInt8]
    ) -> Response {
        let json: JSON = .object([
            flag: true,
            "headers": exchange.headers,
            "method": .string(exchange.method.rawValue),
            "origin": .string(exchange.origin),
        ])
        var response = Response.content(encode(Array(json.pretty.utf8)), type: "application/json")
        response.headers[.contentEncoding] = coding
        return response
    }
}
