import Bluebonnet
import Dispatch
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Calls as people type them, with variables where examples have literals. That they compile is
/// half of the test.
@Suite(.timeLimit(.minutes(5)))
struct CallSiteTests {
    struct User: Codable, Sendable, Equatable {
        var name: String
        var age: Int
    }

    struct Filter: Encodable, Sendable {
        var page: Int
        var q: String?
    }

    /// The members of an echo endpoint's response.
    struct Echo: Decodable, Sendable {
        var method: String?
        var url: String
        var args: JSONValue
        var form: JSONValue?
        var json: User?
        var data: String?
        var headers: [String: String]

        var query: String? { URL(string: url)?.query(percentEncoded: true) }
    }

    private let key = "secret"
    private let page = 2
    private let name = "tea & milk"
    private let cursor: String? = nil
    private let ids: Set<Int> = [3, 1, 2]
    private let user = User(name: "Ada", age: 36)

    private func withServer(_ body: (HTTPSessionManager) async throws -> Void) async throws {
        try await LocalServer.run { server in
            try await withAPI(at: server.baseURL) { try await body($0) }
        }
    }

    @Test func `parameters take variables of any encodable type, optionals and sets`() async throws {
        try await withServer { api in
            let echo: Echo = try await api.get(
                "anything",
                parameters: ["page": page, "q": name, "cursor": cursor, "ids": ids, "tags": ["a", "b"]]
            )
            #expect(echo.query == "ids=1&ids=2&ids=3&page=2&q=tea%20%26%20milk&tags%5B%5D=a&tags%5B%5D=b")
            let one: Echo = try await api.get("anything", parameters: ["page": page])
            #expect(one.query == "page=2")
            let found = try await api.get("anything", parameters: Filter(page: page, q: name), as: .json)
            #expect(found["args"] == ["page": "2", "q": "tea & milk"])
            let counts = ["a": page]
            let dictionary = try await api.get("anything", parameters: counts, as: .json)
            #expect(dictionary["args"] == ["a": "2"])
            let deleted: Echo = try await api.delete("anything", parameters: ["page": page, "q": name])
            #expect(deleted.query == "page=2&q=tea%20%26%20milk")
            let posted: Echo = try await api.post("anything", parameters: ["page": page, "q": name])
            #expect(posted.form == ["page": "2", "q": "tea & milk"])
        }
    }

    @Test func `calls without a result check the status`() async throws {
        try await withServer { api in
            try await api.delete("anything/7")
            try await api.get("html")
            try await api.post("anything", body: user)
            try await api.post("anything", parameters: ["page": page, "q": name])
            let error = try await networkingError { try await api.delete("status/404") }
            #expect(error.code == .unacceptableStatusCode)
        }
    }

    @Test func `a body by the manager's serializer is a form or JSON`() async throws {
        try await withServer { api in
            var api = api
            let form: Echo = try await api.post("anything", body: user)
            #expect(form.form == ["name": "Ada", "age": "36"])
            api.requestSerializer = JSONRequestSerializer()
            let json: Echo = try await api.post("anything", body: user)
            #expect(json.json == user)
            #expect(json.headers["Content-Type"] == "application/json")
            let removed: Echo = try await api.delete("anything", body: user)
            #expect(removed.json == user)
            #expect(removed.query == nil)
        }
    }

    @Test func `body, query, headers and a timeout stand together`() async throws {
        try await withServer { api in
            let made: Echo = try await api.post(
                "anything",
                body: .json(user),
                query: ["notify": true, "page": page],
                headers: ["X-Api-Key": key, .accept: "application/json", "X-\(name.count)": cursor],
                timeout: .seconds(60)
            )
            #expect(made.json == user)
            #expect(made.query == "notify=1&page=2")
            #expect(made.headers["X-Api-Key"] == key)
            #expect(made.headers["Accept"] == "application/json")
            #expect(made.headers["X-10"] == nil)
        }
    }

