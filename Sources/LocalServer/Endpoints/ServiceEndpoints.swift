import HTTPTypes
import Hummingbird
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A small service of the kind that programs use: users, and logins with tokens. httpbin has no
/// such endpoints.
///
/// Everybody may read the users; creating and deleting one needs a token. The users themselves
/// never change: nothing that a client sends is kept, except for the tokens. A request that is
/// refused gets the problem as JSON (RFC 9457); `v1/token` has the errors of OAuth instead.
final class ServiceEndpoints: Sendable {
    /// The password of every user.
    static let password = "secret"
    static let usersPerPage = 2
    /// The most characters of a name, and bytes of a body: nobody has to be patient with more.
    static let longestName = 100
    static let largestBody = 64 * 1024

    private struct User {
        let id: Int
        let login: String
        let name: String

        var json: JSON { ["id": .integer(id), "name": .string(name)] }
    }

    private static let users = [
        User(id: 1, login: "ada", name: "Ada Lovelace"),
        User(id: 2, login: "grace", name: "Grace Hopper"),
        User(id: 3, login: "katherine", name: "Katherine Johnson"),
        User(id: 4, login: "margaret", name: "Margaret Hamilton"),
        User(id: 5, login: "radia", name: "Radia Perlman"),
    ]

    private let tokens = Mutex(TokenStore())

    var all: [Endpoint] {
        [
            Endpoint("v1/token", [.post]) { try await self.issueToken($0) },
            Endpoint("v1/revoke", [.post]) { try await self.revokeToken($0) },
            Endpoint("v1/profile") { exchange in
                try self.authorized(exchange) { .json($0.json) }
            },
            Endpoint("v1/users") { try Self.page($0) },
            Endpoint("v1/users/:id") { try Self.withUser($0) { .json($0.json) } },
            Endpoint("v1/users", [.post]) { exchange in
                let body = try await exchange.body(upTo: Self.largestBody)
                return try self.authorized(exchange) { _ in Self.create(body, at: exchange.url) }
            },
            Endpoint("v1/users/:id", [.delete]) { exchange in
                try self.authorized(exchange) { _ in
                    try Self.withUser(exchange) { _ in Response(status: .noContent) }
                }
            },
        ]
    }

    /// The response to a request that is refused (RFC 9457).
    static func problem(_ status: HTTPResponse.Status, _ detail: String) -> Response {
        let problem: JSON = [
            "title": .string(status.reasonPhrase),
            "status": .integer(status.code),
            "detail": .string(detail),
        ]
        return .content(problem.pretty, type: "application/problem+json", status: status)
    }

    // MARK: Users

    private static func page(_ exchange: Exchange) throws -> Response {
        let page = try exchange.number("page", default: 1)
        guard page >= 1 else { return problem(.badRequest, "The first page is 1.") }
        let users = page > users.count ? [] : users.dropFirst((page - 1) * usersPerPage).prefix(usersPerPage)
        return .json(.array(users.map(\.json)))
    }

    private static func withUser(_ exchange: Exchange, respond: (User) throws -> Response) throws -> Response {
        let id = exchange.parameter("id")
        guard let user = users.first(where: { String($0.id) == id }) else {
            return problem(.notFound, "There is no user with this ID.")
        }
        return try respond(user)
    }

    private static func create(_ body: [UInt8], at url: String) -> Response {
        struct Draft: Decodable {
            var name: String
        }
        guard let draft = try? JSONDecoder().decode(Draft.self, from: Data(body)) else {
            return problem(.badRequest, "The body is not JSON with a name.")
        }
        guard (1...longestName).contains(draft.name.count) else {
            return problem(.unprocessableContent, "A name has 1 to \(longestName) characters.")
        }
        let user = User(id: users.count + 1, login: "", name: draft.name)
        var response = Response.json(user.json, status: .created)
        response.headers[.location] = "/v1/users/\(user.id)"
        return response
    }

    // MARK: Tokens

    /// A token for the name and password of a user (RFC 6749 §4.3).
    private func issueToken(_ exchange: Exchange) async throws -> Response {
        let form = try await Self.form(exchange)
        guard form["grant_type"] == "password", let login = form["username"], let password = form["password"] else {
            return Self.tokenError("invalid_request", "Needed: grant_type=password, username and password.")
        }
        guard let user = Self.users.first(where: { $0.login == login }), password == Self.password else {
            return Self.tokenError("invalid_grant", "The user or the password is wrong.")
        }
        let token = tokens.withLock { $0.issue(to: user.id, at: .now) }
        var response = Response.json([
            "access_token": .string(token),
            "token_type": "Bearer",
            "expires_in": .integer(Int(TokenStore.lifetime.components.seconds)),
        ])
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// An error in JSON (RFC 6749 §5.2).
    private static func tokenError(_ code: String, _ description: String) -> Response {
        .json(["error": .string(code), "error_description": .string(description)], status: .badRequest)
    }

    /// Forgets a token. It is no error if there is none (RFC 7009 §2.2).
    private func revokeToken(_ exchange: Exchange) async throws -> Response {
        guard let token = try await Self.form(exchange)["token"] else {
            return Self.tokenError("invalid_request", "Needed: token.")
        }
        tokens.withLock { $0.revoke(token) }
        return Response(status: .ok)
    }

    /// Responds to a request with a valid token, and refuses any other one (RFC 6750 §3).
    private func authorized(_ exchange: Exchange, respond: (User) throws -> Response) throws -> Response {
        guard let token = AuthenticationEndpoints.credentials(of: exchange, scheme: "bearer") else {
            return Self.challenge("Bearer realm=\"service\"", "A token is needed.")
        }
        let id = tokens.withLock { $0.user(of: token, at: .now) }
        guard let user = Self.users.first(where: { $0.id == id }) else {
            return Self.challenge(
                "Bearer realm=\"service\", error=\"invalid_token\"",
                "The token is unknown, expired or revoked."
            )
        }
        return try respond(user)
    }

    private static func challenge(_ value: String, _ detail: String) -> Response {
        var response = problem(.unauthorized, detail)
        response.headers[.wwwAuthenticate] = value
        return response
    }

    /// The fields of a form; of fields with the same name, the first one.
    private static func form(_ exchange: Exchange) async throws -> [String: String] {
        let text = String(decoding: try await exchange.body(upTo: largestBody), as: UTF8.self)
        return Dictionary(FormText.pairs(text).map { ($0.name, $0.value) }) { first, _ in first }
    }
}

/// The tokens that are valid, in the order in which they end.
struct TokenStore {
    /// The time that a token is valid.
    static let lifetime = Duration.seconds(3600)
    /// The most tokens that are kept. When there are more, the oldest one is forgotten, so that
    /// clients cannot fill the memory.
    static let capacity = 1000

    private var tokens: [(text: String, user: Int, end: ContinuousClock.Instant)] = []

    /// A new token of a user.
    mutating func issue(to user: Int, at now: ContinuousClock.Instant) -> String {
        if tokens.count == Self.capacity { tokens.removeFirst() }
        let text = UUID().uuidString.lowercased()
        tokens.append((text, user, now + Self.lifetime))
        return text
    }

    /// The user of a token; nil when the token is not valid.
    func user(of text: String, at now: ContinuousClock.Instant) -> Int? {
        tokens.first { $0.text == text && now < $0.end }?.user
    }

    mutating func revoke(_ text: String) {
        tokens.removeAll { $0.text == text }
    }
}
