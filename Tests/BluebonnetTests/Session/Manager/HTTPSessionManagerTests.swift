import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct HTTPSessionManagerTests {
    private struct Draft: Codable, Sendable, Equatable {
        var title: String
        var tags: [String]
    }

    /// The members of an echo endpoint's response that the tests read.
    private struct Echo: Decodable, Sendable {
        var args: [String: String]
        var url: String
    }

    /// The member of an echo endpoint's response to a JSON body that the tests read.
    private struct DraftEcho: Decodable, Sendable {
        var json: Draft
    }

    private static let draft = Draft(title: "Spring", tags: ["blue", "red"])

    /// Runs the body with a manager over the embedded server.
    private func withLocalServer(_ body: (HTTPSessionManager) async throws -> Void) async throws {
        try await LocalServer.run { server in
            try await withAPI(at: server.baseURL) { try await body($0) }
        }
    }

    // MARK: The session

    @Test(arguments: [true, false])
    func `a manager that is reset goes on with a new session of the same configuration`(cancels: Bool) async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            request.target == "/held" ? [.hold(gate), .respond(body: "old")] : [.respond(body: "new")]
        }
        try await FaultServer.run(script) { server in
            let name = try #require(HTTPField.Name("X-Mine"))
            let configuration = SessionConfiguration { $0.additionalHeaderFields[name] = "kept" }
            var api = HTTPSessionManager(baseURL: server.baseURL, configuration: configuration)
            let (copy, old) = (api, api.session)
            let running = try api.dataTask(.get, "held", as: .string)
            running.resume()
            try await server.waitForRequests(1)
            api.resetSession(cancellingTasks: cancels)
            #expect(api.session !== old && api.session.tasks.isEmpty)
            #expect(try await api.get("a", as: .string) == "new")
            #expect(server.requests.last?.value(of: "X-Mine") == "kept")
            gate.open()
            switch await running.result {
            case .success(let response): #expect(!cancels && response.value == "old")
            case .failure(let error): #expect(cancels && error.code == .sessionInvalidated)
            }
            let refused = try await networkingError { try await copy.get("a", as: .string) }
            #expect(refused.code == .sessionInvalidated)
            await api.session.shutdown()
            await old.shutdown()
        }
    }

    @Test func `a manager that is reset leaves the shared session as it is`() async throws {
        try await withLocalServer { local in
            let url = try #require(local.baseURL)
            var api = HTTPSessionManager(baseURL: url)
            let copy = api
            api.resetSession()
            #expect(api.session !== SessionManager.shared && copy.session === SessionManager.shared)
            for manager in [api, copy] { try await manager.get("get") }
            await api.session.shutdown()
        }
    }

    // MARK: Calls without a result

    private static let longBody = String(repeating: "x", count: 3 << 20)

    @Test func `a call without a result drops the body of an accepted response as it comes`() async throws {
        let script = FaultServer.Script.requests { request in
            [.respond(request.target == "/missing" ? 404 : 200, body: Self.longBody)]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                let call = Call(try api.request(.get, "long"), core: api.session.core, isStarted: true)
                let received = try await api.session.core.receive(call) { $0.statusCode != 200 }
                #expect(received.body.isEmpty)
                try call.complete(nil, received.transport)

                try await api.get("long")
                let refused = try await networkingError { try await api.get("missing") }
                #expect(refused.body?.count == Self.longBody.utf8.count)
                var strict = api
                strict.validation = .none.requiring { _, body, _ in
                    if body.count == Self.longBody.utf8.count { throw CancellationError() }
                }
                let checked = strict
                #expect(try await networkingError { try await checked.get("long") }.code == .responseRefused)
            }
            let configuration = SessionConfiguration { $0.limits.bodyInMemory = 500_000 }
            try await withAPI(at: server.baseURL, configuration) { api in
                let error = try await networkingError { try await api.get("long") }
                #expect(error.code == .bodyTooLarge && error.response?.statusCode == 200)
            }
        }
    }

    // MARK: Verbs

    @Test(arguments: [HTTPRequest.Method.get, .post, .put, .patch, .delete])
    func `a manager can send any method`(method: HTTPRequest.Method) async throws {
        try await withLocalServer { api in
            let response = try await api.response(method, "anything", as: .json)
            #expect(response.status == .ok)
            #expect(response.value["method"]?.string == method.rawValue)
        }
    }

    @Test func `get and delete write parameters into the query`() async throws {
        try await withLocalServer { api in
            let parameters: JSONValue = ["page": 2, "tags": ["a", "b"], "q": "ä&="]
            let got = try await api.get("get", parameters: parameters, as: .json)
            let deleted = try await api.delete("delete", parameters: parameters, as: .json)
            for echo in [got, deleted] {
                #expect(echo["args"] == ["page": "2", "tags[]": ["a", "b"], "q": "ä&="])
            }
        }
    }

    @Test func `post, put and patch write parameters into a form`() async throws {
        try await withLocalServer { api in
            let parameters: JSONValue = ["name": "Ada", "n": 1]
            let posted = try await api.post("post", parameters: parameters, as: .json)
            let put = try await api.put("put", parameters: parameters, as: .json)
            let patched = try await api.patch("patch", parameters: parameters, as: .json)
            for echo in [posted, put, patched] {
                #expect(echo["form"] == ["name": "Ada", "n": "1"])
                #expect(echo["headers"]?["Content-Type"]?.string == "application/x-www-form-urlencoded")
            }
        }
    }

    @Test func `head returns the response head`() async throws {
        try await withLocalServer { api in
            let head = try await api.head("get", parameters: ["a": 1])
            #expect(head.status == .ok)
            #expect(head.mediaType == "application/json")
            let error = try await networkingError { try await api.head("status/404") }
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.response?.status == .notFound)
        }
    }

    @Test func `the type of a response value is inferred`() async throws {
        try await withLocalServer { api in
            let echo: Echo = try await api.get("get", parameters: ["a": "1"])
            #expect(echo.args == ["a": "1"])
            #expect(echo.url.hasSuffix("/get?a=1"))
            let posted: Echo = try await api.post("post")
            let put: Echo = try await api.put("put")
            let patched: Echo = try await api.patch("patch")
            let deleted: Echo = try await api.delete("delete", parameters: ["b": 2])
            #expect([posted, put, patched].allSatisfy { $0.args.isEmpty })
            #expect(deleted.args == ["b": "2"])
        }
    }

    @Test func `an Encodable is the request body`() async throws {
        try await withLocalServer { api in
            var api = api
            api.requestSerializer = JSONRequestSerializer()
            let posted: DraftEcho = try await api.post("post", body: Self.draft)
            let put: DraftEcho = try await api.put("put", body: Self.draft)
            let patched: DraftEcho = try await api.patch("patch", body: Self.draft)
            #expect([posted.json, put.json, patched.json] == [Self.draft, Self.draft, Self.draft])
            let typed = try await api.post("post", body: Self.draft, as: .decodable(DraftEcho.self))
            #expect(typed.json == Self.draft)
            let response = try await api.response(.put, "anything", body: .encoded(Self.draft), as: .json)
            #expect(response.value["headers"]?["Content-Type"]?.string == "application/json")
        }
    }

    // MARK: Header fields

    @Test func `the header fields of a request win over the serializer's`() async throws {
        try await withLocalServer { api in
            var api = api
            api.requestSerializer.headerFields[.userAgent] = "serializer"
            api.requestSerializer.headerFields[.accept] = "serializer"
            let echo = try await api.get("headers", headers: [.userAgent: "request"], as: .json)
            #expect(echo["headers"]?["User-Agent"]?.string == "request")
            #expect(echo["headers"]?["Accept"]?.string == "serializer")
            let posted = try await api.post("post", parameters: ["a": 1], headers: [.contentType: "text/x"], as: .json)
            #expect(posted["headers"]?["Content-Type"]?.string == "text/x")
        }
    }

    // MARK: Base URL

    @Test func `the paths of a manager's requests are resolved against its base URL`() async throws {
        let transport = StubTransport { request in .text(request.url.absoluteString) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: URL(string: "http://example.com/v1"), session: session)
            #expect(api.baseURL?.absoluteString == "http://example.com/v1/")
            let texts = [
                try await api.get("users", as: .string), try await api.get("/users", as: .string),
                try await api.get("https://other.example/x", as: .string),
            ]
            #expect(texts == ["http://example.com/v1/users", "http://example.com/users", "https://other.example/x"])
        }
    }

    @Test func `a path without a base URL has to be a whole URL`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(session: session)
            let error = try await networkingError { try await api.get("users", as: .string) }
            #expect(error.code == .invalidURL)
            #expect(transport.requests.isEmpty)
            let text = try await api.get("http://example.com/users", as: .string)
            #expect(text == "ok")
        }
    }

    // MARK: A value

    @Test func `copies of a manager share the session and nothing else`() async throws {
        let transport = StubTransport { _ in .json([:]) }
        try await withSession(transport: transport) { session in
            let first = HTTPSessionManager(baseURL: URL(string: "http://example.com/"), session: session)
            var second = first
            second.requestSerializer = JSONRequestSerializer()
            try second.requestSerializer.setAuthorization(username: "ada", password: "secret")
            #expect(first.session === second.session)
            _ = try await first.post("a", parameters: ["n": 1], as: .json)
            _ = try await second.post("a", parameters: ["n": 1], as: .json)
            let fields = transport.requests.map(\.headerFields)
            #expect(fields[0][.contentType] == "application/x-www-form-urlencoded")
            #expect(fields[0][.authorization] == nil)
            #expect(fields[1][.contentType] == "application/json")
            #expect(fields[1][.authorization] == "Basic YWRhOnNlY3JldA==")
        }
    }

    @Test func `a manager with a configuration has its own session`() {
        var configuration = SessionConfiguration()
        configuration.maximumConnectionsPerHost = 1
        let api = HTTPSessionManager(configuration: configuration)
        #expect(api.session !== SessionManager.shared)
        #expect(api.session.configuration.maximumConnectionsPerHost == 1)
        #expect(HTTPSessionManager().session === SessionManager.shared)
    }

    // MARK: Failures

    @Test func `a request that cannot be serialized never reaches the network`() async throws {
        let transport = StubTransport { _ in .json([:]) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: URL(string: "http://example.com/"), session: session)
            let keyless = try await networkingError { try await api.get("a", parameters: [1, 2], as: .json) }
            #expect(keyless.code == .requestSerializationFailed)
            let encoded = try await networkingError { try await api.post("a", body: [1, 2], as: .json) }
            #expect(encoded.code == .requestSerializationFailed)
            #expect(transport.requests.isEmpty)
            #expect(session.tasks.isEmpty)
        }
    }

    @Test func `the error about a refused status has the parsed body`() async throws {
        let transport = StubTransport { _ in .json(["reason": "taken"], status: .unprocessableContent) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: URL(string: "http://example.com/"), session: session)
            let error = try await networkingError { try await api.post("a", as: .json) }
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.response?.status.code == 422)
            #expect(error.bodyString == #"{"reason":"taken"}"#)
            #expect(error.parsedBody as? JSONValue == ["reason": "taken"])
            #expect(error.request?.method == .post)
        }
    }

    @Test func `a task from the manager is not started`() async throws {
        let transport = StubTransport { _ in .json(["a": 1]) }
        try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: URL(string: "http://example.com/"), session: session)
            let task = try api.dataTask(.get, "a", parameters: ["b": 1], as: .json)
            #expect(task.state == .suspended)
            #expect(task.originalRequest.url.absoluteString == "http://example.com/a?b=1")
            let value = try await task.value
            #expect(value == ["a": 1])
        }
    }
}
