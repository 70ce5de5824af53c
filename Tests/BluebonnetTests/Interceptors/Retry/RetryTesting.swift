import BluebonnetTesting
import HTTPTypes

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SessionConfiguration {
    /// A configuration with this policy, whose waits are only noted and whose random number is
    /// always the same.
    static func retrying(
        _ policy: RetryPolicy? = .standard,
        waits: EventLog<Duration> = EventLog(),
        random: Double = 0.5,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> SessionConfiguration {
        SessionConfiguration { configuration in
            configuration.retryPolicy = policy
            configuration.retryTiming.random = { random }
            configuration.retryTiming.sleep = { context, time in
                waits.append(time)
                try await context.sleep(for: .zero)
            }
            change(&configuration)
        }
    }
}

extension RetryPolicy {
    /// The standard policy with these changes.
    init(_ change: (inout RetryPolicy) -> Void) {
        self.init()
        change(&self)
    }
}

extension StubTransport {
    /// A transport that has these responses, one after the other, and the last one for ever.
    convenience init(_ responses: StubResponse...) {
        let count = Counter()
        self.init { _ in responses[min(count.increment(), responses.count) - 1] }
    }
}

extension StubResponse {
    /// A response with a status and nothing else.
    static func status(_ code: Int, _ headerFields: HTTPFields = [:]) -> StubResponse {
        StubResponse(status: HTTPResponse.Status(code: code), headerFields: headerFields)
    }

    /// An error of the transport.
    static func error(_ code: NetworkingError.Code) -> StubResponse {
        .failure(NetworkingError(code, "The test says so."))
    }
}

/// A retrier that calls a closure.
struct CallingRetrier: Retrier {
    let body: @Sendable (RetryAttempt) async -> RetryDecision

    init(_ body: @escaping @Sendable (RetryAttempt) async -> RetryDecision) {
        self.body = body
    }

    func decision(after attempt: RetryAttempt, context: ExchangeContext) async -> RetryDecision {
        await body(attempt)
    }
}
