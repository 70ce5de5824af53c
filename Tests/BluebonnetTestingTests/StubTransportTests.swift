import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct StubTransportTests {
    private struct User: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    private struct Broken: Error {}

    private func api(_ transport: StubTransport) throws -> HTTPSessionManager {
        let baseURL = try #require(URL(string: "https://api.example.com/v1"))
        return HTTPSessionManager(baseURL: baseURL, session: SessionManager(transport: transport))
    }

    /// The error of a GET of the path.
    private func failure(_ path: String, from transport: StubTransport) async throws -> NetworkingError {
        let api = try api(transport)
        return try await networkingError { try await api.get(path, as: .data) }
    }

    @Test func `a table of stub routes responds by method and path`() async throws {
        let transport = StubTransport(routes: [
            .get("/v1/users/42"): .json(["id": 42, "name": "Ada"]),
            .post("/v1/users"): StubResponse(status: .created, body: Data(#"{"id":43,"name":"Eve"}"#.utf8)),
        ])
        let api = try api(transport)
        let user: User = try await api.get("users/42")
        #expect(user == User(id: 42, name: "Ada"))
        let created = try await api.response(.post, "users", as: .data)
        #expect(created.status == .created)
        #expect(created.value == Data(#"{"id":43,"name":"Eve"}"#.utf8))
        let seen = transport.requests.map { "\($0.method.rawValue) \($0.url.absoluteString)" }
        #expect(seen == ["GET https://api.example.com/v1/users/42", "POST https://api.example.com/v1/users"])
    }

    @Test func `the first stub route that matches is used`() async throws {
        let transport = StubTransport(routes: [
            .get("/v1/a?page=2"): .text("second page"),
            .any("/v1/a"): .text("any page"),
        ])
        let api = try api(transport)
        let second = try await api.get("a", parameters: ["page": 2], as: .string)
        let third = try await api.get("a", parameters: ["page": 3], as: .string)
        let posted = try await api.post("a", as: .string)
        #expect([second, third, posted] == ["second page", "any page", "any page"])
    }

    @Test func `the error of a request without a stub route names the request and the routes`() async throws {
        let transport = StubTransport(routes: [
            .get("/v1/users"): .json([]),
            .delete("/v1/users/1"): StubResponse(status: .noContent),
        ])
        let error = try await failure("nobody?token=secret", from: transport)
        #expect(error.code == .invalidRequest)
        #expect(error.message.contains("GET https://api.example.com/v1/nobody"))
        #expect(error.message.contains("GET /v1/users, DELETE /v1/users/1"))
        #expect(!error.message.contains("secret"))
    }

    @Test func `the error of an empty stub table says that there are no routes`() async throws {
        let error = try await failure("x", from: StubTransport(routes: [:]))
        #expect(error.message.contains("none"))
    }

    @Test func `a stub closure can respond by the header fields of a request`() async throws {
        let transport = StubTransport { request in
            request.headerFields[.authorization] == nil ? StubResponse(status: .unauthorized) : .json(["ok": true])
        }
        let error = try await failure("me", from: transport)
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.response?.status == .unauthorized)
        var api = try api(transport)
        try api.requestSerializer.setAuthorization(bearerToken: "t")
        let value = try await api.get("me", as: .json)
        #expect(value == ["ok": true])
    }

    @Test func `a stub transport records requests with their bodies`() async throws {
        let transport = StubTransport { _ in .json([:]) }
        var api = try api(transport)
        api.requestSerializer = JSONRequestSerializer()
        _ = try await api.post("users", parameters: ["name": "Ada"], as: .json)
        _ = try await api.get("users", as: .json)
        let requests = await transport.requests(count: 2)
        #expect(requests[0].json == ["name": "Ada"])
        #expect(requests[0].text == #"{"name":"Ada"}"#)
        #expect(requests[0].headerFields[.contentType] == "application/json")
        #expect(requests[1].body == nil)
        #expect(requests[1].text == nil)
    }

    @Test func `a test can wait for a number of stub requests`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let api = try api(transport)
        // It runs at once, up to where it waits.
        let waiting = Task.immediate { await transport.requests(count: 2) }
        _ = try await api.get("1", as: .string)
        _ = try await api.get("2", as: .string)
        let paths = await waiting.value.map { $0.url.path(percentEncoded: true) }
        #expect(paths == ["/v1/1", "/v1/2"])
        // Who asks for what has come does not wait.
        #expect(await transport.requests(count: 1).count == 2)
    }

    @Test func `waiting for stub requests ends when it is cancelled, not before`() async {
        let transport = StubTransport(routes: [:])
        let isOver = Atomic(false)
        // It runs at once, up to where it waits.
        let waiting = Task.immediate {
            let requests = await transport.requests(count: 1)
            isOver.store(true, ordering: .sequentiallyConsistent)
            return requests
        }
        let isOverBefore = isOver.load(ordering: .sequentiallyConsistent)
        #expect(!isOverBefore)
        waiting.cancel()
        let requests = await waiting.value
        #expect(requests.isEmpty)
    }

    @Test func `a stub can fail in place of a response`() async throws {
        let lost = NetworkingError(.connectionLost, "The cable is out.")
        let error = try await failure("x", from: StubTransport { _ in .failure(lost) })
        #expect(error.code == .connectionLost)
        #expect(error.message == "The cable is out.")
        #expect(error.request?.url.absoluteString == "https://api.example.com/v1/x")
        let other = try await failure("x", from: StubTransport { _ in throw Broken() })
        #expect(other.code == .interceptorFailed)
        #expect(other.underlying is Broken)
    }

    @Test func `a stub delay is measured by the given clock`() async throws {
        let clock = SteppingClock()
        let transport = StubTransport(clock: clock) { _ in StubResponse.text("late").delayed(by: .seconds(3600)) }
        let text = try await api(transport).get("x", as: .string)
        #expect(text == "late")
        #expect(clock.sleeps == [.seconds(3600)])
    }

    @Test func `a stub delay ends when the task is cancelled`() async throws {
        let transport = StubTransport { _ in StubResponse.text("late").delayed(by: .seconds(3600)) }
        let session = SessionManager(transport: transport)
        let task = session.dataTask(for: Request(url: try #require(URL(string: "http://example.com/"))))
        task.resume()
        _ = await transport.requests(count: 1)
        task.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await session.shutdown()
    }

    @Test func `a stub delay ends when the session is invalidated`() async throws {
        let transport = StubTransport { _ in StubResponse.text("late").delayed(by: .seconds(3600)) }
        let session = SessionManager(transport: transport)
        let task = session.dataTask(for: Request(url: try #require(URL(string: "http://example.com/"))))
        task.resume()
        _ = await transport.requests(count: 1)
        session.invalidate()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .sessionInvalidated)
    }

    @Test func `a stub delay does not begin after the session was invalidated`() async throws {
        let (transports, made) = AsyncStream.makeStream(of: StubTransport.self)
        let transport = StubTransport { _ in
            for await transport in transports { transport.invalidate() }
            return StubResponse.text("late").delayed(by: .seconds(3600))
        }
        made.yield(transport)
        made.finish()
        let request = Request(url: try #require(URL(string: "http://example.com/")))
        let session = SessionManager(transport: transport)
        let error = await #expect(throws: NetworkingError.self) { try await session.data(for: request) }
        #expect(error?.code == .sessionInvalidated)
        await session.shutdown()
    }

    @Test func `stub redirects are followed as over a network`() async throws {
        let transport = StubTransport(routes: [
            .get("/v1/old"): .redirect(to: "/v1/new"),
            .get("/v1/new"): .text("here"),
        ])
        let response = try await api(transport).response(.get, "old", as: .string)
        #expect(response.value == "here")
        #expect(response.redirects.map(\.absoluteString) == ["https://api.example.com/v1/new"])
        #expect(transport.requests.count == 2)
    }

    @Test func `a stub transport records a body that is a file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try Data("from a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = StubTransport(routes: [.put("/v1/a"): .text("done")])
        let api = try api(transport)
        var request = try api.request(.put, "a")
        request.body = try .file(file)
        _ = try await api.session.data(for: request)
        #expect(transport.requests.first?.text == "from a file")
    }
}
