import BluebonnetTesting
import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a task of ``SessionManager/tasks`` says of its response while the body comes.
@Suite(.timeLimit(.minutes(1)))
struct TaskHeadTests {
    /// Sends a head, and then a body whose end does not come before the gate opens.
    private struct Slow: Transport {
        let isThere = Counter()
        let fails: Bool

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            let pieces = AsyncThrowingStream<Data, any Error> {
                guard isThere.increment() > 1 else { return Data("one".utf8) }
                if fails { throw NetworkingError(.connectionLost, "The connection was lost.") }
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            return TransportResponse(head: ResponseHead(status: .accepted), body: .stream(pieces), request: request)
        }
    }

    @Test func `the head of a response is known while its body comes`() async throws {
        let transport = Slow(fails: false)
        try await withSession(transport: transport) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await until("the body comes") { transport.isThere.value >= 2 }
            let task = try #require(session.tasks.first)
            #expect(task.response?.statusCode == 202)
            task.cancel()
            _ = try? await caller.value
            #expect(task.response?.statusCode == 202)
        }
    }
}
