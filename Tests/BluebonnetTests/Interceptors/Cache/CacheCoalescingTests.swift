import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tasks that want the same URL at the same time.
@Suite(.timeLimit(.minutes(5)))
struct CacheCoalescingTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    /// Begins tasks for one URL, of which the first is at the server when the others begin, and
    /// lets the server respond when they wait.
    private func responses(
        _ bench: CacheBench,
        count: Int,
        opening gate: Gate,
        waiting: Int
    ) async throws -> [Response<Data>] {
        let first = Task { try await bench.send() }
        _ = await bench.transport.requests(count: 1)
        let others = (1..<count).map { _ in Task { try await bench.send() } }
        try await until("the others wait") { bench.cache.fetches.waiterCount == waiting }
        gate.open()
        var responses = [try await first.value]
        for other in others { responses.append(try await other.value) }
        return responses
    }

    @Test func `they send one request, and the others get what it has stored`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            await gate.wait()
            return .numbered(number, Self.fresh)
        }
        let responses = try await responses(bench, count: 20, opening: gate, waiting: 19)
        #expect(bench.requestCount == 1 && responses.allSatisfy { $0.text == "body 1" })
        #expect(responses.dropFirst().allSatisfy { $0.cacheStatus?.isCollapsed == true && $0.isFromCache })
    }

    @Test func `where nothing is stored the others go on all at once, and later ones do not wait`() async throws {
        let (gate, rest) = (Gate(), Gate())
        let bench = CacheBench { _, number in
            await (number == 1 ? gate : rest).wait()
            return .numbered(number, [.cacheControl: "no-store"])
        }
        let first = Task { try await bench.send() }
        _ = await bench.transport.requests(count: 1)
        let others = (0..<9).map { _ in Task { try await bench.send() } }
        try await until("the others wait") { bench.cache.fetches.waiterCount == 9 }
        gate.open()
        // All nine are at the server although none of them has got its response.
        _ = await bench.transport.requests(count: 10)
        let late = Task { try await bench.send() }
        _ = await bench.transport.requests(count: 11)
        rest.open()
        _ = try await first.value
        for other in others { _ = try await other.value }
        _ = try await late.value
        #expect(bench.requestCount == 11)
    }

    @Test func `when the first is cancelled one of the others takes its place`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            await gate.wait()
            return .numbered(number, Self.fresh)
        }
        let first = bench.session.dataTask(for: try bench.request())
        first.resume()
        _ = await bench.transport.requests(count: 1)
        let others = (0..<5).map { _ in Task { try await bench.send() } }
        try await until("the others wait") { bench.cache.fetches.waiterCount == 5 }
        first.cancel()
        _ = await bench.transport.requests(count: 2)
        gate.open()
        for other in others { #expect(try await other.value.text == "body 2") }
        #expect(bench.requestCount == 2)
    }

    @Test func `one that waits can be cancelled`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            await gate.wait()
            return .numbered(number, Self.fresh)
        }
        let first = Task { try await bench.send() }
        _ = await bench.transport.requests(count: 1)
        let other = bench.session.dataTask(for: try bench.request())
        other.resume()
        try await until("it waits") { bench.cache.fetches.waiterCount == 1 }
        other.cancel()
        #expect(try await networkingError { try await other.value }.code == .cancelled)
        gate.open()
        #expect(try await first.value.text == "body 1" && bench.requestCount == 1)
    }

    @Test func `when the first fails the others try by themselves`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            await gate.wait()
            return number == 1
                ? .failure(NetworkingError(.connectionLost, "Lost.")) : .numbered(number, Self.fresh)
        }
        let first = Task { try await bench.send() }
        _ = await bench.transport.requests(count: 1)
        let other = Task { try await bench.send() }
        try await until("the other waits") { bench.cache.fetches.waiterCount == 1 }
        gate.open()
        await #expect(throws: NetworkingError.self) { try await first.value }
        #expect(try await other.value.text == "body 2")
    }

    @Test func `when the reader of the first gives up the body the others do not wait on`() async throws {
        let bench = CacheBench { _, number in
            var response = StubResponse(headerFields: Self.fresh)
            if number > 1 { response.body = Data("body \(number)".utf8) }
            // The first body never ends.
            if number == 1 { response.streamedBody = .stream(AsyncStream<Data> { $0.yield(Data("a".utf8)) }) }
            return response
        }
        var first: TransportResponse? = try await bench.session.open(bench.request())
        let other = Task { try await bench.send() }
        try await until("the other waits") { bench.cache.fetches.waiterCount == 1 }
        _ = first?.head
        first = nil
        #expect(try await other.value.text == "body 2")
    }

    @Test func `requests with conditions, ranges or directives wait for nobody`() async throws {
        let gate = Gate()
        let bench = CacheBench { _, number in
            await gate.wait()
            return .numbered(number, Self.fresh)
        }
        let fields: [HTTPFields] = [
            [:], [.range: "bytes=0-1"], [.ifNoneMatch: "\"x\""], [.cacheControl: "max-age=5"],
        ]
        let tasks = fields.map { fields in Task { try await bench.send(.get, "/a", fields) } }
        _ = await bench.transport.requests(count: fields.count)
        gate.open()
        for task in tasks { _ = try await task.value }
    }
}
