import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Callers share a lookup that is under way, and its result for as long as it may be used.
@Suite struct NameLookupsTests {
    /// Keeps each lookup until the test completes it.
    private final class HeldSource: NameSource {
        struct QueuedLookup: Sendable {
            let host: String
            let family: IPAddress.Family
            let isWanted: @Sendable () -> Bool
            let completion: @Sendable (Result<FoundAddresses, any Error>) -> Void
        }

        private let held = Mutex<[QueuedLookup]>([])
        private let stopped = Mutex<[String]>([])

        var queued: [QueuedLookup] { held.withLock { $0 } }
        var stoppedHosts: [String] { stopped.withLock { $0 } }

        func lookUp(
            _ host: String,
            in family: IPAddress.Family,
            isWanted: @escaping @Sendable () -> Bool,
            completion: @escaping @Sendable (Result<FoundAddresses, any Error>) -> Void
        ) -> @Sendable () -> Void {
            held.withLock {
                $0.append(QueuedLookup(host: host, family: family, isWanted: isWanted, completion: completion))
            }
            return { [self] in stopped.withLock { $0.append(host) } }
        }
    }

    private struct NotFound: Error {}

    private let source = HeldSource()
    private let results = Counter()
    private let lookups: NameLookups

    init() {
        lookups = NameLookups(source)
    }

    /// Asks for a name; the ticket of the lookup, or nil where the result is known.
    @discardableResult
    private func lookUp(
        _ host: String,
        in family: IPAddress.Family = .ipv4,
        at now: NIODeadline = .now()
    ) -> NameLookups.Ticket? {
        let answer = lookups.addresses(of: host, in: family, at: now) { _ in results.increment() }
        guard case .pending(let ticket) = answer else { return nil }
        return ticket
    }

    /// Completes the lookup with this number with an address.
    private func find(_ number: Int, timeToLive: Duration? = nil) {
        let text = source.queued[number].family == .ipv4 ? "192.0.2.1" : "2001:db8::1"
        let addresses = [text].compactMap { IPAddress($0) }
        source.queued[number].completion(.success(FoundAddresses(addresses, timeToLive: timeToLive)))
    }

    @Test func `simultaneous lookups of one host in one family are one`() {
        for _ in 0..<6 { lookUp("a") }
        lookUp("b")
        lookUp("a", in: .ipv6)
        #expect(source.queued.map(\.host) == ["a", "b", "a"])
        source.queued[0].completion(.success(FoundAddresses([])))
        #expect(results.value == 6)
        source.queued[0].completion(.success(FoundAddresses([])))
        #expect(results.value == 6)
    }

    @Test func `addresses are known until their time is over`() {
        let start = NIODeadline.now()
        lookUp("a", at: start)
        find(0, timeToLive: .seconds(300))
        #expect(lookUp("a", at: start + .seconds(299)) == nil)
        #expect(lookUp("a", at: .now() + .seconds(301)) != nil)
        #expect(source.queued.count == 2)
    }

    @Test func `a name that is not found is looked up again`() {
        for number in 0..<3 {
            lookUp("a")
            #expect(source.queued.count == number + 1)
            source.queued[number].completion(.failure(NotFound()))
            #expect(results.value == number + 1)
        }
    }

    @Test func `a name whose addresses cannot be reached is looked up again`() {
        lookUp("a")
        find(0)
        #expect(lookUp("a") == nil)
        lookups.forget("a")
        #expect(lookUp("a") != nil)
    }

    @Test func `a caller that gives up leaves the name lookup to the others`() throws {
        let tickets = try (0..<3).map { _ in try #require(lookUp("a")) }
        lookups.cancel(tickets[1])
        #expect(source.queued[0].isWanted())
        find(0)
        #expect(results.value == 2)
        lookups.cancel(tickets[0])
    }

    @Test func `a name lookup that all callers have given up is joined while it runs`() throws {
        lookups.cancel(try #require(lookUp("a")))
        lookUp("a")
        #expect(source.queued.count == 1)
        find(0)
        #expect(results.value == 1)
    }

    @Test func `a name lookup that all callers have given up need not begin`() throws {
        lookups.cancel(try #require(lookUp("a")))
        #expect(!source.queued[0].isWanted())
        lookUp("a")
        #expect(source.queued.count == 2)
        #expect(source.queued[1].isWanted())
        find(0)
        #expect(results.value == 0)
        find(1)
        #expect(results.value == 1)
    }

    @Test func `a name lookup that takes long is not joined any more`() {
        let start = NIODeadline.now()
        lookUp("a", at: start)
        lookUp("a", at: start + .milliseconds(4999))
        #expect(source.queued.count == 1)
        lookUp("a", at: start + .seconds(5))
        lookUp("a", at: start + .seconds(6))
        #expect(source.queued.count == 2)
        source.queued[1].completion(.failure(NotFound()))
        #expect(results.value == 2)
        lookUp("a", at: start + .seconds(6))
        #expect(source.queued.count == 3)
        source.queued[0].completion(.failure(NotFound()))
        #expect(results.value == 4)
        #expect(source.stoppedHosts == [])
    }

    @Test func `a name lookup that nobody waits for is stopped when the next one begins`() throws {
        let start = NIODeadline.now()
        lookups.cancel(try #require(lookUp("a", at: start)))
        lookUp("a", at: start + .seconds(5))
        #expect(source.stoppedHosts == ["a"])
    }

    @Test func `the name lookups under way are stopped with their session`() {
        var lookups: NameLookups? = NameLookups(source)
        _ = lookups?.addresses(of: "a", in: .ipv6) { _ in }
        lookups = nil
        #expect(source.stoppedHosts == ["a"])
    }

    @Test func `a name lookup that cannot be joined is stopped with its last wait`() throws {
        let start = NIODeadline.now()
        let ticket = try #require(lookUp("a", at: start))
        lookUp("a", at: start + .seconds(5))
        #expect(source.stoppedHosts == [])
        lookups.cancel(ticket)
        #expect(source.stoppedHosts == ["a"])
    }

    @Test func `an older name lookup does not replace what a newer one has found`() {
        let start = NIODeadline.now()
        lookUp("a", at: start)
        lookUp("a", at: start + .seconds(5))
        find(1, timeToLive: .seconds(300))
        source.queued[0].completion(.failure(NotFound()))
        #expect(results.value == 2)
        #expect(lookUp("a") == nil)
    }
}
