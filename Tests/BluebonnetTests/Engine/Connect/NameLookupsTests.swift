import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Lookups under way are shared, and nothing else is.
@Suite struct NameLookupsTests {
    /// Keeps what it is asked until the test answers.
    private final class HeldResolver: NameResolver {
        struct Question: Sendable {
            let host: String
            let isWanted: @Sendable () -> Bool
            let completion: @Sendable (Result<[SocketAddress], any Error>) -> Void
        }

        private let held = Mutex<[Question]>([])

        var questions: [Question] { held.withLock { $0 } }

        func lookUp(
            _ host: String,
            isWanted: @escaping @Sendable () -> Bool,
            completion: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
        ) {
            held.withLock { $0.append(Question(host: host, isWanted: isWanted, completion: completion)) }
        }
    }

    private let resolver = HeldResolver()
    private let answers = Counter()
    private let lookups: NameLookups

    init() {
        lookups = NameLookups(resolver: resolver)
    }

    private func ask(_ host: String, at now: NIODeadline = .now()) -> NameLookups.Ticket {
        lookups.addresses(of: host, at: now) { _ in answers.increment() }
    }

    @Test func `simultaneous lookups of one host are one`() {
        for _ in 0..<6 { _ = ask("a") }
        _ = ask("b")
        #expect(resolver.questions.map(\.host) == ["a", "b"])
        resolver.questions[0].completion(.success([]))
        #expect(answers.value == 6)
        resolver.questions[0].completion(.success([]))
        #expect(answers.value == 6)
    }

    @Test func `the result of a name lookup is not remembered`() {
        for number in 1...3 {
            _ = ask("a")
            #expect(resolver.questions.count == number)
            resolver.questions[number - 1].completion(.success([]))
            #expect(answers.value == number)
        }
    }

    @Test func `a caller that gives up leaves the name lookup to the others`() {
        let tickets = (0..<3).map { _ in ask("a") }
        lookups.cancel(tickets[1])
        #expect(resolver.questions[0].isWanted())
        resolver.questions[0].completion(.success([]))
        #expect(answers.value == 2)
        lookups.cancel(tickets[0])
    }

    @Test func `a name lookup that all callers have given up is joined while it runs`() {
        lookups.cancel(ask("a"))
        _ = ask("a")
        #expect(resolver.questions.count == 1)
        resolver.questions[0].completion(.success([]))
        #expect(answers.value == 1)
    }

    @Test func `a name lookup that all callers have given up need not begin`() {
        lookups.cancel(ask("a"))
        #expect(!resolver.questions[0].isWanted())
        _ = ask("a")
        #expect(resolver.questions.count == 2)
        #expect(resolver.questions[1].isWanted())
        resolver.questions[0].completion(.success([]))
        #expect(answers.value == 0)
        resolver.questions[1].completion(.success([]))
        #expect(answers.value == 1)
    }

    @Test func `a name lookup that takes long is not joined any more`() {
        let start = NIODeadline.now()
        _ = ask("a", at: start)
        _ = ask("a", at: start + .milliseconds(4999))
        #expect(resolver.questions.count == 1)
        _ = ask("a", at: start + .seconds(5))
        _ = ask("a", at: start + .seconds(6))
        #expect(resolver.questions.count == 2)
        resolver.questions[1].completion(.success([]))
        #expect(answers.value == 2)
        _ = ask("a", at: start + .seconds(6))
        #expect(resolver.questions.count == 3)
        resolver.questions[0].completion(.success([]))
        #expect(answers.value == 4)
    }
}
