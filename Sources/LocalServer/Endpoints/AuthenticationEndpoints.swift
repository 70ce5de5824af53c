import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Endpoints that need credentials.
enum AuthenticationEndpoints {
    static let all: [Endpoint] = [
        Endpoint("basic-auth/:user/:password", nil) { exchange in
            guard isAuthorized(exchange) else { return challenge("Basic realm=\"Fake Realm\"") }
            return success(["user": .string(exchange.parameter("user"))])
        },
        Endpoint("hidden-basic-auth/:user/:password", nil) { exchange in
            guard isAuthorized(exchange) else { return .html(SampleEndpoints.notFound, status: .notFound) }
            return success(["user": .string(exchange.parameter("user"))])
        },
        Endpoint("bearer", nil) { exchange in
            guard let token = credentials(of: exchange, scheme: "bearer") else { return challenge("Bearer") }
            return success(["token": .string(token)])
        },
    ]

    /// Whether the request has the user and password of the path (RFC 7617 §2).
    private static func isAuthorized(_ exchange: Exchange) -> Bool {
        guard let credentials = credentials(of: exchange, scheme: "basic"),
            let decoded = Data(base64Encoded: credentials)
        else { return false }
        let expected = "\(exchange.parameter("user")):\(exchange.parameter("password"))"
        return Array(decoded) == Array(expected.utf8)
    }

    /// The text after the scheme in the Authorization field (RFC 9110 §11.4).
    static func credentials(of exchange: Exchange, scheme: String) -> String? {
        let words = exchange.request.headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        guard words.count == 2, words[0].lowercased() == scheme else { return nil }
        return String(words[1])
    }

    private static func success(_ more: [String: JSON]) -> Response {
        .json(.object(more.merging(["authenticated": true]) { $1 }))
    }

    private static func challenge(_ value: String) -> Response {
        Response(status: .unauthorized, headers: [.wwwAuthenticate: value])
    }
}
