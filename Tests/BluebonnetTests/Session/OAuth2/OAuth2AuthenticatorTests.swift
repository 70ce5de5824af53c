import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Tokens of OAuth 2.0 that are refreshed, or not, over sockets.
@Suite(.timeLimit(.minutes(5)))
struct OAuth2AuthenticatorTests {
    private struct Failed: Error {}

    /// Runs the work in a session with a token for an API, whose refreshes are counted and fail.
    private func withToken(
        _ token: OAuth2Credential = OAuth2Credential(accessToken: "old", refreshToken: "r"),
        for api: String,
        _ work: (SessionManager, Counter) async throws -> Void
    ) async throws {
        let refreshes = Counter()
        let endpoint = try #require(URL(string: "https://accounts.example.com/token"))
        let authenticator = OAuth2Authenticator(
            OAuth2Client(tokenEndpoint: endpoint, clientID: "a"),
            for: try #require(URL(string: api)),
            margin: .seconds(3600)
        ) { _, _ in
            refreshes.increment()
            throw Failed()
        }
        var configuration = SessionConfiguration()
        configuration.interceptors = [AuthenticationInterceptor(authenticator, token: token)]
        try await withSession(configuration) { try await work($0, refreshes) }
    }

    private static let accepting = FaultServer.Script.requests { request in
        [.respond(request.value(of: "Authorization") == "Bearer old" ? 200 : 401)]
    }

    @Test func `a token that is about to end is sent where its refresh fails`() async throws {
        try await FaultServer.run(Self.accepting) { server in
            let soon = Date.now.addingTimeInterval(1800)
            let token = OAuth2Credential(accessToken: "old", refreshToken: "r", expiresAt: soon)
            try await withToken(token, for: server.baseURL) { session, refreshes in
                for _ in 0..<8 {
                    let response = try await session.data(for: try Request(to: server.baseURL + "/x"))
                    #expect(response.status.code == 200)
                }
                // As often as the limit allows.
                #expect(refreshes.value == 5)
            }
            let other = OAuth2Credential(accessToken: "other", expiresAt: soon)
            try await withToken(other, for: server.baseURL) { session, refreshes in
                let error = try await networkingError {
                    try await session.data(for: try Request(to: server.baseURL + "/x"))
                }
                #expect(error.code == .authenticationFailed && error.underlying is Failed)
                #expect(error.response?.status.code == 401 && refreshes.value == 1)
            }
        }
    }

    @Test func `a token without a refresh token is sent until it ends, and not any more`() async throws {
        try await FaultServer.run(Self.accepting) { server in
            let endpoint = try #require(URL(string: server.baseURL + "/token"))
            let api = try #require(URL(string: server.baseURL))
            let authenticator = OAuth2Authenticator(
                OAuth2Client(tokenEndpoint: endpoint, clientID: "a"),
                for: api,
                margin: .seconds(3600)
            )
            for (end, isSent) in [(Date.now.addingTimeInterval(1800), true), (Date.now, false)] {
                let token = OAuth2Credential(accessToken: "old", expiresAt: end)
                var configuration = SessionConfiguration()
                configuration.interceptors = [AuthenticationInterceptor(authenticator, token: token)]
                try await withSession(configuration) { session in
                    let request = try Request(to: server.baseURL + "/x")
                    guard !isSent else {
                        #expect(try await session.data(for: request).status.code == 200)
                        return
                    }
                    let error = try await networkingError { try await session.data(for: request) }
                    #expect(error.code == .authenticationFailed && error.message.contains("no refresh token"))
                }
            }
            #expect(server.requests.map(\.target) == ["/x"])
        }
    }

    @Test func `a refusal on another path than that of the API refreshes nothing`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target == "/other" ? [.respond(401)] : [.respond(307, headers: [("Location", "/other")])]
        }
        try await FaultServer.run(script) { server in
            try await withToken(for: server.baseURL + "/api/") { session, refreshes in
                let response = try await session.data(for: try Request(to: server.baseURL + "/api/x"))
                #expect(response.status.code == 401 && refreshes.value == 0 && server.requests.count == 2)
            }
        }
    }

    @Test func `a refusal after a redirect to another origin and back refreshes nothing`() async throws {
        // It redirects to what is behind the question mark.
        let detour = FaultServer.Script.requests { request in
            [.respond(302, headers: [("Location", String(request.target.split(separator: "?").last ?? ""))])]
        }
        try await FaultServer.run(detour) { other in
            let target = other.baseURL + "/?"
            let script = FaultServer.Script.requests { request in
                guard request.target == "/x" else { return [.respond(401)] }
                let back = "http://\(request.value(of: "Host") ?? "")/y"
                return [.respond(302, headers: [("Location", target + back)])]
            }
            try await FaultServer.run(script) { server in
                try await withToken(for: server.baseURL) { session, refreshes in
                    let response = try await session.data(for: try Request(to: server.baseURL + "/x"))
                    #expect(response.status.code == 401 && response.url.path() == "/y" && refreshes.value == 0)
                }
                let fields = (server.requests + other.requests).map { $0.value(of: "Authorization") }
                #expect(fields == ["Bearer old", nil, nil])
            }
        }
    }
}
