import BluebonnetTesting
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Retries by a policy, through a session.
@Suite(.timeLimit(.minutes(3)))
struct RetriesTests {
    private func data(
        _ transport: StubTransport,
        _ configuration: SessionConfiguration = .retrying(),
        _ change: (inout Request) throws -> Void = { _ in }
    ) async throws -> Response<Data> {
        try await withSession(configuration, transport: transport) { session in
            var request = try Request(to: "http://x/a")
            try change(&request)
            return try await session.data(for: request)
        }
    }

    private func status(_ response: Response<Data>) -> Int { response.head.status.code }

    // MARK: When

    @Test func `without a policy, nothing is sent again`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        #expect(status(try await data(transport, SessionConfiguration())) == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func `a response is awaited, then the request is sent again`() async throws {
        let transport = StubTransport(.status(503), .status(429), .text("ok"))
        let waits = EventLog<Duration>()
        let response = try await data(transport, .retrying(waits: waits))
        #expect(status(response) == 200)
        #expect(response.retries == 2)
        #expect(response.metrics.retryCount == 2)
        #expect(response.metrics.transactions.map { $0.response?.status.code } == [503, 429, 200])
        #expect(waits.events == [.milliseconds(250), .milliseconds(500)])
    }

    @Test func `when there are no more retries, the last response goes to the caller`() async throws {
        let transport = StubTransport(.text("1", status: .badGateway), .status(503), .text("3", status: .badGateway))
        let response = try await data(transport)
        #expect(status(response) == 502)
        #expect(response.value == Data("3".utf8))
        #expect(transport.requests.count == 3)
        #expect(response.retries == 2)
    }

    @Test func `when there are no more retries, the last error goes to the caller`() async throws {
        let transport = StubTransport(.error(.connectFailed), .error(.firstByteTimeout), .error(.connectionLost))
        let error = try await networkingError { try await data(transport) }
        #expect(error.code == .connectionLost)
        #expect(error.metrics?.transactionCount == 3)
        #expect(error.metrics?.retryCount == 2)
    }

    @Test func `a request can have a policy of its own, and none`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        #expect(status(try await data(transport) { $0.retryPolicy = .never }) == 503)
        let other = StubTransport(.status(418), .status(200))
        let policy = RetryPolicy { $0.statusCodes = [418] }
        #expect(status(try await data(other, .retrying(nil)) { $0.retryPolicy = policy }) == 200)
    }

    @Test func `a POST that may have been processed is not sent again, and the error says why`() async throws {
        let transport = StubTransport(.error(.connectionLost), .status(200))
        let error = try await networkingError { try await data(transport) { $0.method = .post } }
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("It was not sent again, because the server may have processed it"))
        #expect(transport.requests.count == 1)
        let unsent = StubTransport(.error(.connectFailed), .status(200))
        #expect(status(try await data(unsent) { $0.method = .post }) == 200)
    }

    @Test func `a POST that an adapter made of a GET is a POST`() async throws {
        let transport = StubTransport(.error(.connectionLost), .status(200))
        let configuration = SessionConfiguration.retrying {
            $0.interceptors = [RequestAdapter { $0.method = .post }]
        }
        let error = try await networkingError { try await data(transport, configuration) }
        #expect(error.code == .connectionLost)
        #expect(transport.requests.map(\.method) == [.post])
    }

    @Test func `an error of another type stays what it is`() async throws {
        struct Broken: Error {}
        let transport = StubTransport { _ in throw Broken() }
        let error = try await networkingError { try await data(transport) }
        #expect(error.code == .interceptorFailed)
        #expect(error.underlying is Broken)
        #expect(transport.requests.count == 1)
    }

    // MARK: Waits

    @Test func `Retry-After is waited for, and beyond its limit the response goes to the caller`() async throws {
        let name = try #require(HTTPField.Name("Retry-After"))
        let waits = EventLog<Duration>()
        let transport = StubTransport(.status(503, [name: "7"]), .status(200))
        _ = try await data(transport, .retrying(waits: waits))
        #expect(waits.events == [.seconds(7)])
        let late = StubTransport(.status(503, [name: "61"]), .status(200))
        #expect(status(try await data(late, .retrying(waits: waits))) == 503)
        #expect(waits.events == [.seconds(7)])
    }

    @Test func `a wait that would pass the time of the request is not begun`() async throws {
        let name = try #require(HTTPField.Name("Retry-After"))
        let transport = StubTransport(.status(503, [name: "59"]), .status(200))
        let waits = EventLog<Duration>()
        let response = try await data(transport, .retrying(waits: waits)) {
            $0.timeouts = Timeouts(request: .seconds(50))
        }
        #expect(status(response) == 503)
        #expect(waits.events.isEmpty)
        let failing = StubTransport(.error(.connectionLost), .status(200))
        let slow = RetryPolicy { $0.backoff = RetryBackoff(first: .seconds(100), longest: nil, isRandom: false) }
        let error = try await networkingError {
            try await data(failing, .retrying(slow)) { $0.timeouts = Timeouts(request: .seconds(50)) }
        }
        #expect(error.code == .connectionLost)
        #expect(error.message.contains("the time for the request would have been over"))
    }

    // MARK: Budget

    @Test func `the budget of the session ends a storm`() async throws {
        let transport = StubTransport(.error(.connectionLost))
        let configuration = SessionConfiguration.retrying {
            $0.retryBudget = RetryBudget(ratio: 0.2, minimumPerSecond: 0.3)
            // Its clock stands still.
            $0.retryTiming.now = { .uptimeNanoseconds(1 << 40) }
        }
        try await withSession(configuration, transport: transport) { session in
            var messages: [String] = []
            for _ in 0..<50 {
                let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
                messages.append(error.message)
            }
            // 50 requests, a fifth of them, and three.
            #expect(transport.requests.count == 50 + 10 + 3)
            #expect(messages.contains { $0.contains("the retry budget of the session was used up") })
        }
    }

    @Test func `without a budget, each request has its retries`() async throws {
        let transport = StubTransport(.status(503))
        try await withSession(.retrying { $0.retryBudget = nil }, transport: transport) { session in
            for _ in 0..<200 { _ = try await session.data(for: Request(to: "http://x/a")) }
        }
        #expect(transport.requests.count == 600)
    }

    // MARK: Bodies

    private func pieces() -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            continuation.yield(Array("abc".utf8))
            continuation.finish()
        }
    }

    @Test func `a body is sent again with its request`() async throws {
        for body in [RequestBody.string("abc"), .stream { pieces() }] {
            let transport = StubTransport(.status(503), .error(.connectionLost), .status(200))
            let response = try await data(transport) { ($0.method, $0.body) = (.put, body) }
            #expect(status(response) == 200)
            #expect(transport.requests.map(\.body) == Array(repeating: Data("abc".utf8), count: 3))
        }
    }

    @Test func `a body that can be read once is sent once, and the reason is told`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        let response = try await data(transport) { ($0.method, $0.body) = (.put, .stream(pieces())) }
        #expect(status(response) == 503)
        #expect(transport.requests.count == 1)
        let failing = StubTransport(.error(.connectionLost), .status(200))
        let error = try await networkingError {
            try await data(failing) { ($0.method, $0.body) = (.put, .stream(pieces())) }
        }
        #expect(error.code == .requestBodyNotReplayable)
        #expect(error.contains(.connectionLost))
        #expect(failing.requests.count == 1)
    }

    @Test func `a body that can be read once is sent again where nobody has read it`() async throws {
        let count = Counter()
        struct Unread: Transport {
            let count: Counter
            func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
                if count.increment() == 1 { throw NetworkingError(.connectFailed, "") }
                _ = try await request.body?.collect()
                return TransportResponse(head: ResponseHead(status: .ok), request: request)
            }
            func invalidate() {}
        }
        try await withSession(.retrying(), transport: Unread(count: count)) { session in
            let request = try Request(.post, to: "http://x/a", body: .stream(pieces()))
            #expect(try await session.data(for: request).retries == 1)
        }
    }

    @Test func `a hook can give another body in the place of one that was sent`() async throws {
        let transport = StubTransport(.status(503), .status(200))
        let configuration = SessionConfiguration.retrying {
            $0.hooks.taskNeedsNewBody = { _ in .string("new") }
        }
        _ = try await data(transport, configuration) { ($0.method, $0.body) = (.put, .stream(pieces())) }
        #expect(transport.requests.map(\.body) == [Data("abc".utf8), Data("new".utf8)])
    }

    @Test func `a body that has begun to come is never asked for again`() async throws {
        let transport = StubTransport { _ in
            var response = StubResponse.status(200)
            response.streamedBody = .stream(
                AsyncThrowingStream<[UInt8], any Error> { continuation in
                    continuation.yield([1, 2, 3])
                    continuation.finish(throwing: NetworkingError(.connectionLost, "in the middle"))
                }
            )
            return response
        }
        try await withSession(.retrying(), transport: transport) { session in
            let response = try await session.open(try Request(to: "http://x/a"))
            let error = try await networkingError { for try await _ in response.body {} }
            #expect(error.code == .connectionLost)
        }
        #expect(transport.requests.count == 1)
    }

    // MARK: Stores

    @Test func `a response that no server has sent is not asked for again`() async throws {
        let heard = Counter()
        let retries = Retries(
            .retrying { $0.retriers = [CallingRetrier { _ in heard.increment() > 9 ? .doNotRetry : .retryNow }] }
        )
        let sent = Counter()
        let request = try Request(to: "http://x/a")
        let context = ExchangeContext()
        let response = try await retries.send(request, context) { request in
            sent.increment()
            return TransportResponse(head: ResponseHead(status: .serviceUnavailable), request: request)
        }
        #expect(response.statusCode == 503)
        #expect(sent.value == 1)
        #expect(heard.value == 0)
    }

    @Test func `a stored failure is not sent again, and a new one is`() async throws {
        let transport = StubTransport(.status(503, [.cacheControl: "max-age=60"]), .status(200))
        let heard = Counter()
        let retrier = CallingRetrier { _ in
            heard.increment()
            return .byPolicy
        }
        let configuration = SessionConfiguration.retrying { configuration in
            configuration.cache = HTTPCache()
            configuration.retriers = [retrier]
        }
        try await withSession(configuration, transport: transport) { session in
            var request = try Request(to: "http://x/a")
            request.retryPolicy = .never
            #expect(status(try await session.data(for: request)) == 503)
            request.retryPolicy = nil
            let stored = try await session.data(for: request)
            #expect(status(stored) == 503 && stored.isFromCache && stored.retries == 0)
            #expect(transport.requests.count == 1)
            #expect(heard.value == 1)
        }
    }

    @Test func `a new response that the cache could not use is sent again`() async throws {
        let transport = StubTransport(.status(503), .text("ok"))
        let configuration = SessionConfiguration.retrying { $0.cache = HTTPCache() }
        let response = try await data(transport, configuration)
        #expect(status(response) == 200)
        #expect(response.retries == 1)
        #expect(response.metrics.retryCount == 1)
    }
}
