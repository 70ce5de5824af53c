import Testing

@testable import Bluebonnet

/// What is sent to a proxy that asks for a credential, as a value.
struct ProxyLoginTests {
    private static let ada = Credential(user: "ada", password: "secret")
    private static let basic = "Basic YWRhOnNlY3JldA=="

    private static func preemptive(_ credential: Credential) -> Credential {
        var credential = credential
        credential.isPreemptive = true
        return credential
    }

    private static func challenges(_ fields: String...) -> [HTTPChallenge] { HTTPChallenge.challenges(in: fields) }

    private static func digest(_ nonce: String, _ more: String = "") -> [HTTPChallenge] {
        challenges(#"Digest realm="proxy", nonce="\#(nonce)", qop="auth"\#(more)"#)
    }

    private static func text(_ sent: ProxyLogin.Authorization?) -> String? {
        sent.map { String(decoding: $0.value, as: UTF8.self) }
    }

    private static func answers(
        _ login: inout ProxyLogin,
        _ challenges: [HTTPChallenge],
        to sent: ProxyLogin.Authorization?,
        wasKnown: Bool
    ) -> Bool {
        login.answer(challenges, to: sent, wasKnown: wasKnown)
    }

    @Test func `nothing is sent before the proxy asks, unless the credential says so`() throws {
        var quiet = ProxyLogin(Self.ada)
        #expect(try quiet.authorization("CONNECT", "x:1") == nil)
        var eager = ProxyLogin(Self.preemptive(Self.ada))
        #expect(Self.text(try eager.authorization("CONNECT", "x:1")) == Self.basic)
        var token = ProxyLogin(Self.preemptive(Credential(token: "abc")))
        #expect(Self.text(try token.authorization("CONNECT", "x:1")) == "Bearer abc")
    }

    @Test func `a challenge of Basic is answered once, and then known`() throws {
        var login = ProxyLogin(Self.ada)
        #expect(Self.answers(&login, Self.challenges("Basic realm=x"), to: nil, wasKnown: true))
        let sent = try login.authorization("CONNECT", "x:1")
        #expect(Self.text(sent) == Self.basic)
        #expect(!Self.answers(&login, Self.challenges("Basic realm=x"), to: sent, wasKnown: false))
    }

    @Test func `Digest wins over Basic, and counts the requests with a nonce`() throws {
        var login = ProxyLogin(Self.ada)
        #expect(Self.answers(&login, Self.challenges("Basic realm=x") + Self.digest("n1"), to: nil, wasKnown: true))
        for count in 1...3 {
            let field = try #require(Self.text(try login.authorization("CONNECT", "x:443")))
            #expect(field.contains("nc=0000000\(count)"))
            #expect(field.contains(#"uri="x:443""#))
        }
    }

    @Test func `a proxy that was sent Basic and wants Digest gets Digest`() throws {
        var login = ProxyLogin(Self.preemptive(Self.ada))
        let sent = try login.authorization("GET", "http://x/")
        #expect(Self.answers(&login, Self.digest("n1"), to: sent, wasKnown: true))
        #expect(try login.authorization("GET", "http://x/")?.scheme == .digest)
    }

    @Test func `a nonce that is too old is replaced, and a wrong password not tried again`() throws {
        var login = ProxyLogin(Self.ada)
        #expect(Self.answers(&login, Self.digest("n1"), to: nil, wasKnown: true))
        let first = try login.authorization("GET", "/")
        #expect(Self.answers(&login, Self.digest("n2", ", stale=true"), to: first, wasKnown: false))
        let second = try login.authorization("GET", "/")
        #expect(second?.nonce == "n2")
        #expect(!Self.answers(&login, Self.digest("n3"), to: second, wasKnown: false))
        // A proxy that was started anew does not know the nonce of another request.
        #expect(Self.answers(&login, Self.digest("n4"), to: second, wasKnown: true))
        #expect(!Self.answers(&login, Self.digest("n4"), to: try login.authorization("GET", "/"), wasKnown: true))
    }

    @Test func `the next nonce of an accepted request is taken`() throws {
        var login = ProxyLogin(Self.ada)
        _ = login.answer(Self.digest("n1"), to: nil, wasKnown: true)
        let sent = try #require(try login.authorization("GET", "/"))
        login.accepted(sent, info: #"nextnonce="n2""#)
        #expect(try login.authorization("GET", "/")?.nonce == "n2")
    }

    @Test func `a credential for Digest alone is never sent readably`() throws {
        var credential = Self.preemptive(Self.ada)
        credential.schemes = [.digest]
        var login = ProxyLogin(credential)
        #expect(try login.authorization("GET", "/") == nil)
        #expect(!Self.answers(&login, Self.challenges("Basic realm=x", "Bearer"), to: nil, wasKnown: true))
        #expect(try login.authorization("GET", "/") == nil)
    }

    @Test func `a challenge that cannot be answered is not`() throws {
        var login = ProxyLogin(Self.ada)
        for field in ["Negotiate", "Bearer", "Digest realm=x", #"Digest realm="x", nonce="n", qop="auth-int""#] {
            #expect(!Self.answers(&login, Self.challenges(field), to: nil, wasKnown: true), "\(field)")
        }
    }
}
