import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// The hook for a new body, where a server refuses the expectation of a request (417).
@Suite(.timeLimit(.minutes(5)))
struct ExpectationHookTests {
    private static func request(_ server: FaultServer, wait: Duration?) throws -> Request {
        var request = try Request(.post, to: server.baseURL, body: .stream(Pieces(["once"])))
        request.expectsContinue = true
        request.timeouts = Timeouts(continueWait: wait)
        return request
    }

    /// Reads the body of a request before it refuses its expectation.
    private static let late = FaultServer.Script.requests { request in
        [.respond(request.value(of: "Expect") == nil ? 200 : 417, body: request.bodyText)]
    }

    @Test func `a new body is asked for when the expectation is refused after the body`() async throws {
        try await FaultServer.run(Self.late) { server in
            let calls = Counter()
            var configuration = SessionConfiguration()
            configuration.hooks.taskNeedsNewBody = { task in
                #expect(task.originalRequest.method == .post)
                calls.increment()
                return .stream(Pieces(["a", "gain"]))
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Self.request(server, wait: .milliseconds(10)))
                #expect(response.value == Data("again".utf8) && response.retries == 1)
                #expect(server.requests.map(\.bodyText) == ["once", "again"] && calls.value == 1)
                #expect(server.requests.map { $0.value(of: "Expect") } == ["100-continue", nil])
            }
        }
    }

    @Test(arguments: [true, false])
    func `without a new body the refusal is the response`(isHookSet: Bool) async throws {
        try await FaultServer.run(Self.late) { server in
            let calls = Counter()
            var configuration = SessionConfiguration()
            if isHookSet {
                configuration.hooks.taskNeedsNewBody = { _ in
                    calls.increment()
                    return nil
                }
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Self.request(server, wait: .milliseconds(10)))
                #expect(response.status.code == 417 && response.value == Data("once".utf8))
                #expect(server.requests.count == 1 && calls.value == (isHookSet ? 1 : 0))
            }
        }
    }

    @Test func `a body that was not begun when the expectation is refused is sent itself`() async throws {
        let script = FaultServer.Script.connections([
            [.readHead, .respond(417)], [.readRequest, .respond(body: "ok")],
        ])
        try await FaultServer.run(script) { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskNeedsNewBody = { _ in
                Issue.record("the body is here")
                return nil
            }
            try await withSession(configuration) { session in
                let response = try await session.data(for: Self.request(server, wait: nil))
                #expect(response.value == Data("ok".utf8) && response.retries == 1)
                #expect(server.requests.map(\.bodyText) == ["once"])
            }
        }
    }
}
