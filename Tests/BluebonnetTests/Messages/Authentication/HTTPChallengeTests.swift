import Bluebonnet
import Testing

/// Challenges as servers write them (RFC 9110 §11), well and badly.
struct HTTPChallengeTests {
    private static func challenge(
        _ scheme: AuthenticationScheme,
        token: String? = nil,
        _ parameters: (String, String)...
    ) -> HTTPChallenge {
        HTTPChallenge(
            scheme: scheme,
            token: token,
            parameters: parameters.map { HTTPChallenge.Parameter(name: $0.0, value: $0.1) }
        )
    }

    @Test func `several challenges in one field are told apart by their names`() {
        // The example of RFC 9110 §11.6.1.
        let field = #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#
        #expect(
            HTTPChallenge.challenges(in: [field]) == [
                Self.challenge(.basic, ("realm", "simple")),
                Self.challenge(
                    AuthenticationScheme("newauth"),
                    ("realm", "apps"),
                    ("type", "1"),
                    ("title", #"Login to "apps""#)
                ),
            ]
        )
    }

    @Test func `several fields are one list in their order`() {
        let fields = [#"Digest realm="a, b", qop="auth,auth-int", nonce=x"#, "Negotiate", "NTLM TlRMTVNTUAAB=="]
        #expect(
            HTTPChallenge.challenges(in: fields) == [
                Self.challenge(.digest, ("realm", "a, b"), ("qop", "auth,auth-int"), ("nonce", "x")),
                Self.challenge(AuthenticationScheme("negotiate")),
                Self.challenge(AuthenticationScheme("ntlm"), token: "TlRMTVNTUAAB=="),
            ]
        )
    }

    @Test(arguments: [
        ", ,Basic realm=x,,", "Basic   realm = \"x\"", "BASIC Realm=x", "Basic realm=x,", "Basic\trealm=x",
    ])
    func `empty elements, blanks and capital letters do not matter`(field: String) {
        let found = HTTPChallenge.challenges(in: [field])
        // RFC 9110 §11.3 has spaces behind the scheme, and no tab.
        #expect(found == (field.utf8.contains(9) ? [] : [Self.challenge(.basic, ("realm", "x"))]))
    }

    @Test func `schemes without parameters stand beside others`() {
        let found = HTTPChallenge.challenges(in: ["Negotiate, Basic realm=\"x\", Bearer"])
        #expect(found.map(\.scheme.name) == ["negotiate", "basic", "bearer"])
        #expect(found.map(\.realm) == [nil, "x", nil])
    }

    @Test func `a parameter that is there twice makes its challenge worthless, and no other one`() {
        let found = HTTPChallenge.challenges(in: ["Basic realm=a, realm=b, Digest realm=c, Bearer Realm=d, REALM=e"])
        #expect(found == [Self.challenge(.digest, ("realm", "c"))])
    }

    @Test(arguments: [
        "", ",", " ", "=", "\"", "Basic realm=\"x", "Basic realm=\"x\\", "Basic =x", "Basic realm=x y",
        "Basic realm=\"x\"y", "Basic a b", "@", "Basic realm=\u{0}", "Basic realm=ä",
    ])
    func `what breaks the grammar is no challenge`(field: String) {
        #expect(HTTPChallenge.challenges(in: [field]).isEmpty)
    }

    @Test func `what is before the fault counts, and so do other fields`() {
        let found = HTTPChallenge.challenges(in: ["Basic realm=a, Digest realm=\"b", "Bearer realm=c"])
        #expect(found == [Self.challenge(.basic, ("realm", "a")), Self.challenge(.bearer, ("realm", "c"))])
    }

    @Test func `a value may be empty, and have quoted bytes that are not ASCII`() {
        let found = HTTPChallenge.challenges(in: [#"Basic realm="", charset="UTF-8", x="Räume\\""#])
        #expect(found == [Self.challenge(.basic, ("realm", ""), ("charset", "UTF-8"), ("x", "Räume\\"))])
    }

    @Test func `a server can have 32 challenges read and 64 parameters of each`() {
        let many = Array(repeating: "Basic realm=x", count: 1000)
        #expect(HTTPChallenge.challenges(in: many).count == 32)
        #expect(HTTPChallenge.challenges(in: [many.joined(separator: ", ")]).count == 32)
        let parameters = (0..<65).map { "p\($0)=1" }
        #expect(HTTPChallenge.challenges(in: ["X \(parameters.dropLast().joined(separator: ", "))"]).count == 1)
        #expect(HTTPChallenge.challenges(in: ["X \(parameters.joined(separator: ", "))"]).isEmpty)
    }

    @Test func `long hostile fields are read in little time`() {
        let fields = [
            String(repeating: ",", count: 60_000), String(repeating: "a=", count: 30_000),
            "X " + String(repeating: "=", count: 60_000), "X \"" + String(repeating: "\\", count: 60_000),
            String(repeating: "a ", count: 30_000), "X a=" + String(repeating: "b,", count: 30_000),
        ]
        let start = ContinuousClock.now
        for field in fields { _ = HTTPChallenge.challenges(in: [field]) }
        #expect(start.duration(to: .now) < .seconds(5))
    }

    @Test func `random bytes never end the program`() {
        var generator = SeededGenerator(seed: 4711)
        let bytes = Array("Basic Digest=realm\",\\ \t\u{0}ä=x".utf8)
        for _ in 0..<20_000 {
            let field = (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                bytes.randomElement(using: &generator)
            }
            let found = HTTPChallenge.challenges(in: [String(decoding: field, as: UTF8.self)])
            for challenge in found {
                #expect(!challenge.scheme.name.isEmpty)
                #expect(Set(challenge.parameters.map(\.name)).count == challenge.parameters.count)
            }
        }
    }
}
