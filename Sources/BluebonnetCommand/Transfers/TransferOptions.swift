import ArgumentParser
import Bluebonnet

/// The options that `download` and `upload` share.
struct TransferOptions: ParsableArguments {
    /// The number of transfers at once when no option says it.
    static let defaultJobs = 4

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Transfers at once, 1 to \(BatchOptions.mostJobs); the others wait.", valueName: "count")
    )
    var jobs = defaultJobs

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "A header: Name:value, “Name:” leaves out one that is sent by default. May be repeated.",
            valueName: "header"
        )
    )
    var header: [String] = []

    @Flag(
        name: .long,
        inversion: .prefixedNo,
        help: "Follow redirects that lead from https to http. They are an error otherwise."
    )
    var insecureRedirects = true

    @Flag(name: .shortAndLong, help: "Show failures only.")
    var quiet = false

    @OptionGroup
    var retries: RetryOptions

    @OptionGroup
    var cache: CacheOptions

    @OptionGroup
    var sessions: SessionOptions

    @OptionGroup
    var observation: ObservationOptions

    @OptionGroup
    var errors: ErrorOptions

    func validate() throws {
        guard (1...BatchOptions.mostJobs).contains(jobs) else {
            throw ValidationError("--jobs must be between 1 and \(BatchOptions.mostJobs).")
        }
    }

    /// The headers.
    ///
    /// - Returns: The items that they stand for.
    /// - Throws: ``CommandFailure`` for what is no header.
    func headers() throws(CommandFailure) -> [RequestItem] {
        var items: [RequestItem] = []
        for text in header {
            let item = try RequestItem(text)
            switch item {
            case .header, .unsetHeader, .emptyHeader: items.append(item)
            default: throw .usage("“\(text)” is not a header; write Name:value.")
            }
        }
        return items
    }

    /// Puts the options into a configuration, but for the cookies. So many transfers at once need
    /// as many connections.
    func apply(to configuration: inout SessionConfiguration) throws(CommandFailure) {
        try cache.apply(to: &configuration)
        retries.apply(to: &configuration)
        configuration.maximumConnectionsPerHost = max(configuration.maximumConnectionsPerHost, jobs)
        configuration.followsInsecureRedirects = insecureRedirects
    }
}
