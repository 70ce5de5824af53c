import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything that stops a task also ends a transport of the user, without any interceptor, and the
/// body of its response.
@Suite(.timeLimit(.minutes(5)))
struct TransportStoppingTests {
    /// Sends nothing and waits, or sends a head and then waits in the middle of the body.
    private struct Waiting: Transport {
        let begun = Counter()
        let hasHead: Bool

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            let pieces = AsyncStream<Data> {
                guard begun.increment() > 1 else { return Data("one".utf8) }
                try? await Task.sleep(for: .seconds(3600))
                return nil
            }
            guard hasHead else {
                begun.increment()
                begun.increment()
                try await Task.sleep(for: .seconds(3600))
                throw NetworkingError(.cancelled, "It was woken.")
            }
            return TransportResponse(head: ResponseHead(status: .ok), body: .stream(pieces), request: request)
        }

        func waitUntilItWaits() async throws {
            try await until("the transport waits") { begun.value == 2 }
        }
    }

    @Test(arguments: [false, true])
    func `cancelling a task ends its waiting transport`(hasHead: Bool) async throws {
        let transport = Waiting(hasHead: hasHead)
        try await withSession(transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://x/"))
            let caller = Task { try await task.value }
            try await transport.waitUntilItWaits()
            task.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled && !caller.isCancelled)
        }
    }

    @Test(arguments: [false, true])
    func `cancelling a task of the session's list ends its waiting transport`(hasHead: Bool) async throws {
        let transport = Waiting(hasHead: hasHead)
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await transport.waitUntilItWaits()
            #expect(session.tasks.count == 1)
            session.tasks.first?.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled)
            #expect(session.tasks.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `invalidating a session ends a waiting transport`(hasHead: Bool) async throws {
        let transport = Waiting(hasHead: hasHead)
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await transport.waitUntilItWaits()
            session.invalidate()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .sessionInvalidated)
        }
    }

    @Test(arguments: [false, true])
    func `the request timeout ends a waiting transport`(hasHead: Bool) async throws {
        try await withSession(transport: Waiting(hasHead: hasHead)) { session in
            var request = try Request(to: "http://x/")
            request.timeouts = Timeouts(request: .milliseconds(50))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestTimeout)
        }
    }

    @Test func `a stream whose task is cancelled waits no longer for its head`() async throws {
        let transport = Waiting(hasHead: false)
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.open(request) }
            try await transport.waitUntilItWaits()
            session.tasks.first?.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled)
        }
    }
}
