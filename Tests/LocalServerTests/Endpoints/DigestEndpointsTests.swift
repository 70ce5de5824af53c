import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DigestEndpointsTests {
    /// The parameters of the challenge, by name.
    private static func challenge(_ response: RawResponse) throws -> [String: String] {
        let field = try #require(response.value(of: "www-authenticate"))
        #expect(field.hasPrefix("Digest "))
        var parameters: [String: String] = [:]
        for match in field.matches(of: /(\w+)=(?:"([^"]*)"|([^,]*))/) {
            parameters[String(match.1)] = String(match.2 ?? match.3 ?? "")
        }
        return parameters
    }

    @Test(arguments: [
        ("auth/u/p", "auth", "MD5"), ("auth-int/u/p/SHA-256", "auth-int", "SHA-256"),
        ("other/u/p/SHA-512", "auth,auth-int", "SHA-512"), ("auth/u/p/unknown/3", "auth", "MD5"),
    ])
    func `a request without credentials gets the challenge of its path`(path: String, qop: String, algorithm: String)
        async throws
    {
        try await LocalServer.run { server in
            let response = try await RawResponse.fetch("/digest-auth/\(path)", from: server)
            let challenge = try Self.challenge(response)
            #expect(response.status == 401)
            #expect(challenge["qop"] == qop && challenge["algorithm"] == algorithm && challenge["stale"] == "FALSE")
            let again = try Self.challenge(try await RawResponse.fetch("/digest-auth/\(path)", from: server))
            #expect(again["nonce"] != challenge["nonce"])
        }
    }

    @Test func `a nonce that the server did not give is stale`() async throws {
        try await LocalServer.run { server in
            let field = #"Digest username="u", realm="x", nonce="none", uri="/", response="y""#
            let response = try await RawResponse.fetch(
                "/digest-auth/auth/u/p",
                headers: [("Authorization", field)],
                from: server
            )
            #expect(response.status == 401)
            #expect(try Self.challenge(response)["stale"] == "TRUE")
        }
    }
}
