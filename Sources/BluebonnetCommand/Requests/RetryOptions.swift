import ArgumentParser
import Bluebonnet

/// The options for retries, the network and the rate, which requests, transfers and `batch` share.
struct RetryOptions: ParsableArguments {
    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send a request again after a failure that may pass, so many times at most.",
            discussion: "Waits up to 0.5, 1, 2 … seconds in between, or as Retry-After says, up to a minute.",
            valueName: "count"
        )
    )
    var retry = 0

    @Option(
        name: .long,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send no more requests than this: 10/s, 100/m or 5000/h. (default: no limit)",
            valueName: "number/unit"
        )
    )
    var rate: RequestRate?

    @Flag(name: .long, help: "Wait for a network where there is none, rather than fail.")
    var waitForNetwork = false

    func validate() throws {
        if retry < 0 { throw ValidationError("--retry must be 0 or more.") }
    }

    /// Puts the options into a configuration.
    func apply(to configuration: inout SessionConfiguration) {
        if retry > 0 {
            var policy = RetryPolicy.standard
            policy.maximumRetries = retry
            configuration.retryPolicy = policy
            // The user has said how many there are to be.
            configuration.retryBudget = nil
        }
        if waitForNetwork {
            configuration.waitsForConnectivity = true
            configuration.hooks.taskIsWaitingForConnectivity = { _ in
                StandardStream.error.write(line: "\(MainCommand.name): there is no network; waiting for one.")
            }
        }
        if let rate { configuration.rateLimits = RateLimits(session: rate.limit) }
    }
}

/// A number of requests within a second, a minute or an hour: `10/s`.
struct RequestRate: ExpressibleByArgument, Equatable, Sendable {
    let limit: RateLimit

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let number = Int(parts[0]), number > 0,
            parts[0].utf8.allSatisfy({ 48...57 ~= $0 })
        else { return nil }
        switch parts.count == 2 ? parts[1] : "s" {
        case "s": limit = RateLimit(number, per: .seconds(1))
        case "m": limit = RateLimit(number, per: .seconds(60))
        case "h": limit = RateLimit(number, per: .seconds(3600))
        default: return nil
        }
    }
}
