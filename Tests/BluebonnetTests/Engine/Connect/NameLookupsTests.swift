import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Callers share a lookup that is under way; its result is not kept for later ones.
@Suite struct NameLookupsTests {
    /// Keeps each lookup until the test completes it.
    private final class HeldResolver: NameResolver {
        struct QueuedLookup: Sendable {
            let host: String
            let isWanted: @Sendable () -> Bool
            let completion: @Sendable (Result<[SocketAddress], any Error>) -> Void
        }

        private let held = Mutex<[QueuedLookup]>([])

        var queued: [QueuedLookup] { held.withLock { $0 } }

        func lookUp(
            _ host: String,
            isWanted: @escaping @Sendable () -> Bool,
            completion: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
        ) {
            held.withLock { $0.append(QueuedLookup(host: host, isWanted: isWanted, completion: completion)) }
        }
    }

    private let resolver = HeldResolver()
    private let results = Counter()
    private let lookups: NameLookups

    init() {
        lookups = NameLookups(resolver: resolver)
    }

    private func lookUp(_ host: String, at now: NIODeadline = .now()) -> NameLookups.Ticket {
        lookups.addresses(of: host, at: now) { _ in results.increment() }
    }

    @Test func `simultaneous lookups of one host are one`() {
        for _ in 0..<6 { _ = lookUp("a") }
        _ = lookUp("b")
        #expect(resolver.queued.map(\.host) == ["a", "b"])
        resolver.queued[0].completion(.success([]))
        #expect(results.value == 6)
        resolver.queued[0].completion(.success([]))
        #expect(results.value == 6)
    }

    @Test func `the result of a name lookup is not remembered`() {
        for number in 1...3 {
            _ = lookUp("a")
            #expect(resolver.queued.count == number)
            resolver.queued[number - 1].completion(.success([]))
            #expect(results.value == number)
        }
    }

    @Test func `a caller that gives up leaves the name lookup to the others`() {
        let tickets = (0..<3).map { _ in lookUp("a") }
        lookups.cancel(tickets[1])
        #expect(resolver.queued[0].isWanted())
        resolver.queued[0].completion(.success([]))
        #expect(results.value == 2)
        lookups.cancel(tickets[0])
    }

    @Test func `a name lookup that all callers have given up is joined while it runs`() {
        lookups.cancel(lookUp("a"))
        _ = lookUp("a")
        #expect(resolver.queued.count == 1)
        resolver.queued[0].completion(.success([]))
        #expect(results.value == 1)
    }

    @Test func `a name lookup that all callers have given up need not begin`() {
        lookups.cancel(lookUp("a"))
        #expect(!resolver.queued[0].isWanted())
        _ = lookUp("a")
        #expect(resolver.queued.count == 2)
        #expect(resolver.queued[1].isWanted())
        resolver.queued[0].completion(.success([]))
        #expect(results.value == 0)
        resolver.queued[1].completion(.success([]))
        #expect(results.value == 1)
    }

    @Test func `a name lookup that takes long is not joined any more`() {
        let start = NIODeadline.now()
        _ = lookUp("a", at: start)
        _ = lookUp("a", at: start + .milliseconds(4999))
        #expect(resolver.queued.count == 1)
        _ = lookUp("a", at: start + .seconds(5))
        _ = lookUp("a", at: start + .seconds(6))
        #expect(resolver.queued.count == 2)
        resolver.queued[1].completion(.success([]))
        #expect(results.value == 2)
        _ = lookUp("a", at: start + .seconds(6))
        #expect(resolver.queued.count == 3)
        resolver.queued[0].completion(.success([]))
        #expect(results.value == 4)
    }
}
