import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthenticationEndpointsTests {
    // "user:pass word" in base64.
    private let good = "Basic dXNlcjpwYXNzIHdvcmQ="

    @Test func `the basic-auth endpoint accepts the right user and password`() async throws {
        try await LocalServer.run { server in
            let target = "/basic-auth/user/pass%20word"
            let response = try await RawResponse.fetch(target, headers: [("Authorization", good)], from: server)
            #expect(response.status == 200)
            #expect(response.text == "{\n  \"authenticated\": true,\n  \"user\": \"user\"\n}\n")
        }
    }

    @Test(arguments: [nil, "Basic dXNlcjp3cm9uZw==", "Basic ???", "Bearer dXNlcjpwYXNzIHdvcmQ="])
    func `basic-auth refuses credentials with a challenge, hidden-basic-auth with 404`(authorization: String?)
        async throws
    {
        try await LocalServer.run { server in
            let headers = authorization.map { [(name: "Authorization", value: $0)] } ?? []
            let response = try await RawResponse.fetch("/basic-auth/user/pass%20word", headers: headers, from: server)
            #expect(response.status == 401)
            #expect(response.value(of: "www-authenticate") == "Basic realm=\"Fake Realm\"")
            let hidden = try await RawResponse.fetch(
                "/hidden-basic-auth/user/pass%20word",
                headers: headers,
                from: server
            )
            #expect(hidden.status == 404)
            #expect(hidden.value(of: "www-authenticate") == nil)
        }
    }

    @Test func `the bearer endpoint returns the token`() async throws {
        try await LocalServer.run { server in
            let fields = [(name: "Authorization", value: "Bearer abc")]
            let response = try await RawResponse.fetch("/bearer", headers: fields, from: server)
            #expect(try response.object()["token"] as? String == "abc")
            let refused = try await RawResponse.fetch("/bearer", from: server)
            #expect(refused.status == 401)
            #expect(refused.value(of: "www-authenticate") == "Bearer")
        }
    }

    @Test func `the hidden-basic-auth endpoint accepts the right user and password`() async throws {
        try await LocalServer.run { server in
            let target = "/hidden-basic-auth/user/pass%20word"
            let response = try await RawResponse.fetch(target, headers: [("Authorization", good)], from: server)
            #expect(response.status == 200)
        }
    }
}
