import Foundation
@testable import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServiceEndpointsTests {
    private let login = "grant_type=password&username=ada&password=secret"

    private func logIn(_ server: LocalServer) async throws -> [(name: String, value: String)] {
        let response = try await RawResponse.post("/v1/token", login, to: server)
        #expect(response.status == 200)
        #expect(response.value(of: "cache-control") == "no-store")
        let object = try response.object()
        #expect(object["token_type"] as? String == "Bearer")
        #expect(object["expires_in"] as? Int == 3600)
        let token = try #require(object["access_token"] as? String)
        return [("Authorization", "Bearer \(token)")]
    }

    // MARK: Users

    @Test func `the users come in pages, and nothing is behind the last one`() async throws {
        try await LocalServer.run { server in
            let expected = [
                "": ["Ada Lovelace", "Grace Hopper"], "?page=3": ["Radia Perlman"], "?page=4": [],
                "?page=\(Int.max)": [],
            ]
            for (query, names) in expected {
                let response = try await RawResponse.fetch("/v1/users\(query)", from: server)
                let users = try JSONSerialization.jsonObject(with: Data(response.body)) as? [[String: Any]]
                #expect(users?.map { $0["name"] as? String } == names)
            }
        }
    }

    @Test(arguments: ["0", "-1", "\(Int.min)", "x", "9999999999999999999"])
    func `a page that cannot be is refused`(page: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/v1/users?page=\(page)", from: server)
            #expect(response.status == 400)
        }
    }

    @Test func `a user is found by the ID, and only by its usual digits`() async throws {
        try await LocalServer.run { server in
            let found = try await RawResponse.fetch("/v1/users/2", from: server)
            #expect(try found.object()["name"] as? String == "Grace Hopper")
            for id in ["6", "0", "+2", "02", "%202", "two"] {
                let missing = try await RawResponse.fetch("/v1/users/\(id)", from: server)
                #expect(missing.status == 404)
                #expect(missing.value(of: "content-type") == "application/problem+json")
                #expect(try missing.object()["title"] as? String == "Not Found")
                #expect(try missing.object()["detail"] as? String == "There is no user with this ID.")
            }
        }
    }

    @Test func `a user is created for those who have a token, and is not kept`() async throws {
        try await LocalServer.run { server in
            let refused = try await RawResponse.post("/v1/users", #"{"name": "Mary"}"#, to: server)
            #expect(refused.status == 401)
            let token = try await logIn(server)
            let created = try await RawResponse.post("/v1/users", #"{"name": "Mary"}"#, headers: token, to: server)
            #expect(created.status == 201)
            #expect(created.value(of: "location") == "/v1/users/6")
            #expect(try created.object()["id"] as? Int == 6)
            #expect(try created.object()["name"] as? String == "Mary")
            #expect(try await RawResponse.fetch("/v1/users/6", from: server).status == 404)
        }
    }

    @Test(arguments: [
        (#"{"name": ""}"#, 422), (#"{"name": "\#(String(repeating: "a", count: 101))"}"#, 422),
        (#"{"name": 1}"#, 400), ("", 400), ("name=Mary", 400),
        (String(repeating: "[", count: 60_000), 400),
        (#"{"name": "\#(String(repeating: "a", count: 65_536))"}"#, 413),
    ])
    func `a body that makes no user is refused`(body: String, status: Int) async throws {
        try await LocalServer.run { server in
            let token = try await logIn(server)
            let response = try await RawResponse.post("/v1/users", body, headers: token, to: server)
            #expect(response.status == status)
        }
    }

    @Test func `a user is deleted for those who have a token`() async throws {
        try await LocalServer.run { server in
            let token = try await logIn(server)
            for (id, headers, status) in [(2, [], 401), (2, token, 204), (99, token, 404)] {
                let target = "/v1/users/\(id)"
                let response = try await RawResponse.fetch(target, method: "DELETE", headers: headers, from: server)
                #expect(response.status == status)
            }
        }
    }

    // MARK: Tokens

    @Test func `a token shows the profile of its user until it is revoked`() async throws {
        try await LocalServer.run { server in
            let token = try await logIn(server)
            let profile = try await RawResponse.fetch("/v1/profile", headers: token, from: server)
            #expect(try profile.object()["name"] as? String == "Ada Lovelace")
            let form = "token=" + token[0].value.dropFirst("Bearer ".count)
            #expect(try await RawResponse.post("/v1/revoke", form, to: server).status == 200)
            let refused = try await RawResponse.fetch("/v1/profile", headers: token, from: server)
            #expect(refused.status == 401)
            #expect(refused.value(of: "www-authenticate") == #"Bearer realm="service", error="invalid_token""#)
            // RFC 7009 §2.2: a token that is not there is no error.
            #expect(try await RawResponse.post("/v1/revoke", form, to: server).status == 200)
            #expect(try await RawResponse.post("/v1/revoke", "", to: server).status == 400)
        }
    }

    @Test func `a request without a token gets a challenge without an error`() async throws {
        try await LocalServer.run { server in
            let refused = try await RawResponse.fetch("/v1/profile", from: server)
            #expect(refused.status == 401)
            #expect(refused.value(of: "www-authenticate") == #"Bearer realm="service""#)
            #expect(try refused.object()["detail"] as? String == "A token is needed.")
        }
    }

    @Test func `the tokens of one server are not those of another`() async throws {
        try await LocalServer.run { server in
            let token = try await logIn(server)
            try await LocalServer.run { other in
                let refused = try await RawResponse.fetch("/v1/profile", headers: token, from: other)
                #expect(refused.status == 401)
            }
        }
    }

    @Test(arguments: [
        ("", "invalid_request"), ("grant_type=password", "invalid_request"),
        ("grant_type=client_credentials&username=ada&password=secret", "invalid_request"),
        ("grant_type=password&username=ada&password=wrong", "invalid_grant"),
        ("grant_type=password&username=nobody&password=secret", "invalid_grant"),
        ("grant_type=password&username=&password=secret", "invalid_grant"),
    ])
    func `a login that is wrong says what is`(form: String, code: String) async throws {
        try await LocalServer.run { server in
            let response = try await RawResponse.post("/v1/token", form, to: server)
            #expect(response.status == 400)
            #expect(try response.object()["error"] as? String == code)
        }
    }

    @Test func `a form that is too large is refused`() async throws {
        try await LocalServer.run { server in
            let form = login + "&more=" + String(repeating: "a", count: 65_536)
            let refused = try await RawResponse.post("/v1/token", form, to: server)
            #expect(refused.status == 413)
        }
    }

    @Test func `a token is valid for an hour`() {
        var store = TokenStore()
        let now = ContinuousClock.now
        let token = store.issue(to: 7, at: now)
        #expect(store.user(of: token, at: now + .seconds(3599)) == 7)
        #expect(store.user(of: token, at: now + .seconds(3600)) == nil)
        #expect(store.user(of: "", at: now) == nil)
    }

    @Test func `the oldest token is forgotten when there are too many`() {
        var store = TokenStore()
        let now = ContinuousClock.now
        let tokens = (0...TokenStore.capacity).map { store.issue(to: $0, at: now) }
        #expect(store.user(of: tokens[0], at: now) == nil)
        #expect(store.user(of: tokens[1], at: now) == 1)
        #expect(store.user(of: tokens[TokenStore.capacity], at: now) == TokenStore.capacity)
    }
}
