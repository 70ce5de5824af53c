import HTTPTypes
import Testing

@testable import Bluebonnet

/// The decisions of a policy, as values.
struct RetryDecisionTests {
    private typealias Facts = RetryPolicy.Facts

    private static let idempotent: [HTTPRequest.Method] = [.get, .head, .options, .put, .delete, .trace]
    private static let others: [HTTPRequest.Method] = [.post, .patch, .connect, .init("QUERY") ?? .post]

    private func sent(_ method: HTTPRequest.Method, key: Bool = false) -> Facts.Sent {
        Facts.Sent(method: method, hasIdempotencyKey: key)
    }

    /// The decision after a request of one hop that its server may have processed.
    private func decision(
        _ outcome: Facts.Outcome,
        _ method: HTTPRequest.Method = .get,
        key: Bool = false,
        isProcessed: Bool = true,
        retries: Int = 0,
        retryAfter: Duration? = nil,
        by policy: RetryPolicy = .standard
    ) -> RetryPolicy.Decision {
        let request = sent(method, key: key)
        let facts = Facts(
            outcome: outcome,
            request: request,
            processed: isProcessed ? [request] : [],
            retryAfter: retryAfter
        )
        return policy.decision(after: facts, retries: retries) { 0.5 }
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `these statuses are repeated for idempotent methods, and for no others`(status: Int) {
        for method in Self.idempotent {
            #expect(decision(.response(status), method) == .retry(after: .milliseconds(250)))
        }
        for method in Self.others { #expect(decision(.response(status), method) == .end(.notRepeatable)) }
    }

    @Test func `no other status is repeated`() {
        let wanted = RetryPolicy.standard.statusCodes
        for status in 100..<600 where !wanted.contains(status) { #expect(decision(.response(status)) == .end(nil)) }
    }

    @Test func `Alamofire repeats neither 425 nor 429, and no POST`() {
        #expect([425, 429].allSatisfy { decision(.response($0), by: .alamofire) == .end(nil) })
        for status in [408, 500, 502, 503, 504] {
            #expect(decision(.response(status), by: .alamofire) == .retry(after: .milliseconds(500)))
            #expect(decision(.response(status), retries: 1, by: .alamofire) == .retry(after: .seconds(1)))
            #expect(decision(.response(status), retries: 2, by: .alamofire) == .end(.tooMany))
        }
        #expect(decision(.failure(.connectFailed), .post, isProcessed: false, by: .alamofire) == .end(.notRepeatable))
        // Three codes are `networkConnectionLost` there.
        for code: NetworkingError.Code in [.tlsFailed, .connectionLost, .truncatedResponse, .streamReset] {
            #expect(decision(.failure(code), by: .alamofire) == .retry(after: .milliseconds(500)))
        }
    }

    @Test func `Alamofire repeats the errors of a connection that have these numbers`() {
        // `badServerResponse` and so on: those of its list that NSURLSession has for one request.
        let numbers: Set = [-1011, -1004, -1003, -1020, -1005, -1200, -1201, -1204, -1001]
        // The end of a task is not repeated, and downloads continue by themselves.
        let others: [NetworkingError.Code] = [
            .requestTimeout, .unexpectedContentRange, .webSocketPingTimeout, .webSocketProtocolError,
        ]
        for code in NetworkingError.Code.all where [.transport, .timeout, .trust, .framing].contains(code.family) {
            let isWanted = numbers.contains(code.number) && !others.contains(code)
            #expect(RetryPolicy.alamofire.errorCodes.contains(code) == isWanted, "\(code)")
        }
        #expect(RetryPolicy.alamofire.errorCodes.contains(.networkNotAllowed))
    }

    @Test func `what cannot have reached a server is repeated with any method`() {
        for code: NetworkingError.Code in [.connectFailed, .dnsLookupFailed, .connectTimeout] {
            for method in Self.idempotent + Self.others {
                #expect(
                    decision(.failure(code), method, isProcessed: false) == .retry(after: .milliseconds(250))
                )
            }
        }
    }

    @Test func `a lost connection is repeated for idempotent methods only`() {
        for code: NetworkingError.Code in [.connectionLost, .truncatedResponse, .streamReset, .firstByteTimeout] {
            for method in Self.idempotent { #expect(decision(.failure(code), method) != .end(.notRepeatable)) }
            for method in Self.others { #expect(decision(.failure(code), method) == .end(.notRepeatable)) }
        }
    }

    @Test func `errors that another attempt would have too are not repeated`() {
        let codes = NetworkingError.Code.all.filter { !RetryPolicy.standard.errorCodes.contains($0) }
        for code in codes { #expect(decision(.failure(code)) == .end(nil)) }
        for code: NetworkingError.Code in [.cancelled, .requestTimeout, .certificateUntrusted, .invalidURL] {
            #expect(codes.contains(code))
        }
    }

    @Test func `a key makes POST and PATCH repeatable, and nothing else`() {
        for method in [HTTPRequest.Method.post, .patch] {
            #expect(decision(.response(503), method, key: true) == .retry(after: .milliseconds(250)))
        }
        #expect(decision(.response(503), .connect, key: true) == .end(.notRepeatable))
    }

    @Test func `each request of an attempt counts`() {
        func decision(_ processed: [Facts.Sent]?) -> RetryPolicy.Decision {
            let facts = Facts(outcome: .response(503), request: sent(.get), processed: processed, retryAfter: nil)
            return RetryPolicy.standard.decision(after: facts, retries: 0) { 0 }
        }
        #expect(decision([sent(.get), sent(.get)]) == .retry(after: .zero))
        #expect(decision([sent(.post), sent(.get)]) == .end(.notRepeatable))
        #expect(decision([sent(.post, key: true), sent(.get)]) == .retry(after: .zero))
        // A hop without the key.
        #expect(decision([sent(.post, key: true), sent(.post)]) == .end(.notRepeatable))
        // Too many to know of all.
        #expect(decision(nil) == .end(.notRepeatable))
    }

    @Test func `the number of retries has a limit`() {
        #expect(decision(.response(503), retries: 1) == .retry(after: .milliseconds(500)))
        #expect(decision(.response(503), retries: 2) == .end(.tooMany))
        #expect(decision(.response(503), by: .never) == .end(.tooMany))
        #expect(decision(.response(503), by: RetryPolicy { $0.maximumRetries = -1 }) == .end(.tooMany))
    }

    @Test func `Retry-After is waited for up to a limit`() {
        #expect(decision(.response(503), retryAfter: .seconds(7)) == .retry(after: .seconds(7)))
        #expect(decision(.response(503), retryAfter: .seconds(60)) == .retry(after: .seconds(60)))
        #expect(decision(.response(503), retryAfter: .seconds(61)) == .end(.retryAfter))
        // The wait of the policy is longer.
        #expect(decision(.response(503), retryAfter: .zero) == .retry(after: .milliseconds(250)))
        let deaf = RetryPolicy { $0.longestRetryAfter = nil }
        #expect(decision(.response(503), retryAfter: .seconds(3600), by: deaf) == .retry(after: .milliseconds(250)))
    }
}
