import LocalServer
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AuthenticationEndpointsTests {
    // "user:pass word" in base64.
    private let good = "Basic dXNlcjpwYXNzIHdvcmQ="

    @Test func `the basic-auth endpoint accepts the right user and password`() async throws {
        try await LocalServer.run { server in
            let target = "/basic-auth/user/pass%20word"
            let answer = try await Answer.fetch(target, headers: [("Authorization", good)], from: server)
            #expect(answer.status == 200)
            #expect(answer.text == "{\n  \"authenticated\": true,\n  \"user\": \"user\"\n}\n")
        }
    }

    @Test(arguments: [nil, "Basic dXNlcjp3cm9uZw==", "Basic ???", "Bearer dXNlcjpwYXNzIHdvcmQ="])
    func `the endpoints for authentication respond to others with a challenge or 404`(authorization: String?)
        async throws
    {
        try await LocalServer.run { server in
            let headers = authorization.map { [(name: "Authorization", value: $0)] } ?? []
            let answer = try await Answer.fetch("/basic-auth/user/pass%20word", headers: headers, from: server)
            #expect(answer.status == 401)
            #expect(answer.value(of: "www-authenticate") == "Basic realm=\"Fake Realm\"")
            let hidden = try await Answer.fetch("/hidden-basic-auth/user/pass%20word", headers: headers, from: server)
            #expect(hidden.status == 404)
            #expect(hidden.value(of: "www-authenticate") == nil)
        }
    }

    @Test func `the bearer endpoint returns the token`() async throws {
        try await LocalServer.run { server in
            let answer = try await Answer.fetch("/bearer", headers: [("Authorization", "Bearer abc")], from: server)
            #expect(try answer.object()["token"] as? String == "abc")
            let refused = try await Answer.fetch("/bearer", from: server)
            #expect(refused.status == 401)
            #expect(refused.value(of: "www-authenticate") == "Bearer")
        }
    }

    @Test func `the hidden-basic-auth endpoint accepts the right user and password`() async throws {
        try await LocalServer.run { server in
            let target = "/hidden-basic-auth/user/pass%20word"
            let answer = try await Answer.fetch(target, headers: [("Authorization", good)], from: server)
            #expect(answer.status == 200)
        }
    }
}
