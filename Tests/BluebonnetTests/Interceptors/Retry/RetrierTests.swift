import BluebonnetTesting
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Retriers of the user's.
@Suite(.timeLimit(.minutes(3)))
struct RetrierTests {
    private struct Maintenance: Error {}

    private func configuration(
        _ policy: RetryPolicy? = nil,
        waits: EventLog<Duration> = EventLog(),
        _ retriers: CallingRetrier...
    ) -> SessionConfiguration {
        .retrying(policy, waits: waits) { $0.retriers = retriers }
    }

    @Test func `a retrier hears each attempt, with its response or its error`() async throws {
        let transport = StubTransport(.status(503), .error(.connectFailed), .text("ok"))
        let heard = EventLog<RetryAttempt>()
        let retrier = CallingRetrier { attempt in
            heard.append(attempt)
            return attempt.number < 3 ? .retryNow : .byPolicy
        }
        let response = try await withSession(configuration(nil, retrier), transport: transport) { session in
            try await session.data(for: Request(to: "http://x/a"))
        }
        #expect(response.retries == 2)
        #expect(heard.events.map(\.number) == [1, 2, 3])
        #expect(heard.events.map(\.statusCode) == [503, nil, 200])
        #expect(heard.events.map(\.error?.code) == [nil, .connectFailed, nil])
        #expect(heard.events.map(\.mayHaveBeenProcessed) == [true, false, true])
        #expect(heard.events.map { $0.timings != nil } == [true, false, true])
        #expect(heard.events.map { $0.error?.metrics?.transactionCount } == [nil, 2, nil])
        #expect(heard.events.allSatisfy { $0.duration >= .zero && $0.request.url.path() == "/a" })
    }

