import Foundation
import Testing

@testable import Bluebonnet

/// What a session knows of protection spaces, as a value.
struct KnownSpacesTests {
    private let ada = Credential(user: "ada", password: "x")
    private let bob = Credential(user: "bob", password: "y")

    private static func origin(_ text: String = "http://example.com/") throws -> Origin {
        try RequestTarget(try #require(URL(string: text))).origin
    }

    private static func space(_ realm: String = "r", _ scheme: AuthenticationScheme = .basic) throws -> ProtectionSpace
    {
        ProtectionSpace(
            try origin(),
            HTTPChallenge(scheme: scheme, parameters: [HTTPChallenge.Parameter(name: "realm", value: realm)])
        )
    }

    @Test func `Basic is sent beside and below an accepted path, and nowhere else`() throws {
        var spaces = KnownSpaces()
        let (origin, space) = (try Self.origin(), try Self.space())
        spaces.keep(ada, for: space, at: origin)
        #expect(spaces.choice(for: origin, target: "/docs/a", own: nil) == nil)
        spaces.accept(ada, for: space, at: origin, target: "/docs/index.html?x=/y/")
        for target in ["/docs/", "/docs/a", "/docs/a/b?c"] {
            #expect(spaces.choice(for: origin, target: target, own: nil)?.credential == ada)
        }
        for target in ["/", "/doc", "/docs", "/docs/../private", "/docs/%2E%2e/private", "/docs/./a"] {
            #expect(spaces.choice(for: origin, target: target, own: nil) == nil)
        }
        for other in ["https://example.com/", "http://example.com:81/", "http://sub.example.com/"] {
            #expect(spaces.choice(for: try Self.origin(other), target: "/docs/a", own: nil) == nil)
        }
    }

    @Test func `the longest known path decides`() throws {
        var spaces = KnownSpaces()
        let origin = try Self.origin()
        for (realm, credential, target) in [("outer", ada, "/a/x"), ("inner", bob, "/a/b/x")] {
            let space = try Self.space(realm)
            spaces.keep(credential, for: space, at: origin)
            spaces.accept(credential, for: space, at: origin, target: target)
        }
        #expect(spaces.choice(for: origin, target: "/a/z", own: nil)?.credential == ada)
        #expect(spaces.choice(for: origin, target: "/a/b/z", own: nil)?.credential == bob)
    }

    @Test func `the credential of a request goes before that of the session`() throws {
        var spaces = KnownSpaces()
        let (origin, space) = (try Self.origin(), try Self.space())
        spaces.keep(ada, for: space, at: origin)
        spaces.accept(ada, for: space, at: origin, target: "/")
        #expect(spaces.choice(for: origin, target: "/x", own: bob)?.credential == bob)
        var digestOnly = bob
        digestOnly.schemes = [.digest]
        #expect(spaces.choice(for: origin, target: "/x", own: digestOnly) == nil)
    }

    @Test func `a refusal counts once, and a successful request ends the count`() throws {
        var spaces = KnownSpaces()
        let (origin, space) = (try Self.origin(), try Self.space())
        spaces.keep(ada, for: space, at: origin)
        for _ in 0..<5 { spaces.refuse(ada, for: space, at: origin) }
        #expect(spaces.failures(in: space, at: origin) == 1)
        #expect(spaces.credential(for: space, at: origin) == nil)
        spaces.keep(bob, for: space, at: origin)
        spaces.refuse(ada, for: space, at: origin)
        #expect(spaces.credential(for: space, at: origin) == bob)
        spaces.accept(bob, for: space, at: origin, target: "/")
        // It may have been refused in another way.
        #expect(spaces.failures(in: space, at: origin) == 1)
        let proofs = [ada, bob, bob].map { spaces.prove($0, for: space, at: origin) }
        #expect(proofs == [false, true, false] && spaces.failures(in: space, at: origin) == 0)
    }

    @Test func `Digest is known for its domain, or for the whole server`() throws {
        let origin = try Self.origin()
        let space = try Self.space("r", .digest)
        for (domain, known, unknown) in [("", "/b", nil), (", domain=\"/a /c/\"", "/a/x", "/b")]
            as [(String, String, String?)]
        {
            let field = "Digest realm=r, nonce=n, qop=auth\(domain)"
            let found = try #require(HTTPChallenge.challenges(in: [field]).first)
            let url = try #require(URL(string: "http://example.com/"))
            let challenge = try #require(DigestChallenge(found, from: url))
            var spaces = KnownSpaces()
            let choice = KnownSpaces.Choice(space: space, scheme: .digest, credential: ada, challenge: challenge)
            let message = DigestSession.Message(method: "GET", target: "/")
            let first = spaces.authorization(for: origin, choice, challenge, message, isKnown: false)
            #expect(first?.nonceCount == "00000001")
            spaces.keep(ada, for: space, at: origin)
            spaces.accept(ada, for: space, at: origin, target: "/x/y")
            #expect(spaces.choice(for: origin, target: known, own: nil)?.challenge == challenge)
            if let unknown { #expect(spaces.choice(for: origin, target: unknown, own: nil) == nil) }
            let second = spaces.authorization(for: origin, choice, challenge, message, isKnown: true)
            #expect(second?.nonceCount == "00000002")
        }
    }

    @Test func `a server that invents realms fills no memory`() throws {
        var spaces = KnownSpaces()
        let origin = try Self.origin()
        for number in 0..<200 {
            let space = try Self.space("r\(number)")
            spaces.keep(ada, for: space, at: origin)
            spaces.accept(ada, for: space, at: origin, target: "/\(number)/")
        }
        let known = (0..<200).count { spaces.choice(for: origin, target: "/\($0)/", own: nil) != nil }
        #expect(known == 32)
        #expect(spaces.choice(for: origin, target: "/199/", own: nil) != nil)
    }
}