    @Test func `bodies are files, bytes, text and forms, each with its content type`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "photo.png")
            try Data("PNG".utf8).write(to: file)
            try await withServer { api in
                let data = Data("bytes".utf8)
                let image: Echo = try await api.put("anything", body: .data(data, contentType: "image/png"))
                #expect(image.headers["Content-Type"] == "image/png")
                #expect(image.data == "bytes")
                let bytes: Echo = try await api.put("anything", body: data)
                #expect(bytes.headers["Content-Type"] == "application/octet-stream")
                #expect(bytes.data == "bytes")
                let text: Echo = try await api.put("anything", body: "Grüße")
                #expect(text.headers["Content-Type"] == "text/plain; charset=utf-8")
                #expect(text.data == "Grüße")
                let video: Echo = try await api.put("anything", body: .file(file))
                #expect(video.headers["Content-Type"] == "image/png")
                #expect(video.headers["Content-Length"] == "3")
                let photo = try await api.post(
                    "anything",
                    body: .multipart { form in try form.append(fileURL: file, name: "photo") },
                    as: .json
                )
                #expect(photo["files"] == ["photo": "PNG"])
                let form: Echo = try await api.patch("anything", body: .form(["page": page, "q": name]))
                #expect(form.form == ["page": "2", "q": "tea & milk"])
                let json = try await api.patch("anything", body: .json(["page": page, "q": name]), as: .json)
                #expect(json["json"] == ["page": 2, "q": "tea & milk"])
                let stream: Echo = try await api.post("anything", body: .stream(Pieces(["a", "b"])))
                #expect(stream.data == "ab")
            }
        }
    }

    @Test func `a String is the text and Data are the bytes of any response`() async throws {
        try await withServer { api in
            let text: String = try await api.get("robots.txt")
            #expect(text.contains("Disallow"))
            let page: String? = try await api.get("html")
            #expect(page?.contains("<html") == true)
            let bytes: Data = try await api.get("bytes/5")
            #expect(bytes.count == 5)
            let json: JSONValue = try await api.get("json")
            #expect(json["slideshow"] != nil)
            let error = try await networkingError { let _: String = try await api.get("status/500") }
            #expect(error.code == .unacceptableStatusCode)
        }
    }

    @Test func `a request made by the manager is sent under its validation`() async throws {
        try await withServer { api in
            let request = try api.request(.get, "anything", parameters: ["page": page])
            let same: Echo = try await api.send(request)
            #expect(same.query == "page=2")
            let json = try await api.send(request, as: .json)
            #expect(json["args"] == ["page": "2"])
            try await api.send(request)
            var strict = api
            strict.validation = .none.requiring { head, _, _ in
                if head.headerFields[.contentType] != nil { throw NetworkingError(.invalidRequest, "typed") }
            }
            let manager = strict
            let error = try await networkingError { try await manager.send(request) }
            #expect(error.message.contains("typed"))
        }
    }

    @Test func `streams take variables`() async throws {
        try await withServer { api in
            var count = 0
            for try await _ in api.stream("stream/3", parameters: ["page": page, "q": name]).lines { count += 1 }
            #expect(count == 3)
            let body: Data = try await api.stream(.post, "anything", body: .json(user)).collect()
            #expect(try JSONValue(parsing: body)["json"] == ["name": "Ada", "age": 36])
        }
    }

    @Test func `errors of calls are typed`() async throws {
        try await withServer { api in #expect(await code(of: api) == .unacceptableStatusCode) }
    }

    /// Switches over the code of an error. (In a closure, the compiler needs
    /// `do throws(NetworkingError)` to know the type.)
    private func code(of api: HTTPSessionManager) async -> NetworkingError.Code? {
        do {
            let _: User = try await api.get("status/404")
            return nil
        } catch {
            switch error.code {
            case .unacceptableStatusCode: return error.code
            default: return nil
            }
        }
    }

    @Test func `the settings that are changed first are one line each`() async throws {
        try await withServer { api in
            var api = api
            api.requestSerializer.timeoutInterval = .seconds(20)
            api.responseSerializer.acceptableContentTypes.insert("text/html")
            let request = try api.request(.get, "html")
            #expect(request.properties.timeoutInterval == .seconds(20))
            api.baseURL = URL(string: "https://other.example/v2")
            #expect(try api.request(.get, "users").url.absoluteString == "https://other.example/v2/users")
        }
    }

    // MARK: Closures

    @Test func `closures bring any type and take every kind of body`() async throws {
        try await withServer { api in
            var api = api
            api.completionQueue = DispatchQueue(label: "call sites")
            let manager = api
            let page = page
            let user = user
            let name: String = await withCheckedContinuation { continuation in
                manager.get("xml", as: .xmlEvents) { task, reader in
                    continuation.resume(returning: "\(task.head?.status.code ?? 0)")
                } failure: { _, error in
                    continuation.resume(returning: "\(error)")
                }
            }
            #expect(name == "200")
            let posted: User? = await withCheckedContinuation { continuation in
                manager.post("anything", body: .json(user), query: ["page": page], as: .decodable(Echo.self)) {
                    _,
                    echo in
                    continuation.resume(returning: echo.json)
                } failure: { _, _ in
                    continuation.resume(returning: nil)
                }
            }
            #expect(posted == user)
        }
    }

    @Test func `closures may be left out, and a group waits for them`() async throws {
        try await withServer { api in
            var api = api
            let group = DispatchGroup()
            let queue = DispatchQueue(label: "call sites")
            api.completionQueue = queue
            api.completionGroup = group
            let succeeded = Counter()
            let failed = Counter()
            api.get("anything", success: nil)
            api.post("anything", parameters: ["page": page]) { _, _ in succeeded.increment() }
            api.get("status/404", success: nil) { _, _ in failed.increment() }
            api.get("status/404") { _, _ in succeeded.increment() }
            api.get("anything", parameters: Parameters([1]), success: nil) { task, _ in
                if task == nil { failed.increment() }
            }
            await withCheckedContinuation { continuation in
                group.notify(queue: queue) { continuation.resume() }
            }
            #expect(succeeded.value == 1)
            #expect(failed.value == 2)
        }
    }
}
