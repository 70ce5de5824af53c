import ArgumentParser
import Bluebonnet
import FoundationEssentials

/// The options for cookies, named sessions and settings, which requests, transfers and `ws` share.
struct SessionOptions: ParsableArguments {
    @OptionGroup
    var cookies: CookieOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Keep cookies, and the headers of a server, by this name for the next requests.",
            valueName: "name"
        )
    )
    var session: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Use what --session has kept by this name, and keep nothing.", valueName: "name")
    )
    var sessionReadOnly: String?

    /// The names of the headers that settings have for the host of the URL.
    @Option(name: .long, help: .hidden)
    var hostHeader: [String] = []

    /// Where settings for the host of the URL decide which server is trusted, ``noTrust`` and the
    /// options of trust that other hosts have.
    @Option(name: .long, help: .hidden)
    var hostTrust: [String] = []

    @Flag(name: .customLong("no-config"), help: "Use no defaults of the configuration file.")
    var ignoresSettings = false

    func validate() throws {
        if session ?? sessionReadOnly != nil, cookies.cookies != nil {
            throw ValidationError("A session has cookies of its own, and cannot be used with --cookies.")
        }
        if session != nil, sessionReadOnly != nil {
            throw ValidationError("--session and --session-read-only cannot be used together.")
        }
    }

    /// The word in front of the options of ``hostTrust``, of which there may be none.
    static let noTrust = "none"

    /// The options of trust of ``hostTrust``; nil where they are the same for all hosts.
    var trustOfOthers: ConnectionOptions? {
        hostTrust.isEmpty ? nil : try? ConnectionOptions.parse(hostTrust.filter { $0 != Self.noTrust })
    }

    /// The jar of the session that is named, or that of the cookies.
    ///
    /// - Returns: The jar; nil for none.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a file that cannot be used.
    func jar() throws(CommandFailure) -> CookieJar? {
        if let named = try named() { try named.jar() } else { try cookies.jar() }
    }

    /// The session that is named.
    ///
    /// - Parameter sendsNothing: Whether no request is sent, so that nothing is kept.
    /// - Returns: The session; nil where none is named.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage`` for a name that cannot be one.
    func named(sendingNothing sendsNothing: Bool = false) throws(CommandFailure) -> NamedSession? {
        guard let name = session ?? sessionReadOnly else { return nil }
        return try NamedSession(
            name,
            isReadOnly: session == nil || sendsNothing,
            environment: EnvironmentVariables.all
        )
    }
}
