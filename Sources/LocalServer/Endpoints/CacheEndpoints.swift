import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Endpoints for caches and for fields of all kinds.
enum CacheEndpoints {
    static let all: [Endpoint] = [
        Endpoint("etag/:tag") { exchange in
            let tag = "\"\(exchange.parameter("tag"))\""
            guard HTTPField.isValidValue(tag) else { throw EndpointError(.badRequest, "Invalid entity tag.") }
            if let failed = Preconditions.check(exchange, tag: tag) {
                return failed
            }
            var response = Response.json(EchoEndpoints.withoutBody(exchange))
            response.headers[.eTag] = tag
            return response
        },
        Endpoint("cache") { exchange in
            let headers = exchange.request.headers
            if headers[.ifModifiedSince] != nil || headers[.ifNoneMatch] != nil {
                return Response(status: .notModified)
            }
            var response = Response.json(EchoEndpoints.withoutBody(exchange))
            response.headers[.lastModified] = HTTPDate.text(Date())
            response.headers[.eTag] = "\"\(UUID().uuidString)\""
            return response
        },
        Endpoint("cache/:seconds") { exchange in
            let seconds = try exchange.count("seconds")
            var response = Response.json(EchoEndpoints.withoutBody(exchange))
            response.headers[.cacheControl] = "public, max-age=\(seconds)"
            return response
        },
        Endpoint("response-headers", [.get, .post]) { try responseHeaders($0) },
    ]

    /// The query's pairs as header fields, and the header fields as the body.
    private static func responseHeaders(_ exchange: Exchange) throws -> Response {
        var fields: [(name: HTTPField.Name, value: String)] = []
        for pair in exchange.query {
            guard let name = HTTPField.Name(pair.name), HTTPField.isValidValue(pair.value) else {
                throw EndpointError(.badRequest, "\(pair.name) and its value cannot be a header field.")
            }
            fields.append((name, pair.value))
        }
        // The body has its own length in it, so that the length is tried until it fits.
        var length = 0
        while true {
            let shown =
                [(name: "Content-Length", value: "\(length)"), (name: "Content-Type", value: "application/json")]
                + exchange.query
            let text = JSON(pairs: shown).pretty
            guard text.utf8.count == length else {
                length = text.utf8.count
                continue
            }
            var response = Response.content(text, type: "application/json")
            for field in fields where field.name != .contentLength && field.name != .transferEncoding {
                if field.name == .contentType {
                    response.headers[.contentType] = field.value
                } else {
                    response.headers.append(HTTPField(name: field.name, value: field.value))
                }
            }
            return response
        }
    }
}
