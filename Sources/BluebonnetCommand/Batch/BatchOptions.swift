import ArgumentParser
import Bluebonnet

/// The options that only `batch` has.
struct BatchOptions: ParsableArguments {
    /// Each needs a connection, and a machine has fewer than 65,536 ports for those to one server.
    static let mostJobs = 10_000

    /// JSON above this size is not parsed.
    static let mostLineBytes = 4_000_000_000

    @Option(
        name: [.customShort("j"), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Requests at once, 1 to \(mostJobs).", valueName: "count")
    )
    var jobs = 8

    @Flag(name: .long, help: "Write the results in the order of the lines, not in the order in which they are ready.")
    var ordered = false

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The largest body that is put into a result, after decoding.", valueName: "bytes")
    )
    var maxBody = Limits().bodyInMemory

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp("The longest line of the input, 1 to \(mostLineBytes).", valueName: "bytes")
    )
    var maxLine = LineReader.usualLimit

    @Flag(name: .long, help: "Send the body again when a redirect leads from https to http. Anyone can then read it.")
    var bodyOnInsecureRedirects = false

    @Flag(
        name: .long,
        inversion: .prefixedNo,
        help: "Follow redirects that lead from https to http. They are an error otherwise."
    )
    var insecureRedirects = true

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var cookies: CookieOptions

    @OptionGroup
    var retries: RetryOptions

    func validate() throws {
        guard (1...Self.mostJobs).contains(jobs) else {
            throw ValidationError("--jobs must be between 1 and \(Self.mostJobs).")
        }
        if maxBody < 0 { throw ValidationError("--max-body must be 0 or more.") }
        guard (1...Self.mostLineBytes).contains(maxLine) else {
            throw ValidationError("--max-line must be between 1 and \(Self.mostLineBytes).")
        }
        if bodyOnInsecureRedirects, !insecureRedirects {
            throw ValidationError(
                "--body-on-insecure-redirects and --no-insecure-redirects cannot be used together."
            )
        }
    }

    /// Puts the options into a configuration. So many requests at once need as many
    /// connections.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        configuration.cookieJar = try cookies.jar()
        try cache.apply(to: &configuration)
        retries.apply(to: &configuration)
        configuration.maximumConnectionsPerHost = max(configuration.maximumConnectionsPerHost, jobs)
        configuration.followsInsecureRedirects = insecureRedirects
        configuration.sendsBodiesOnInsecureRedirects = bodyOnInsecureRedirects
        configuration.limits.bodyInMemory = maxBody
    }
}
