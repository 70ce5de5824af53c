import Testing

@testable import BluebonnetCommand

@Suite struct AuthenticationOptionsTests {
    private func options(
        auth: String? = nil,
        type: AuthenticationOptions.Kind? = nil,
        bearer: String? = nil
    ) -> AuthenticationOptions {
        var options = AuthenticationOptions()
        (options.auth, options.authType, options.bearer) = (auth.map { [$0] } ?? [], type, bearer)
        options.netrc = false
        return options
    }

    private func credentials(_ options: AuthenticationOptions) throws -> Credentials? {
        try options.credentials { question throws(CommandFailure) in Array("typed after \(question)".utf8) }
    }

    private func basic(_ user: String, _ password: String) -> Credentials {
        .basic(user: Array(user.utf8), password: Array(password.utf8))
    }

    @Test func `the options for authentication are user and password, a token, or nothing`() throws {
        #expect(try credentials(options()) == nil)
        #expect(try credentials(options(auth: "u:p:q")) == basic("u", "p:q"))
        #expect(try credentials(options(auth: "u:")) == basic("u", ""))
        #expect(try credentials(options(bearer: "t")) == .bearer("t"))
        #expect(try credentials(options(auth: "t:u", type: .bearer)) == .bearer("t:u"))
        #expect(try credentials(options(auth: "u:p", type: .digest)) == basic("u", "p"))
        #expect(try credentials(options(type: .bearer, bearer: "t")) == .bearer("t"))
        try options(type: .bearer, bearer: "t").validate()
        #expect(options(type: .digest).usesDigest && !options(auth: "u:p").usesDigest)
    }

    @Test func `a user without a password is asked for one`() throws {
        #expect(try credentials(options(auth: "Ada")) == basic("Ada", "typed after Password for Ada: "))
    }

    @Test func `options for authentication that contradict each other are bad usage`() {
        #expect(throws: (any Error).self) { try options(auth: "u:p", bearer: "t").validate() }
        #expect(throws: (any Error).self) { try options(type: .bearer).validate() }
    }

    @Test(arguments: ["basic", "digest", "bearer", "Digest"])
    func `the kind of the credentials is not taken for a user`(kind: String) throws {
        #expect(try credentials(options(auth: kind)) == nil)
        #expect(options(auth: kind).usesDigest == (kind.lowercased() == "digest"))
        let other: AuthenticationOptions.Kind = kind == "basic" ? .digest : .basic
        #expect(throws: (any Error).self) { try options(auth: kind, type: other).validate() }
        // Users of these names can be written with their colon.
        try options(auth: kind + ":p").validate()
        #expect(try credentials(options(auth: kind + ":")) == basic(kind, ""))
    }
}
