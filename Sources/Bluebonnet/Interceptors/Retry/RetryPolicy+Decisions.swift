import FoundationEssentials
import HTTPTypes

extension RetryPolicy {
    /// The facts of an attempt that decide whether its request may be sent again.
    struct Facts: Sendable {
        enum Outcome: Sendable, Equatable {
            case response(Int)
            case failure(NetworkingError.Code)
        }

        /// A request that was sent, and that its server may have processed.
        struct Sent: Sendable, Equatable {
            var method: HTTPRequest.Method
            /// Whether the server can tell by a key that it has processed it already.
            var hasIdempotencyKey: Bool
        }

        var outcome: Outcome
        /// The request that would be sent again.
        var request: Sent
        /// The requests of the attempt: several after a redirect or a challenge. Nil where they are
        /// not known.
        var processed: [Sent]?
        /// The time that the response asks for.
        var retryAfter: Duration?
    }

    /// The decision about a retry.
    enum Decision: Sendable, Equatable {
        case retry(after: Duration)
        case end(Refusal?)
    }

    /// The reason why a request is not sent again that otherwise would be.
    enum Refusal: Sendable, Equatable {
        /// It was sent again as often as allowed.
        case tooMany
        /// The server may have processed it, and its method is none that may be repeated.
        case notRepeatable
        /// The server wants a longer wait.
        case retryAfter
        /// The wait would be longer than the time for the request.
        case deadline
        /// Its body was sent, and its source can be read only once.
        case body
        /// The budget of the session is used up.
        case budget

        /// For messages, behind “It was not sent again, because”.
        var reason: String? {
            switch self {
            case .tooMany, .retryAfter: nil
            case .body: "the source of its body can be read only once"
            case .notRepeatable: "the server may have processed it, and its method is not idempotent"
            case .deadline: "the time for the request would have been over before"
            case .budget: "the retry budget of the session was used up"
            }
        }
    }

    /// Whether an outcome is one after which a request may be sent again.
    func concerns(_ outcome: Facts.Outcome) -> Bool {
        switch outcome {
        case .response(let status): statusCodes.contains(status)
        case .failure(let code): errorCodes.contains(code)
        }
    }

    /// Whether a request is sent again.
    ///
    /// - Parameters:
    ///   - facts: The facts of its last attempt.
    ///   - retries: The number of retries so far.
    ///   - random: Returns a number from 0 to below 1.
    /// - Returns: The decision.
    func decision(after facts: Facts, retries: Int, random: () -> Double) -> Decision {
        guard concerns(facts.outcome) else { return .end(nil) }
        guard retries < maximumRetries else { return .end(.tooMany) }
        guard mayRepeat(facts) else { return .end(.notRepeatable) }
        let wait = backoff.wait(before: retries + 1, random: random)
        guard let longestRetryAfter, let wanted = facts.retryAfter else { return .retry(after: wait) }
        guard wanted <= longestRetryAfter else { return .end(.retryAfter) }
        return .retry(after: max(wait, wanted))
    }

    /// RFC 9110 §9.2.2: a request that the server may have processed is not repeated
    /// automatically, unless its method is idempotent or the server can tell.
    private func mayRepeat(_ facts: Facts) -> Bool {
        guard let processed = facts.processed else { return false }
        if processed.isEmpty, retriesUnsentRequests { return true }
        return (processed + [facts.request]).allSatisfy(mayRepeat)
    }

    private func mayRepeat(_ sent: Facts.Sent) -> Bool {
        methods.contains(sent.method) || sent.hasIdempotencyKey && Request.keyedMethods.contains(sent.method)
    }
}

extension RetryPolicy.Facts.Sent {
    init(_ request: Request) {
        method = request.method
        // An empty field is no key: a server cannot tell by it.
        hasIdempotencyKey =
            HTTPField.Name.idempotencyKey.map { name in
                request.headerFields[values: name].contains { !$0.isEmpty }
            } ?? false
    }
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")
}

extension Request {
    /// The methods that an idempotency key makes repeatable
    /// (draft-ietf-httpapi-idempotency-key-header §1).
    static let keyedMethods: Set<HTTPRequest.Method> = [.post, .patch]

    /// Gives a POST or PATCH a key, where it has none: a string of RFC 9651 §3.3.3.
    mutating func addIdempotencyKey() {
        guard Self.keyedMethods.contains(method), let name = HTTPField.Name.idempotencyKey,
            !headerFields.contains(name)
        else { return }
        headerFields[name] = "\"\(UUID().uuidString.lowercased())\""
    }
}
