import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A pooled connection that the server closes when the next request comes: which requests are sent
/// again, and how often.
@Suite(.timeLimit(.minutes(5)))
struct StaleConnectionTests {
    /// The first connection responds once and ends at the second request; the later ones follow
    /// `later`.
    private static func stale(_ end: FaultStep, later: [FaultStep]) -> FaultServer.Script {
        .connections([[.readRequest, .respond(body: "first"), .readRequest, end], later])
    }

    private static let responding: [FaultStep] = [.readRequest, .respond(body: "second")]

    @Test(arguments: [FaultStep.close, .reset], [HTTPRequest.Method.get, .put, .delete])
    func `an idempotent request on a stale connection is sent again once on a new one`(
        end: FaultStep,
        method: HTTPRequest.Method
    ) async throws {
        try await FaultServer.run(Self.stale(end, later: Self.responding)) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let body = method == .put ? RequestBody.string("again") : nil
                let response = try await session.data(for: Request(method, to: server.baseURL, body: body))
                #expect(response.value == Data("second".utf8))
                #expect(response.retries == 1)
                #expect(!response.timings.isConnectionReused)
                #expect(server.connections.count == 2)
                #expect(server.requests.map(\.connection) == [0, 0, 1])
                #expect(server.requests.last?.bodyText == (body == nil ? "" : "again"))
            }
        }
    }

    @Test func `a streamed request on a stale connection is sent again too`() async throws {
        try await FaultServer.run(Self.stale(.close, later: Self.responding)) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let response = try await session.open(Request(to: server.baseURL))
                #expect(response.retries == 1)
                let body = try await response.body.collect()
                #expect(body == Data("second".utf8))
            }
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch])
    func `a request that is not idempotent is not sent again after a stale connection`(method: HTTPRequest.Method)
        async throws
    {
        try await FaultServer.run(Self.stale(.close, later: Self.responding)) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let request = try Request(method, to: server.baseURL, body: .string("once"))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .connectionLost, "\(error)")
                #expect(server.connections.count == 1 && server.requests.count == 2)
                #expect(session.tasks.isEmpty)
            }
        }
    }

    @Test func `a body that can be read only once is not sent again after a stale connection`() async throws {
        try await FaultServer.run(Self.stale(.close, later: Self.responding)) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let pieces = AsyncStream<[UInt8]> { continuation in
                    continuation.yield([1, 2, 3])
                    continuation.finish()
                }
                let request = try Request(.put, to: server.baseURL, body: .stream(pieces))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .connectionLost, "\(error)")
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a request is sent again only once after a stale connection`() async throws {
        try await FaultServer.run(Self.stale(.close, later: [.readRequest, .close])) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .connectionLost, "\(error)")
                #expect(server.connections.count == 2 && server.requests.count == 3)
            }
        }
    }

    @Test func `a request whose response had begun is not sent again`() async throws {
        let script = FaultServer.Script.connections([
            [.readRequest, .respond(body: "first"), .readRequest, .send("HTTP/1.1 2"), .close], Self.responding,
        ])
        try await FaultServer.run(script) { server in
            try await withSession { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .truncatedResponse, "\(error)")
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a retry gets a connection although the limit is reached`() async throws {
        let configuration = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
        try await FaultServer.run(Self.stale(.close, later: Self.responding)) { server in
            try await withEngine(configuration) { session, engine in
                _ = try await session.data(for: Request(to: server.baseURL))
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.retries == 1)
                #expect(engine.waitingExchanges == 0)
                // The old connection gives up its place before it is closed.
                try await until("the old connection is closed") { engine.openConnections == 1 }
            }
        }
    }
}
