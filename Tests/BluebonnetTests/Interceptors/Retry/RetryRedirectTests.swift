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

/// Retries around redirects, challenges and metrics.
@Suite(.timeLimit(.minutes(3)))
struct RetryRedirectTests {
    /// A transport that redirects `/a` to `/b`, which has these responses one after the other.
    private func redirecting(_ status: HTTPResponse.Status, _ responses: StubResponse...) -> StubTransport {
        let count = Counter()
        return StubTransport { request in
            guard request.url.path() == "/a" else { return responses[min(count.increment(), responses.count) - 1] }
            return .status(status.code, [.location: "/b"])
        }
    }

    private func paths(_ transport: StubTransport) -> [String] {
        transport.requests.map { "\($0.method) \($0.url.path())" }
    }

    @Test func `an attempt includes its redirects, and counts once`() async throws {
        let transport = redirecting(.found, .status(503), .text("ok"))
        try await withSession(.retrying(), transport: transport) { session in
            let response = try await session.data(for: Request(to: "http://x/a"))
            #expect(response.head.status == .ok)
            #expect(response.retries == 1)
            #expect(response.redirects.map(\.absoluteString) == ["http://x/b"])
            #expect(response.metrics.transactionCount == 4)
            #expect(response.metrics.redirectCount == 2)
            #expect(response.metrics.retryCount == 1)
        }
        #expect(paths(transport) == ["GET /a", "GET /b", "GET /a", "GET /b"])
    }

    @Test func `a POST that was redirected to a GET is not sent again`() async throws {
        let transport = redirecting(.seeOther, .status(503), .text("ok"))
        try await withSession(.retrying(), transport: transport) { session in
            let response = try await session.data(for: Request(.post, to: "http://x/a", body: .string("1")))
            #expect(response.head.status.code == 503)
        }
        #expect(paths(transport) == ["POST /a", "GET /b"])
    }

    @Test func `a POST whose redirect could not be followed for want of a connection is not sent again`() async throws {
        let transport = redirecting(.temporaryRedirect, .error(.connectFailed), .text("ok"))
        try await withSession(.retrying(), transport: transport) { session in
            let error = try await networkingError {
                try await session.data(for: Request(.post, to: "http://x/a", body: .string("1")))
            }
            #expect(error.code == .connectFailed)
        }
        #expect(paths(transport) == ["POST /a", "POST /b"])
    }

    @Test func `a hook that makes a redirect a POST keeps it from being sent again`() async throws {
        let transport = redirecting(.found, .error(.connectionLost), .text("ok"))
        let configuration = SessionConfiguration.retrying {
            $0.hooks.taskWillPerformRedirection = { _, _, request in
                var request = request
                request.method = .post
                return request
            }
        }
        try await withSession(configuration, transport: transport) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/a")) }
            #expect(error.code == .connectionLost)
        }
        #expect(paths(transport) == ["GET /a", "POST /b"])
    }

    @Test func `a challenge is answered in each attempt`() async throws {
        let count = Counter()
        let transport = StubTransport { request in
            guard request.headerFields[.authorization] != nil else {
                return .status(401, [.wwwAuthenticate: "Basic realm=\"x\""])
            }
            return count.increment() == 1 ? .status(503) : .text("ok")
        }
        try await withSession(.retrying(), transport: transport) { session in
            var request = try Request(to: "http://x/a")
            request.credential = Credential(user: "u", password: "p")
            let response = try await session.data(for: request)
            #expect(response.head.status == .ok)
            #expect(response.retries == 1)
        }
    }

    @Test func `retries of the engine count too`() async throws {
        // As the engine says it of a connection that was stale.
        let count = Counter()
        let retries = Retries(.retrying { $0.retriers = [CallingRetrier { $0.number < 3 ? .retryNow : .byPolicy }] })
        let context = ExchangeContext()
        let request = try Request(to: "http://x/a")
        let response = try await retries.send(request, context) { request in
            var response = TransportResponse(head: ResponseHead(status: .ok), request: request)
            response.retries = count.increment() == 2 ? 1 : 0
            let record = TransactionRecord(
                hop: context.call.newHop(),
                sent: SentRequest(request),
                head: response.head,
                startedAt: .now()
            )
            context.call.note(record)
            return response
        }
        #expect(response.retries == 2 + 1)
    }

    @Test func `a body that an earlier hop has read is not sent again`() async throws {
        let retries = Retries(.retrying())
        let context = ExchangeContext()
        let pieces = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1])
            continuation.finish()
        }
        let count = Counter()
        let request = try Request(.put, to: "http://x/a", body: .stream(pieces))
        let response = try await retries.send(request, context) { request in
            count.increment()
            _ = try await request.body?.collect()
            // The last hop had a new body, which its server did not want.
            let response = TransportResponse(
                head: ResponseHead(status: .serviceUnavailable),
                body: .data(Data()),
                sent: SentRequest(request),
                informational: [],
                timings: ExchangeTimings(),
                startedAt: .now(),
                isRequestBodyUntouched: true,
                hop: context.call.newHop()
            )
            let record = TransactionRecord(
                hop: response.hop,
                sent: SentRequest(request),
                head: response.head,
                startedAt: .now()
            )
            context.call.note(record)
            return response
        }
        #expect(response.statusCode == 503)
        #expect(count.value == 1)
    }
}
