import Foundation
import Testing

@testable import Bluebonnet

/// Digest as a value (RFC 7616).
struct DigestSessionTests {
    /// The challenge of RFC 7616 §3.9.1 with this algorithm.
    private static func challenge(_ algorithm: String?, qop: String? = "auth, auth-int") throws -> DigestChallenge {
        let name = algorithm.map { ", algorithm=\($0)" } ?? ""
        let options = qop.map { ", qop=\"\($0)\"" } ?? ""
        return try digest(
            #"""
            Digest realm="http-auth@example.org"\#(options)\#(name), \#
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """#
        )
    }

    private static func digest(_ field: String, from url: String = "http://example.org/") throws -> DigestChallenge {
        let challenge = try #require(HTTPChallenge.challenges(in: [field]).first)
        let url = try #require(URL(string: url))
        return try #require(DigestChallenge(challenge, from: url))
    }

    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    private static func authorization(
        _ challenge: DigestChallenge,
        _ method: String = "GET",
        body: String? = nil
    ) -> DigestSession.Authorization {
        var session = DigestSession(challenge, clientNonce: clientNonce)
        var message = DigestSession.Message(method: method, target: "/dir/index.html")
        if let body { message.bodyDigest = challenge.algorithm.digest([Array(body.utf8)]) }
        return session.authorization(user: Array("Mufasa".utf8), password: Array("Circle of Life".utf8), message)
    }

    /// The parameters of a field.
    private static func parameters(_ field: String) throws -> HTTPChallenge {
        try #require(HTTPChallenge.challenges(in: [field]).first)
    }

    @Test(arguments: [
        // The first two are those of RFC 7616 §3.9.1; OpenSSL made the others.
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ("SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"),
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
        ("SHA-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"),
    ])
    func `each algorithm has the response of its vector`(algorithm: String, response: String) throws {
        let field = try Self.parameters(Self.authorization(try Self.challenge(algorithm)).field)
        #expect(field["response"] == response)
        #expect(field["algorithm"] == algorithm && field["qop"] == "auth" && field["nc"] == "00000001")
        #expect(field["username"] == "Mufasa" && field["uri"] == "/dir/index.html")
        #expect(field["cnonce"] == Self.clientNonce && field["userhash"] == nil)
        #expect(field["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
    }

    @Test(arguments: [
        ("MD5", "23fef4d928a3e9fa6e0b0de51288c997"),
        ("SHA-256", "c98b95dbdb463c4483e324bced57d591946a6f84098142757b1333c52c47d62e"),
        ("SHA-512-256", "94b85dbcbbb97c3bda2751c7e160fe6604eccca585f3cbff75d2a23f0085ed70"),
    ])
    func `the body is protected where the server offers nothing else`(algorithm: String, response: String) throws {
        let challenge = try Self.challenge(algorithm, qop: "auth-int")
        let field = try Self.parameters(Self.authorization(challenge, "POST", body: "hello").field)
        #expect(field["response"] == response && field["qop"] == "auth-int")
    }

    @Test func `without qop and algorithm it is MD5 as in RFC 2069`() throws {
        let field = try Self.parameters(Self.authorization(try Self.challenge(nil, qop: nil)).field)
        #expect(field["response"] == "7b2cc3b30e75b4777ea31027084363fd")
        #expect(field["algorithm"] == nil && field["qop"] == nil && field["nc"] == nil && field["cnonce"] == nil)
    }

    @Test func `the name of a user is hashed where the server wants that`() throws {
        // RFC 7616 §3.9.2, with the hash that its erratum 4897 corrects.
        let challenge = try Self.digest(
            #"""
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \#
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \#
            opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
            """#
        )
        var session = DigestSession(challenge, clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
        let authorization = session.authorization(
            user: Array("J\u{E4}s\u{F8}n Doe".utf8),
            password: Array("Secret, or not?".utf8),
            DigestSession.Message(method: "GET", target: "/doe.json")
        )
        let field = try Self.parameters(authorization.field)
        #expect(field["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(field["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
        #expect(field["userhash"] == "true" && field["username*"] == nil)
    }

    @Test func `a name that is not ASCII goes as UTF-8 with percent signs to a server that knows UTF-8`() throws {
        func field(_ more: String) throws -> HTTPChallenge {
            var session = DigestSession(try Self.digest(#"Digest realm="r", nonce="n", qop="auth"\#(more)"#))
            let message = DigestSession.Message(method: "GET", target: "/")
            return try Self.parameters(session.authorization(user: Array("Jäs øn".utf8), password: [], message).field)
        }
        #expect(try field(", charset=\"utf-8\"")["username*"] == "UTF-8''J%C3%A4s%20%C3%B8n")
        #expect(try field(", charset=\"utf-8\"")["username"] == nil)
        #expect(try field("")["username"] == "Jäs øn")
    }

    @Test func `quotation marks of names and realms are escaped`() throws {
        var session = DigestSession(try Self.digest(#"Digest realm="the \"r\\", nonce="n", qop="auth""#))
        let message = DigestSession.Message(method: "GET", target: "/a\"b")
        let field = session.authorization(user: Array(#"a"b\"#.utf8), password: [], message).field
        #expect(field.hasPrefix(#"Digest username="a\"b\\", realm="the \"r\\", uri="/a\"b", nonce="n", "#))
    }

    @Test func `requests with one nonce are counted, and another nonce begins anew`() throws {
        var session = DigestSession(try Self.challenge("MD5"))
        func next() throws -> HTTPChallenge {
            let message = DigestSession.Message(method: "GET", target: "/")
            return try Self.parameters(session.authorization(user: [97], password: [98], message).field)
        }
        #expect(try (next()["nc"], next()["nc"]) == ("00000001", "00000002"))
        for _ in 0..<14 { _ = try next() }
        #expect(try next()["nc"] == "00000011")
        let old = session.nonce
        session.take(nextNonce: "fresh", after: old)
        let field = try next()
        #expect(field["nonce"] == "fresh" && field["nc"] == "00000001")
        // Those of late responses.
        session.take(nextNonce: "fresh", after: old)
        session.take(nextNonce: "another", after: old)
        let second = try next()
        #expect(second["nonce"] == "fresh" && second["nc"] == "00000002")
    }

    @Test func `client nonces are long and never the same`() {
        let nonces = (0..<1000).map { _ in DigestSession.newNonce() }
        #expect(Set(nonces).count == 1000 && nonces.allSatisfy { $0.count > 16 })
    }

    // MARK: Challenges

    @Test(arguments: [
        "Basic realm=x", "Digest realm=x", "Digest nonce=x", "Digest realm=x, nonce=y, algorithm=SHA-1",
        "Digest realm=x, nonce=y, qop=other", "Digest realm=x, nonce=y, qop=\"\"",
        // Its key is made of the client's nonce, which is not sent without qop.
        "Digest realm=x, nonce=y, algorithm=SHA-256-sess", "Digest realm=x, nonce=y, algorithm=md5-SESS",
    ])
    func `a challenge that cannot be met is none`(field: String) throws {
        let challenge = try #require(HTTPChallenge.challenges(in: [field]).first)
        #expect(DigestChallenge(challenge, from: URL(filePath: "/")) == nil)
    }

    @Test func `the domain has only paths of the server itself`() throws {
        let challenge = try Self.digest(
            #"Digest realm=x, nonce=y, qop=auth, domain="/a b/../c http://example.org/d https://example.org/e //evil/f""#,
            from: "http://example.org/x/y"
        )
        #expect(challenge.domain == ["/a", "/x/c", "/d"] || challenge.domain == ["/a", "/c", "/d"])
        #expect(try Self.digest("Digest realm=x, nonce=y").domain == nil)
        #expect(try Self.digest(#"Digest realm=x, nonce=y, domain="https://evil/""#).domain == [])
    }

    // MARK: Authentication-Info

    @Test func `a server that knows the password is told from one that does not`() throws {
        let sent = Self.authorization(try Self.challenge("MD5"))
        func info(_ confirmation: String, _ nonce: String = Self.clientNonce) throws -> AuthenticationInfo {
            try #require(
                AuthenticationInfo(#"qop=auth, rspauth="\#(confirmation)", cnonce="\#(nonce)", nc=00000001"#)
            )
        }
        #expect(!(try info("9b712497bc9f91499fbcca1dfc5f09a5").contradicts(sent)))
        #expect(!(try info("9B712497BC9F91499FBCCA1DFC5F09A5").contradicts(sent)))
        #expect(try info("00000000000000000000000000000000").contradicts(sent))
        #expect(try info("9b712497bc9f91499fbcca1dfc5f09a5", "other").contradicts(sent))
        for qop in ["auth-int", "other"] {
            let field = #"qop=\#(qop), rspauth="0", cnonce="\#(Self.clientNonce)", nc=00000001"#
            #expect(!(try #require(AuthenticationInfo(field)).contradicts(sent)))
        }
        #expect(try #require(AuthenticationInfo(#"qop=AUTH, rspauth="0""#)).contradicts(sent))
        let nonce = try #require(AuthenticationInfo(#"nextnonce="n2""#))
        #expect(nonce.nextNonce == "n2" && !nonce.contradicts(sent))
        #expect(AuthenticationInfo("Digest nextnonce=x") == nil)
    }
}
