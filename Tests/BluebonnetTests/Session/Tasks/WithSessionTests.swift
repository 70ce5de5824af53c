import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct WithSessionTests {
    private struct Mine: Error {}

    @Test func `a session for a closure is closed when the closure returns`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let request = try Request(to: server.baseURL)
            let (kept, body) = try await withSession { session in
                let body = try await session.data(for: request).value
                #expect(server.clientSockets(.established) == 1)
                return (session, body)
            }
            #expect(body == Data("ok".utf8) && server.clientSockets(.established) == 0)
            let late = try await networkingError { try await kept.data(for: request) }
            #expect(late.code == .sessionInvalidated)
        }
    }

    @Test func `a session for a closure is closed when the closure throws, and its error is not changed`() async throws
    {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let request = try Request(to: server.baseURL)
            do throws(Mine) {
                try await withSession { session throws(Mine) in
                    _ = try? await session.data(for: request)
                    #expect(server.clientSockets(.established) == 1)
                    throw Mine()
                }
            } catch {
                let mine: Mine = error
                #expect("\(mine)" == "Mine()")
            }
            #expect(server.clientSockets(.established) == 0 && server.requests.count == 1)
        }
    }

    @Test func `a session for a closure that is cancelled is closed before it returns`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            let request = try Request(to: server.baseURL)
            let caller = Task {
                try await withSession { session throws(NetworkingError) in try await session.data(for: request) }
            }
            try await server.waitForRequests(1)
            caller.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled && server.clientSockets(.established) == 0)
        }
    }

    @Test func `the requests that a closure leaves behind fail at its end`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            let request = try Request(to: server.baseURL)
            let task = try await withSession { session in
                let task = session.dataTask(for: request)
                task.resume()
                try await server.waitForRequests(1)
                return task
            }
            let error = try await networkingError { try await task.value }
            #expect(error.code == .sessionInvalidated)
        }
    }

    @Test func `a session for a closure takes a configuration and a transport`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let configuration = SessionConfiguration { $0.additionalHeaderFields = [.userAgent: "mine"] }
        try await withSession(configuration: configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://example.com/"))
        }
        #expect(transport.requests.first?.headerFields[.userAgent] == "mine")
    }
}
