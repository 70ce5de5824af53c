import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// The hooks that decide about requests, and that tell of their bodies.
@Suite(.timeLimit(.minutes(5)))
struct RequestHooksTests {
    private static func stream(_ texts: String...) -> RequestBody { .stream(Pieces(texts)) }

    /// Redirects `/a` to `/b`, and shows every other request.
    private static func redirecting(_ status: Int) -> FaultServer.Script {
        .requests { request in
            guard request.target != "/a" else {
                return [.respond(status, headers: [("Location", "/b")], body: "moved")]
            }
            return [.respond(body: "\(request.method) \(request.target) \(request.bodyText)")]
        }
    }

    // MARK: Redirects

    @Test func `a redirect is followed as the hook wants`() async throws {
        try await FaultServer.run(Self.redirecting(302)) { server in
            let log = EventLog<String>()
            var configuration = SessionConfiguration()
            configuration.hooks.taskWillPerformRedirection = { task, head, request in
                log.append("\(task.identifier) \(head.status.code) \(request.method) \(request.url.path())")
                var request = request
                request.url.append(path: "changed")
                request.headerFields[.accept] = "text/plain"
                return request
            }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: .string("x"))
                let response = try await session.data(for: request)
                #expect(String(decoding: response.value, as: UTF8.self) == "GET /b/changed ")
                #expect(response.redirects.map { $0.path() } == ["/b/changed"])
                #expect(server.requests.last?.value(of: "Accept") == "text/plain")
                #expect(log.events == ["1 302 GET /b"])
            }
        }
    }

    @Test func `with nil the redirect is the response`() async throws {
        try await FaultServer.run(Self.redirecting(307)) { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskWillPerformRedirection = { _, _, _ in nil }
            configuration.hooks.taskNeedsNewBody = { _ in
                Issue.record("no body is needed for a redirect that is not followed")
                return nil
            }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: Self.stream("once"))
                let response = try await session.data(for: request)
                #expect(response.status.code == 307 && response.value == Data("moved".utf8))
                #expect(response.redirects.isEmpty && server.requests.count == 1)
            }
        }
    }

    @Test func `the hook is asked about each hop that the policy allows, and about no other`() async throws {
        try await LocalServer.run { server in
            let calls = Counter()
            var configuration = SessionConfiguration()
            configuration.hooks.taskWillPerformRedirection = {
                calls.increment()
                return $2
            }
            configuration.limits.redirects = 3
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/redirect/3"))
                #expect(calls.value == 3)
                var request = try Request(to: server.baseURL + "/redirect/1")
                request.redirectPolicy = .manual
                #expect(try await session.data(for: request).status == .found)
                request.redirectPolicy = .error
                let refused = try await networkingError { try await session.data(for: request) }
                #expect(refused.code == .redirectRefused && calls.value == 3)
                let error = try await networkingError {
                    try await session.data(for: Request(to: server.baseURL + "/redirect/4"))
                }
                #expect(error.code == .tooManyRedirects && calls.value == 6)
            }
        }
    }

    // MARK: New bodies

    @Test func `a body that was sent once is replaced by a new one after a 307`() async throws {
        try await FaultServer.run(Self.redirecting(307)) { server in
            let (calls, sent) = (Counter(), EventLog<String>())
            var configuration = SessionConfiguration()
            configuration.hooks.taskNeedsNewBody = { _ in
                calls.increment()
                return Self.stream("the ", "second")
            }
            configuration.hooks.taskDidSendBodyData = { sent.append("\($1) \($2) \($3 ?? -1)") }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: .stream(Pieces(["first"]), length: 5))
                let response = try await session.data(for: request)
                #expect(String(decoding: response.value, as: UTF8.self) == "POST /b the second")
                #expect(server.requests.map(\.bodyText) == ["first", "the second"] && calls.value == 1)
                #expect(sent.events.first == "5 5 5")
                #expect(sent.events.last?.hasSuffix(" 10 -1") == true)
            }
        }
    }

    @Test(arguments: [true, false])
    func `without a new body the error is that of today`(isHookSet: Bool) async throws {
        try await FaultServer.run(Self.redirecting(308)) { server in
            var configuration = SessionConfiguration()
            if isHookSet { configuration.hooks.taskNeedsNewBody = { _ in nil } }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: Self.stream("once"))
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .requestBodyNotReplayable && error.response?.status.code == 308)
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a redirect hook may bring a new body itself`() async throws {
        try await FaultServer.run(Self.redirecting(307)) { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskWillPerformRedirection = { _, _, request in
                var request = request
                request.body = Self.stream("another")
                return request
            }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: Self.stream("once"))
                let response = try await session.data(for: request)
                #expect(String(decoding: response.value, as: UTF8.self) == "POST /b another")
            }
        }
    }

    @Test func `a body that can be sent twice is not asked for`() async throws {
        try await FaultServer.run(Self.redirecting(307)) { server in
            var configuration = SessionConfiguration()
            configuration.hooks.taskNeedsNewBody = { _ in
                Issue.record("the body is here")
                return nil
            }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL + "/a", body: .string("twice"))
                _ = try await session.data(for: request)
                #expect(server.requests.map(\.bodyText) == ["twice", "twice"])
            }
        }
    }

    @Test func `a new body is asked for when a stale connection loses the first one`() async throws {
        // The first connection serves one request, and closes at the second one.
        let script = FaultServer.Script.connections([
            [.readRequest, .respond(body: "first"), .readRequest, .close],
            [.readRequest, .respond(body: "second")],
        ])
        try await FaultServer.run(script) { server in
            let calls = Counter()
            var configuration = SessionConfiguration()
            configuration.hooks.taskNeedsNewBody = { _ in
                calls.increment()
                return Self.stream("again")
            }
            try await withSession(configuration) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                let request = try Request(.put, to: server.baseURL, body: Self.stream("once"))
                let response = try await session.data(for: request)
                #expect(response.value == Data("second".utf8) && response.retries == 1)
                #expect(server.requests.map(\.bodyText) == ["", "once", "again"] && calls.value == 1)
            }
        }
    }

    @Test func `an interceptor that repeats a request gets a new body too`() async throws {
        struct Repeating: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                let response = try await next(request)
                guard response.head.status.code == 503 else { return response }
                await response.body.discard()
                return try await next(request)
            }
        }
        let script = FaultServer.Script.requests { [.respond($0.bodyText == "new" ? 200 : 503)] }
        try await FaultServer.run(script) { server in
            var configuration = SessionConfiguration { $0.interceptors = [Repeating()] }
            configuration.hooks.taskNeedsNewBody = { _ in Self.stream("new") }
            try await withSession(configuration) { session in
                let request = try Request(.post, to: server.baseURL, body: Self.stream("old"))
                #expect(try await session.data(for: request).status == .ok)
                #expect(server.requests.map(\.bodyText) == ["old", "new"])
            }
        }
    }

    // MARK: Sent bytes

    @Test func `the bytes that were sent add up to the body`() async throws {
        let size = 5_000_000
        try await LocalServer.run { server in
            let (sum, last, rises) = (Counter(), EventLog<Int>(), EventLog<Bool>())
            var configuration = SessionConfiguration()
            configuration.hooks.taskDidSendBodyData = { _, count, total, expected in
                rises.append(sum.add(count) == total && count > 0 && expected == size)
                last.append(total)
                await Task.yield()
            }
            configuration.hooks.dataTaskDidReceiveResponse = { _, _ in
                last.append(-1)
                return .allow
            }
            try await withSession(configuration) { session in
                let body = RequestBody.data(Data(repeating: 7, count: size))
                _ = try await session.data(for: Request(.post, to: server.baseURL + "/sink", body: body))
            }
            #expect(!rises.events.contains(false))
            #expect(last.events.suffix(2) == [size, -1])
        }
    }
}
