import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stale responses that are used: while they are renewed, and because the server fails (RFC 5861).
@Suite(.timeLimit(.minutes(5)))
struct StaleResponseTests {
    private static let renewable: HTTPFields = [.cacheControl: "max-age=60, stale-while-revalidate=60"]

    @Test func `a stale response is used while one request renews it`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            if number > 1 { await gate.wait() }
            return .numbered(number, Self.renewable)
        }
        try await bench.send()
        bench.move(by: 70)
        for _ in 0..<5 {
            let stale = try await bench.send()
            #expect(stale.text == "body 1" && stale.cacheStatus?.description == "Bluebonnet; hit; ttl=-10")
        }
        _ = await bench.transport.requests(count: 2)
        gate.open()
        try await until("it is renewed") { bench.age(of: "/a") == 0 }
        #expect(try await bench.send().text == "body 2")
        #expect(bench.requestCount == 2)
    }

    @Test func `a renewal is confirmed by a 304 too`() async throws {
        let bench = CacheBench { request, number in
            var fields = Self.renewable
            fields[.eTag] = "\"x\""
            guard number > 1 else { return .numbered(number, fields) }
            #expect(request.headerFields[.ifNoneMatch] == "\"x\"")
            return StubResponse(status: .notModified, headerFields: fields)
        }
        try await bench.send()
        bench.move(by: 70)
        try await bench.send()
        try await until("it is renewed") { bench.age(of: "/a") == 0 }
        #expect(try await bench.send().cacheStatus?.timeToLive == 60)
    }

    @Test func `a renewal ends with the session`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            if number > 1 { await gate.wait() }
            return .numbered(number, Self.renewable)
        }
        try await bench.send()
        bench.move(by: 70)
        try await bench.send()
        _ = await bench.transport.requests(count: 2)
        // The stub waits at its gate, cancelled or not, and is left to itself.
        await bench.session.shutdown()
        #expect(bench.age(of: "/a") == 70)
        gate.open()
    }

    @Test(arguments: [500, 502, 503, 504])
    func `a stale response takes the place of a failure where it may`(_ status: Int) async throws {
        let bench = CacheBench { _, number in
            number == 1
                ? .numbered(number, [.cacheControl: "max-age=60, stale-if-error=60"])
                : StubResponse(status: .init(code: status))
        }
        try await bench.send()
        bench.move(by: 119)
        let stale = try await bench.send()
        #expect(stale.text == "body 1" && stale.isFromCache && stale.metrics.retryCount == 0)
        #expect(stale.cacheStatus?.detail == "stale-if-error")
        bench.move(by: 2)
        #expect(try await bench.send().status.code == status)
    }

    @Test func `so it does where the server cannot be reached, not where the task was cancelled`() async throws {
        let bench = CacheBench { _, number in
            guard number > 1 else { return .numbered(number, [.cacheControl: "max-age=60, stale-if-error=60"]) }
            return .failure(NetworkingError(number == 2 ? .connectFailed : .cancelled, "No."))
        }
        try await bench.send()
        bench.move(by: 70)
        #expect(try await bench.send().text == "body 1")
        #expect(try await networkingError { try await bench.send() }.code == .cancelled)
    }

    @Test func `the request may allow it too, and must-revalidate forbids it`() async throws {
        let bench = CacheBench { request, number in
            guard number < 3 else { return StubResponse(status: .badGateway) }
            let control = request.url.path() == "/a" ? "max-age=60" : "max-age=60, must-revalidate"
            return .numbered(number, [.cacheControl: control])
        }
        let allows: HTTPFields = [.cacheControl: "stale-if-error=60"]
        for path in ["/a", "/b"] { try await bench.send(.get, path) }
        bench.move(by: 70)
        #expect(try await bench.send(.get, "/a", allows).text == "body 1")
        #expect(try await bench.send(.get, "/a").status == .badGateway)
        #expect(try await bench.send(.get, "/b", allows).status == .badGateway)
    }

    @Test func `a failure does not remove what is stored`() async throws {
        let bench = CacheBench { _, number in
            number == 2 ? StubResponse(status: .internalServerError) : .numbered(number, [.cacheControl: "max-age=60"])
        }
        try await bench.send()
        #expect(try await bench.send(policy: .reload).status == .internalServerError)
        #expect(try await bench.send().text == "body 1")
    }
}

extension CacheBench {
    /// The seconds since the response for a path came or was confirmed.
    func age(of path: String) -> Int? {
        cache.memory?.records(for: "http://x.test:80\(path)").first.map {
            now - Int($0.receivedAt.timeIntervalSince1970)
        }
    }
}
