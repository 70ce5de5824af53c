import Bluebonnet
import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// The grants of OAuth 2.0, over sockets.
@Suite(.timeLimit(.minutes(5)))
struct OAuth2ClientTests {
    private static func token(_ more: String = "") -> FaultServer.Script {
        .requests { _ in
            [
                .respond(
                    headers: [("Content-Type", "application/json")],
                    body: #"{"access_token":"a1","token_type":"Bearer"\#(more)}"#
                )
            ]
        }
    }

    private static func client(
        _ server: FaultServer,
        _ session: SessionManager,
        secret: String? = "s e:cret"
    ) throws -> OAuth2Client {
        let endpoint = try #require(URL(string: server.baseURL + "/token"))
        return OAuth2Client(tokenEndpoint: endpoint, clientID: "my app", clientSecret: secret, session: session)
    }

    @Test func `each grant sends its form, and the program as the server wants it`() async throws {
        let script = Self.token(
            #","expires_in":3600,"refresh_token":"r1","scope":"read"}"#.replacingOccurrences(of: "}", with: "")
        )
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var client = try Self.client(server, session)
                let start = Date.now
                let credential = try await client.password(username: "ada", password: "p&w", scope: "read")
                #expect(credential.accessToken == "a1" && credential.refreshToken == "r1" && credential.scope == "read")
                let end = try #require(credential.expiresAt)
                #expect(
                    (3595...3605).contains(end.timeIntervalSince(start))
                        && !credential.isExpired(within: .seconds(3000))
                )
                #expect(credential.isExpired(within: .seconds(3700)))
                _ = try await client.clientCredentials()
                _ = try await client.refresh(credential)
                client.clientAuthentication = .body
                _ = try await client.clientCredentials(scope: "x")
                client.clientSecret = nil
                let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
                _ = try await client.authorizationCode("c0de", redirectURI: "app:/cb", verifier: verifier)
            }
            #expect(
                server.requests.map(\.bodyText) == [
                    "grant_type=password&username=ada&password=p%26w&scope=read", "grant_type=client_credentials",
                    "grant_type=refresh_token&refresh_token=r1",
                    "grant_type=client_credentials&scope=x&client_id=my%20app&client_secret=s%20e%3Acret",
                    "grant_type=authorization_code&code=c0de&redirect_uri=app%3A/cb"
                        + "&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&client_id=my%20app",
                ]
            )
            // RFC 6749 §2.3.1: each part as in a form.
            let basic = "Basic \(Data("my%20app:s%20e%3Acret".utf8).base64EncodedString())"
            #expect(server.requests.map { $0.value(of: "Authorization") } == [basic, basic, basic, nil, nil])
        }
    }

    @Test func `a refresh token stays where the server gives no new one`() async throws {
        try await FaultServer.run(Self.token()) { server in
            try await withSession { session in
                let client = try Self.client(server, session)
                let old = OAuth2Credential(accessToken: "a0", refreshToken: "r0", scope: "read")
                let new = try await client.refresh(old)
                #expect(new == OAuth2Credential(accessToken: "a1", refreshToken: "r0", scope: "read"))
                let error = try await networkingError { try await client.refresh(OAuth2Credential(accessToken: "a")) }
                #expect(error.code == .authenticationFailed)
            }
        }
    }

    @Test func `a refusal has the server's code and words`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(400, body: #"{"error":"invalid_grant","error_description":"expired","error_uri":"http://x/"}"#)]
        }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let error = try await networkingError { try await Self.client(server, session).clientCredentials() }
                #expect(error.code == .authenticationFailed && error.response?.status.code == 400)
                let refusal = OAuth2Error(code: "invalid_grant", details: "expired", page: "http://x/")
                #expect(error.underlying as? OAuth2Error == refusal)
                #expect(error.message.contains("invalid_grant: expired"))
            }
        }
    }

    @Test(arguments: ["", "{}", #"{"access_token":"hunter2"}"#, "hunter2"])
    func `a response without a token is an error that shows nothing of it`(body: String) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: body)] }) { server in
            try await withSession { session in
                let error = try await networkingError { try await Self.client(server, session).clientCredentials() }
                #expect(error.code == .responseSerializationFailed && !"\(error)".contains("hunter2"))
            }
        }
    }

    @Test func `secrets go to no other machine in the clear, and to no other place by a redirect`() async throws {
        try await withSession { session in
            let url = try #require(URL(string: "http://accounts.example.com/token"))
            let client = OAuth2Client(tokenEndpoint: url, clientID: "a", session: session)
            let error = try await networkingError { try await client.clientCredentials() }
            #expect(error.code == .invalidRequest && error.message.contains("https"))
        }
        let script = FaultServer.Script.requests { _ in [.respond(307, headers: [("Location", "/elsewhere")])] }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let error = try await networkingError { try await Self.client(server, session).clientCredentials() }
                #expect(error.code == .redirectRefused && server.requests.count == 1)
            }
        }
    }

    @Test func `a refusal with the status 200 has the server's code, too`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(body: #"{"error":"bad_verification_code","error_description":"expired"}"#)]
        }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let error = try await networkingError { try await Self.client(server, session).clientCredentials() }
                #expect(error.code == .authenticationFailed)
                let refusal = OAuth2Error(code: "bad_verification_code", details: "expired")
                #expect(error.underlying as? OAuth2Error == refusal)
            }
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/token", true), ("http://127.1.2.3:1/token", true), ("http://[::1]:1/token", true),
        ("http://localhost:1/token", true), ("http://127.evil.example/token", false),
        ("http://127.0.0.1.evil.example/token", false), ("http://128.0.0.1/token", false),
        ("http://localhost.evil.example/token", false),
    ])
    func `only an address of this machine is asked in the clear`(url: String, isAllowed: Bool) async throws {
        let asked = Counter()
        let transport = StubTransport { _ throws in
            asked.increment()
            throw NetworkingError(.connectFailed, "nobody is there")
        }
        try await withSession(SessionConfiguration(), transport: transport) { session in
            let endpoint = try #require(URL(string: url))
            let client = OAuth2Client(tokenEndpoint: endpoint, clientID: "a", session: session)
            let error = try await networkingError { try await client.clientCredentials() }
            #expect(error.code == (isAllowed ? .connectFailed : .invalidRequest) && asked.value == (isAllowed ? 1 : 0))
        }
    }

    @Test func `descriptions show no tokens and no secrets`() throws {
        let credential = OAuth2Credential(accessToken: "acc3ss", refreshToken: "refr3sh", expiresAt: .now)
        let endpoint = try #require(URL(string: "https://mallory:hunter2@accounts.example.com/token?key=qu3ry"))
        let client = OAuth2Client(tokenEndpoint: endpoint, clientID: "reports", clientSecret: "s3cr3t")
        let authenticator = OAuth2Authenticator(client, for: endpoint)
        for value in [credential, CodeVerifier(), client, authenticator] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for secret in ["acc3ss", "refr3sh", "hunter2", "qu3ry", "s3cr3t"] { #expect(!text.contains(secret)) }
            }
        }
        #expect("\(client)" == "the client reports of https://accounts.example.com/token?key=…")
    }

    // MARK: The user's consent

    @Test func `the verifier has the challenge of RFC 7636`() throws {
        let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(CodeVerifier().value.utf8.count == 43 && CodeVerifier() != CodeVerifier())
        #expect(CodeVerifier("short") == nil && CodeVerifier(String(repeating: "+", count: 50)) == nil)
    }

    @Test func `the URL for the browser has all that the server needs`() throws {
        let endpoint = try #require(URL(string: "https://accounts.example.com/authorize?tenant=1"))
        let client = OAuth2Client(tokenEndpoint: endpoint, clientID: "my app")
        let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        let url = client.authorizationURL(
            endpoint,
            redirectURI: "http://127.0.0.1:8000/cb",
            scope: "read write",
            state: "xyz",
            verifier: verifier
        )
        #expect(
            url.absoluteString == "https://accounts.example.com/authorize?tenant=1&response_type=code"
                + "&client_id=my%20app&redirect_uri=http%3A//127.0.0.1%3A8000/cb&scope=read%20write&state=xyz"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
        )
    }

    @Test func `a code is taken only with the state it was asked for`() throws {
        let client = OAuth2Client(tokenEndpoint: URL(filePath: "/"), clientID: "a")
        func code(_ text: String) throws -> String {
            try client.code(in: try #require(URL(string: text)), state: "x y")
        }
        #expect(try code("app:/cb?code=a%2Fb&state=x+y") == "a/b")
        for wrong in ["app:/cb?code=a", "app:/cb?code=a&state=other", "app:/cb?state=x%20y", "app:/cb"] {
            #expect(throws: NetworkingError(.authenticationFailed, "")) { try code(wrong) }
        }
        do {
            _ = try code("app:/cb?error=access_denied&error_description=no&state=x+y")
            Issue.record("nothing was thrown")
        } catch let error as NetworkingError {
            #expect(error.underlying as? OAuth2Error == OAuth2Error(code: "access_denied", details: "no"))
        }
    }

    // MARK: The authenticator

    @Test(arguments: [
        ("https://a.test/v1", ["/v1", "/v1/", "/v1/users", "/v1?q=/x", "/v2/../v1/users", "/v1/a/.."]),
        ("https://a.test/v1/", ["/v1/", "/v1/users", "/v1/?q", "/v1/a/.."]),
        ("https://a.test", ["/", "/v1", "?q", "/.."]),
    ])
    func `a token is for the path of the API and what is below it`(api: String, inside: [String]) throws {
        let client = OAuth2Client(tokenEndpoint: try #require(URL(string: "https://a.test/token")), clientID: "a")
        let authenticator = OAuth2Authenticator(client, for: try #require(URL(string: api)))
        for path in inside {
            #expect(authenticator.applies(to: try Request(to: "https://a.test" + path)), "\(path)")
            #expect(!authenticator.applies(to: try Request(to: "https://b.test" + path)), "\(path)")
        }
        guard api != "https://a.test" else { return }
        for path in ["/v10", "/v10/users", "/v", "/", "/v1/../admin", "/v1/%2E%2e/admin", "/v1/..", "/x/v1"] {
            #expect(!authenticator.applies(to: try Request(to: "https://a.test" + path)), "\(path)")
        }
    }

    @Test func `a token of a type that is not known is not sent`() throws {
        let endpoint = try #require(URL(string: "https://a.test/token"))
        let authenticator = OAuth2Authenticator(OAuth2Client(tokenEndpoint: endpoint, clientID: "a"), for: endpoint)
        var request = try Request(to: "https://a.test/token")
        try authenticator.apply(OAuth2Credential(accessToken: "t", tokenType: "BEARER"), to: &request)
        #expect(request.headerFields[.authorization] == "Bearer t")
        for type in ["mac", "DPoP", ""] {
            var request = try Request(to: "https://a.test/token")
            do throws(NetworkingError) {
                try authenticator.apply(OAuth2Credential(accessToken: "t", tokenType: type), to: &request)
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.code == .authenticationFailed && !request.headerFields.contains(.authorization))
            }
        }
    }

    @Test func `requests for the API carry the token, and a refused one is refreshed`() async throws {
        let script = FaultServer.Script.requests { request in
            switch (request.target, request.value(of: "Authorization")) {
            case ("/token", _):
                [.respond(body: #"{"access_token":"new","token_type":"bearer","refresh_token":"r2"}"#)]
            case ("/api/x", "Bearer new"?): [.respond(body: "ok")]
            case ("/other", nil): [.respond(body: "open")]
            default: [.respond(401)]
            }
        }
        try await FaultServer.run(script) { server in
            let client = try Self.client(server, .shared)
            let authenticator = OAuth2Authenticator(client, for: try #require(URL(string: server.baseURL + "/api/")))
            let expired = OAuth2Credential(accessToken: "old", refreshToken: "r1", expiresAt: .now)
            for token in [OAuth2Credential(accessToken: "old", refreshToken: "r1"), expired] {
                let tokens = AuthenticationInterceptor(authenticator, token: token)
                var configuration = SessionConfiguration()
                configuration.interceptors = [tokens]
                try await withAPI(at: server.baseURL, configuration) { api in
                    let text: String = try await api.get("api/x", as: .string)
                    #expect(text == "ok")
                    let open: String = try await api.get("other", as: .string)
                    #expect(open == "open")
                }
                #expect(tokens.token?.refreshToken == "r2")
            }
        }
    }
}
