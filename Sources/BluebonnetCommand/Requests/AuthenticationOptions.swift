import ArgumentParser

/// The options for the credentials of a request.
struct AuthenticationOptions: ParsableArguments {
    /// The choices of `--auth-type`.
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
        case basic, bearer
    }

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "User and password for Basic authentication; without a colon the terminal asks for the password.",
            discussion: "Or in the URL: http://user:password@host/. Other users of the machine can see arguments.",
            valueName: "user[:password]"
        )
    )
    var auth: String?

    @Option(name: [.customShort("A"), .long], help: ArgumentHelp("The kind of --auth.", valueName: "type"))
    var authType = Kind.basic

    @Option(name: .long, help: ArgumentHelp("A bearer token; the same as -A bearer -a token.", valueName: "token"))
    var bearer: String?

    func validate() throws {
        if auth != nil, bearer != nil { throw ValidationError("--auth and --bearer cannot be used together.") }
        if auth == nil, authType != .basic { throw ValidationError("--auth-type needs --auth.") }
    }

    /// The credentials of the options.
    ///
    /// - Parameter ask: Asks for a password.
    /// - Returns: The credentials; nil when there are none.
    /// - Throws: ``CommandFailure``.
    func credentials(
        asking ask: (String) throws(CommandFailure) -> [UInt8] = PasswordPrompt.ask
    ) throws(CommandFailure) -> Credentials? {
        if let bearer { return try .bearer(checking: bearer) }
        guard let auth else { return nil }
        guard authType == .basic else { return try .bearer(checking: auth) }
        guard let colon = auth.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return try .basic(checking: Array(auth.utf8), password: ask("Password for \(auth): "))
        }
        return try .basic(checking: Array(auth.utf8[..<colon]), password: Array(auth.utf8[colon...].dropFirst()))
    }
}
