import ArgumentParser
import Bluebonnet

/// The options for the credentials of a request.
struct AuthenticationOptions: ParsableArguments {
    /// The choices of `--auth-type`.
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
        case basic, digest, bearer
    }

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "User and password, by Basic; without a colon the terminal asks for the password.",
            discussion: "Or in the URL: http://user:password@host/. Other users of the machine can see arguments.",
            valueName: "user[:password]"
        )
    )
    var auth: [String] = []

    @Option(
        name: [.customShort("A"), .long],
        help: ArgumentHelp("The kind of --auth, or of user and password in the URL.", valueName: "type")
    )
    var authType = Kind.basic

    @Option(name: .long, help: ArgumentHelp("A bearer token; the same as -A bearer -a token.", valueName: "token"))
    var bearer: String?

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Take user and password from ~/.netrc, or the file of NETRC, where nothing else gives them.",
            discussion: "The file must belong to you, and nobody else may read it."
        )
    )
    var netrc = false

    func validate() throws {
        // `--auth digest` is `-A digest` for some: without this it would be a user, and of two the
        // last one would be sent by Basic.
        if let kind = auth.lazy.compactMap({ Kind(rawValue: $0.lowercased()) }).first {
            throw ValidationError(
                "--auth takes a user and a password. For the kind, write --auth-type \(kind.rawValue)."
            )
        }
        if auth.count > 1 { throw ValidationError("--auth (-a) can be used only once.") }
        if !auth.isEmpty, bearer != nil { throw ValidationError("--auth and --bearer cannot be used together.") }
        if auth.isEmpty, bearer == nil, authType == .bearer { throw ValidationError("--auth-type needs --auth.") }
    }

    /// Whether user and password are sent by Digest alone.
    var usesDigest: Bool { authType == .digest }

    /// Puts the `.netrc` into a configuration, if it is wanted.
    ///
    /// - Parameter configuration: The configuration to change.
    /// - Throws: ``CommandFailure`` for a file that cannot be used.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        guard netrc else { return }
        do throws(NetworkingError) {
            var netrc = try Netrc.user()
            netrc.isPreemptive = !usesDigest
            if usesDigest { netrc.schemes = [.digest] }
            configuration.netrc = netrc
        } catch {
            throw .usage(error.message)
        }
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
        guard let auth = auth.first else { return nil }
        guard authType != .bearer else { return try .bearer(checking: auth) }
        guard let colon = auth.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return try .basic(checking: Array(auth.utf8), password: ask("Password for \(auth): "))
        }
        return try .basic(checking: Array(auth.utf8[..<colon]), password: Array(auth.utf8[colon...].dropFirst()))
    }
}
