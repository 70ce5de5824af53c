import HTTPTypes
import Hummingbird

/// Endpoints that redirect the client.
enum RedirectEndpoints {
    static let all: [Endpoint] = [
        Endpoint("redirect/:n") { exchange in
            let isAbsolute = exchange.argument("absolute")?.lowercased() == "true"
            return try hop(exchange, through: isAbsolute ? "absolute-redirect" : "relative-redirect", isAbsolute)
        },
        Endpoint("relative-redirect/:n") { try hop($0, through: "relative-redirect", false) },
        Endpoint("absolute-redirect/:n") { try hop($0, through: "absolute-redirect", true) },
        Endpoint("redirect-to", [.get, .post, .put, .patch, .delete]) { try await redirect($0) },
    ]

    /// One of `n` redirects, the last one to `/get`.
    private static func hop(_ exchange: Exchange, through name: String, _ isAbsolute: Bool) throws -> Response {
        let count = try exchange.count("n")
        guard count > 0 else { throw EndpointError(.badRequest, "The number of redirects must be at least 1.") }
        let path = count == 1 ? "/get" : "/\(name)/\(count - 1)"
        return .redirection(to: isAbsolute ? exchange.base + path : path)
    }

    /// A redirect to any URL; the arguments may also be in a form body.
    private static func redirect(_ exchange: Exchange) async throws -> Response {
        var arguments = exchange.query
        if exchange.request.headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true {
            arguments += FormText.pairs(String(decoding: try await exchange.body(), as: UTF8.self))
        }
        guard let url = arguments.first(where: { $0.name == "url" })?.value, HTTPField.isValidValue(url) else {
            throw EndpointError(.badRequest, "The argument url is missing.")
        }
        let code = arguments.first { $0.name == "status_code" }.flatMap { Int($0.value) }
        guard let code, 300..<400 ~= code else { return .redirection(to: url) }
        return .redirection(to: url, status: HTTPResponse.Status(code: code))
    }
}
