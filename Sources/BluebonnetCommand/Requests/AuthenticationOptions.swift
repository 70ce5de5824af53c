import ArgumentParser
import Bluebonnet

/// The options for the credentials of a request.
struct AuthenticationOptions: ParsableArguments {
    /// The kinds of credentials.
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
        case basic, digest, bearer

        /// - Parameter word: The name of a kind, in any case of its letters.
        init?(word: String) { self.init(rawValue: word.lowercased()) }
    }

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "User and password, by Basic; without a colon the terminal asks for the password.",
            discussion: """
                Or in the URL: http://user:password@host/. Other users of the machine can see arguments. The words \
                basic, digest and bearer are the kind, as with --auth-type.
                """,
            valueName: "user[:password]"
        )
    )
    var auth: [String] = []

    @Option(
        name: [.customShort("A"), .long],
        help: ArgumentHelp("The kind of --auth, or of user and password in the URL.", valueName: "type")
    )
    var authType: Kind?

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
        if secrets.count > 1 { throw ValidationError("--auth (-a) can be used only once with a user.") }
        if kinds.count > 1 { throw ValidationError("--auth and --auth-type name different kinds.") }
        if !secrets.isEmpty, bearer != nil { throw ValidationError("--auth and --bearer cannot be used together.") }
        if bearer != nil, !kinds.isSubset(of: [.bearer]) {
            throw ValidationError("--bearer sends a token, and --auth or --auth-type names another kind.")
        }
        if secrets.isEmpty, bearer == nil, kinds == [.bearer] {
            throw ValidationError("The kind bearer needs its token: --auth bearer -a token.")
        }
    }

    /// What is said by `--auth-type`, and by `--auth` with the word of a kind.
    private var kinds: Set<Kind> { Set(auth.compactMap(Kind.init(word:)) + [authType].compactMap(\.self)) }

    /// User and password, or a token: the values of `--auth` that are no kind.
    private var secrets: [String] { auth.filter { Kind(word: $0) == nil } }

    /// Whether user and password are sent by Digest alone.
    var usesDigest: Bool { kinds.contains(.digest) }

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
        guard let auth = secrets.first else { return nil }
        guard !kinds.contains(.bearer) else { return try .bearer(checking: auth) }
        guard let colon = auth.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return try .basic(checking: Array(auth.utf8), password: ask("Password for \(auth): "))
        }
        return try .basic(checking: Array(auth.utf8[..<colon]), password: Array(auth.utf8[colon...].dropFirst()))
    }
}