    @Test func `no server has a request for which no connection was trusted`() async throws {
        let options = FaultServer.Options(tls: ServerTLS(try TestCertificates.shared().localhost))
        let heard = EventLog<RetryAttempt>()
        let retrier = CallingRetrier { attempt in
            heard.append(attempt)
            return .byPolicy
        }
        var policy = RetryPolicy.standard
        policy.errorCodes.insert(.certificateUntrusted)
        try await FaultServer.run(.requests { _ in [.respond(200)] }, options: options) { server in
            try await withSession(configuration(policy, retrier)) { session in
                let request = try Request(.post, to: "https://localhost:\(server.port)/", body: .string("a"))
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .certificateUntrusted)
                #expect(!error.message.contains("may have processed"))
            }
            #expect(server.requests.isEmpty)
        }
        #expect(heard.events.map(\.mayHaveBeenProcessed) == [false, false, false])
    }

    @Test func `a retrier chooses the wait`() async throws {
        let transport = StubTransport(.status(404), .status(404), .status(200))
        let waits = EventLog<Duration>()
        let retrier = CallingRetrier { attempt in
            attempt.statusCode == 404 ? .retry(after: .seconds(attempt.number * 40 - 45)) : .byPolicy
        }
        try await withSession(configuration(nil, waits: waits, retrier), transport: transport) { session in
            let response = try await session.data(for: Request(to: "http://x/a"))
            #expect(response.head.status == .ok)
        }
        // A time below zero is none.
        #expect(waits.events == [.zero, .seconds(35)])
    }

    @Test func `a retrier can refuse what the policy would repeat`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        let retrier = CallingRetrier { _ in .doNotRetry }
        try await withSession(configuration(.standard, retrier), transport: transport) { session in
            let response = try await session.data(for: Request(to: "http://x/a"))
            #expect(response.head.status.code == 503)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `a retrier can have the request fail with another error`() async throws {
        let transport = StubTransport(.status(503))
        let plain = CallingRetrier { _ in .fail(Maintenance()) }
        try await withSession(configuration(.standard, plain), transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .interceptorFailed)
            #expect(error.underlying is Maintenance)
        }
        let own = CallingRetrier { _ in .fail(NetworkingError(.responseRefused, "Not today.")) }
        try await withSession(configuration(.standard, own), transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .responseRefused)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `those of the request are asked first, and the first decision counts`() async throws {
        let transport = StubTransport(.status(500), .status(200))
        let log = EventLog<String>()
        func retrier(_ name: String, _ decision: RetryDecision) -> CallingRetrier {
            CallingRetrier { attempt in
                log.append("\(name)\(attempt.number)")
                return attempt.number == 1 ? decision : .byPolicy
            }
        }
        let session = configuration(nil, retrier("c", .byPolicy), retrier("d", .retryNow), retrier("e", .doNotRetry))
        try await withSession(session, transport: transport) { session in
            var request = try Request(to: "http://x/a")
            request.retriers = [retrier("a", .byPolicy), retrier("b", .byPolicy)]
            let response = try await session.data(for: request)
            #expect(response.head.status == .ok)
        }
        #expect(log.events == ["a1", "b1", "c1", "d1", "a2", "b2", "c2", "d2", "e2"])
    }

    @Test func `an option gives a call a retrier and a policy`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        try await withAPI(at: "http://x/", .retrying(nil), transport: transport) { api in
            let retrier = CallingRetrier { $0.statusCode == 503 ? .retryNow : .byPolicy }
            try await api.get("a", options: [.retrier(retrier)], as: .data)
            #expect(transport.requests.count == 2)
        }
        let other = StubTransport(.status(503), .status(200))
        try await withAPI(at: "http://x/", .retrying(nil), transport: other) { api in
            try await api.get("a", options: [.retryPolicy(.standard)], as: .data)
            #expect(other.requests.count == 2)
        }
    }

    @Test func `a retrier that never gives up ends at a limit`() async throws {
        let transport = StubTransport(.status(503))
        let retrier = CallingRetrier { _ in .retryNow }
        var configuration = configuration(nil, retrier)
        configuration.retryBudget = nil
        try await withSession(configuration, transport: transport) { session in
            let response = try await session.data(for: Request(to: "http://x/a"))
            #expect(response.head.status.code == 503)
            #expect(response.retries == Retries.mostRetries)
            #expect(response.metrics.retryCount == Retries.mostRetries)
        }
        #expect(transport.requests.count == Retries.mostRetries + 1)
    }

    @Test(arguments: [Stop.cancel, .cancelledCaller, .endOfSession])
    func `a retrier that waits is woken when the task is stopped, and decides nothing`(stop: Stop) async throws {
        let transport = StubTransport(.status(503), .status(200))
        let isAsked = Gate()
        let retrier = CallingRetrier { _ in
            isAsked.open()
            try? await Task.sleep(for: .seconds(3600))
            return .retryNow
        }
        try await withSession(configuration(.standard, retrier), transport: transport) { session in
            let error = try await stop.error(of: Request(to: "http://x/a"), in: session) { _ in await isAsked.wait() }
            #expect(error.code == stop.code)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `a task that was stopped in its attempt is shown to no retrier`() async throws {
        let heard = Counter()
        let isSent = Gate()
        let transport = StubTransport { _ in
            isSent.open()
            try await Task.sleep(for: .seconds(3600))
            return .status(200)
        }
        let retrier = CallingRetrier { _ in
            heard.increment()
            return .retryNow
        }
        try await withSession(configuration(.standard, retrier), transport: transport) { session in
            let error = try await Stop.cancel.error(of: Request(to: "http://x/a"), in: session) { _ in
                await isSent.wait()
            }
            #expect(error.code == .cancelled)
        }
        #expect(heard.value == 0)
        #expect(transport.requests.count == 1)
    }

    @Test func `a request with a retrier of its own cannot be stored`() throws {
        var request = try Request(to: "http://x/a")
        request.retriers = [CallingRetrier { _ in .byPolicy }]
        #expect(throws: NetworkingError.self) { try StoredRequest(request) }
        request.retriers = []
        request.retryPolicy = .never
        #expect(throws: Never.self) { try StoredRequest(request) }
    }
}
