import BluebonnetTesting
import Dispatch
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Forms that the verbs of a manager send over sockets.
@Suite(.timeLimit(.minutes(5)))
struct HTTPSessionManagerMultipartTests {
    private struct BuildFailure: Error {}

    private struct Echo: Decodable, Sendable {
        var form: [String: String]
    }

    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "{}")] }

    /// The one request that the work sends.
    private func sent(_ work: (HTTPSessionManager) async throws -> Void) async throws -> FaultServer.Request {
        try await FaultServer.run(Self.ok) { server in
            try await withSession { session in
                try await work(HTTPSessionManager(baseURL: server.baseURL, session: session))
                #expect(server.requests.count == 1)
                return try #require(server.requests.first)
            }
        }
    }

    private func parsed(_ request: FaultServer.Request) throws -> [String] {
        let type = try #require(request.value(of: "content-type"))
        let boundary = type.dropFirst("multipart/form-data; boundary=".count)
        return try ParsedMultipart(request.body, boundary: String(boundary)).parts.map { part in
            "\(part.headers.joined(separator: " | ")) | \(String(decoding: part.content, as: UTF8.self))"
        }
    }

    /// The error of work that must not reach the network.
    private func refusal(_ work: (HTTPSessionManager) async throws -> Void) async throws -> NetworkingError {
        let transport = StubTransport { _ in .json([:]) }
        return try await withSession(transport: transport) { session in
            let api = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            let error = try await networkingError { try await work(api) }
            #expect(transport.requests.isEmpty)
            return error
        }
    }

    // MARK: Sending

    @Test func `a form is sent with its length and content type, parameters first`() async throws {
        try await withDirectory { directory in
            let photo = directory.appending(path: "photo.png")
            try Data("PNG".utf8).write(to: photo)
            let request = try await sent { api in
                let parameters: Parameters = ["b": ["c": 1], "a": JSONValue.null]
                try await api.post(
                    "avatars",
                    body: .multipart(parameters: parameters) { form in
                        try form.append(fileURL: photo, name: "avatar")
                        form.append("42", name: "user")
                    }
                )
            }
            #expect(request.method == "POST" && request.target == "/avatars")
            #expect(request.values(of: "content-length") == ["\(request.body.count)"])
            #expect(request.values(of: "content-type").count == 1)
            #expect(request.value(of: "transfer-encoding") == nil)
            #expect(
                try parsed(request) == [
                    "Content-Disposition: form-data; name=\"a\" | ",
                    "Content-Disposition: form-data; name=\"b[c]\" | 1",
                    "Content-Disposition: form-data; name=\"avatar\"; filename=\"photo.png\" | Content-Type: image/png | PNG",
                    "Content-Disposition: form-data; name=\"user\" | 42",
                ]
            )
        }
    }

    @Test func `a form with a stream of unknown length is sent chunked`() async throws {
        let request = try await sent { api in
            try await api.put("x", body: .multipart { $0.append(stream: Pieces(["a", "b"]), name: "s") })
        }
        #expect(request.method == "PUT")
        #expect(request.values(of: "transfer-encoding") == ["chunked"])
        #expect(try parsed(request) == ["Content-Disposition: form-data; name=\"s\" | ab"])
    }

    @Test func `the content type of a form is its own, whatever the serializer and the call say`() async throws {
        let request = try await sent { api in
            var api = api
            api.requestSerializer = JSONRequestSerializer()
            api.requestSerializer.headerFields[.contentType] = "application/json"
            let form = RequestContent.multipart { $0.append("1", name: "n") }
            try await api.patch("x", body: form, headers: [.contentType: "text/plain", .accept: "a/b"])
        }
        #expect(request.method == "PATCH")
        #expect(request.values(of: "content-type").map { $0.hasPrefix("multipart/form-data; ") } == [true])
        #expect(request.value(of: "accept") == "a/b")
        #expect(request.value(of: "user-agent") != nil)
    }

    @Test func `a form that was made before keeps its boundary and gets the parameters in front`() async throws {
        var form = try MultipartFormData(boundary: "chosen one")
        form.append("1", name: "n")
        let ready = form
        let request = try await sent { api in
            try await api.post("x", body: .multipart(parameters: ["p": 2]) { $0 = ready })
        }
        #expect(request.value(of: "content-type") == "multipart/form-data; boundary=\"chosen one\"")
        let parts = try ParsedMultipart(request.body, boundary: "chosen one").parts
        #expect(parts.map(\.content) == [Array("2".utf8), Array("1".utf8)])
    }

    @Test func `an empty form sends the plain request`() async throws {
        let request = try await sent { api in
            try await api.post("x", body: .multipart { _ in })
        }
        #expect(request.values(of: "content-length") == ["0"])
        #expect(request.value(of: "content-type") == nil)
    }

    @Test func `responses to a form are decoded, and are returned with their head when asked`() async throws {
        try await LocalServer.run { server in
            try await withSession { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                let posted: Echo = try await api.post("post", body: .multipart { $0.append("1", name: "a") })
                let put: Echo = try await api.put("put", body: .multipart { $0.append("2", name: "a") })
                let patched: Echo = try await api.patch("patch", body: .multipart { $0.append("3", name: "a") })
                #expect([posted, put, patched].map(\.form) == [["a": "1"], ["a": "2"], ["a": "3"]])
                let form = RequestContent.multipart { $0.append("4", name: "a") }
                let response = try await api.response(.delete, "delete", body: form, as: .json)
                #expect(response.status == .ok)
                #expect(response.value["form"] == ["a": "4"])
            }
        }
    }

    @Test func `the task of a form counts the bytes that are sent`() async throws {
        try await FaultServer.run(Self.ok) { server in
            try await withSession { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                let form = RequestContent.multipart { $0.append(Data(repeating: 1, count: 3_000_000), name: "n") }
                let task = try api.dataTask(.post, "x", body: form, as: .data)
                #expect(task.state == .suspended)
                task.resume()
                _ = try await task.value
                let length = try #require(server.requests.first?.body.count)
                #expect(length > 3_000_000)
                #expect(task.currentProgress.upload.completed == length)
                #expect(task.originalRequest.body?.length == length)
            }
        }
    }

    @Test func `a form sent from a file is the same form`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "form")
            let request = try await sent { api in
                let request = try await api.request(.post, "x", parameters: ["p": 1], writingTo: file) {
                    $0.append(stream: Pieces(["ab"]), name: "s")
                }
                _ = try await api.session.data(for: request)
            }
            #expect(request.values(of: "content-length") == ["\(request.body.count)"])
            #expect(
                try parsed(request) == [
                    "Content-Disposition: form-data; name=\"p\" | 1", "Content-Disposition: form-data; name=\"s\" | ab",
                ]
            )
            #expect(try Data(contentsOf: file) == Data(request.body))
        }
    }

    // MARK: Closures

    @Test func `the closure form reports progress and success on its queue`() async throws {
        try await LocalServer.run { server in
            await withSession { session in
                var api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                let queue = DispatchQueue(label: "multipart closures")
                api.completionQueue = queue
                let progressed = Counter()
                let value: JSONValue = await withCheckedContinuation { continuation in
                    api.post(
                        "post",
                        parameters: ["p": 1],
                        constructingBodyWith: { $0.append("2", name: "n") },
                        progress: { _ in
                            dispatchPrecondition(condition: .onQueue(queue))
                            progressed.increment()
                        },
                        success: { _, value in
                            dispatchPrecondition(condition: .onQueue(queue))
                            continuation.resume(returning: value)
                        },
                        failure: { _, _ in continuation.resume(returning: nil) }
                    )
                }
                #expect(value["form"] == ["p": "1", "n": "2"])
                #expect(progressed.value > 0)
            }
        }
    }

    @Test func `a form that cannot be made calls the failure closure without a task`() async throws {
        await withSession(transport: StubTransport { _ in .json([:]) }) { session in
            var api = HTTPSessionManager(baseURL: "http://example.com/", session: session)
            api.completionQueue = DispatchQueue(label: "multipart closures")
            let (task, error) = await withCheckedContinuation { continuation in
                let started = api.put(
                    "x",
                    constructingBodyWith: { _ in throw BuildFailure() },
                    success: { _, _ in fatalError("there is no success") },
                    failure: { continuation.resume(returning: ($0, $1)) }
                )
                #expect(started == nil)
            }
            #expect(task == nil)
            #expect(error.code == .requestSerializationFailed)
            #expect(error.underlying is BuildFailure)
        }
    }

    // MARK: Refusals

    @Test(arguments: ["GET", "HEAD", "get"]) func `a form is refused for a method without a body`(method: String)
        async throws
    {
        let method = try #require(HTTPRequest.Method(method))
        let error = try await refusal { api in
            _ = try await api.response(method, "x", body: .multipart { $0.append("1", name: "n") }, as: .data)
        }
        #expect(error.code == .requestSerializationFailed)
        #expect(error.message.contains(method.rawValue.uppercased()))
        let empty = try await refusal { _ = try await $0.response(method, "x", body: .multipart { _ in }, as: .data) }
        #expect(empty.code == .requestSerializationFailed)
    }

    @Test func `an error of the form's closure, or a bad part, ends the call before anything is sent`() async throws {
        let own = try await refusal { try await $0.post("x", body: .multipart { _ in throw BuildFailure() }) }
        #expect(own.code == .requestSerializationFailed && own.underlying is BuildFailure)
        let file = try await refusal { api in
            try await api.post(
                "x",
                body: .multipart { try $0.append(fileURL: URL(filePath: "/nonexistent"), name: "f") }
            )
        }
        #expect(file.code == .requestBodyFailed)
        #expect(file.request?.url.path() == "/x")
        let name = try await refusal { try await $0.post("x", body: .multipart { $0.append("1", name: "a\r\nb") }) }
        #expect(name.code == .requestSerializationFailed)
        let keyless = try await refusal {
            try await $0.post("x", body: .multipart(parameters: Parameters([1])) { $0.append("1", name: "a") })
        }
        #expect(keyless.code == .requestSerializationFailed)
        let cancelled = try await refusal {
            try await $0.post("x", body: .multipart { _ in throw CancellationError() })
        }
        #expect(cancelled.code == .cancelled)
    }

    // MARK: Faults on the way

    private func failure(_ build: @escaping @Sendable (inout MultipartFormData) throws -> Void) async throws
        -> NetworkingError
    {
        try await FaultServer.run([.readRequest, .respond(body: "{}")]) { server in
            try await withSession { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                let error = try await networkingError { try await api.post("x", body: .multipart(build)) }
                try await server.waitUntilClosed(connection: 0)
                #expect(server.requests.isEmpty)
                return error
            }
        }
    }

    @Test(arguments: [2, 4]) func `a form stream of another length than declared stops the upload`(length: Int)
        async throws
    {
        let error = try await failure { form in
            form.append(stream: Pieces(["abc"]), name: "the stream", length: length)
        }
        #expect(error.code == .requestBodyLengthMismatch)
        #expect(error.message.contains("the stream"))
    }

    @Test func `a form stream that fails stops the upload`() async throws {
        let error = try await failure { $0.append(stream: Pieces(["a"], error: Pieces.Broken()), name: "s") }
        #expect(error.code == .requestBodyFailed)
        #expect(error.message.contains("“s”"))
        #expect(error.underlying is Pieces.Broken)
    }

    // MARK: Redirects

    private static let redirect = FaultServer.Script.requests { request in
        request.target == "/x"
            ? [.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n")]
            : [.respond(body: "{}")]
    }

    @Test func `a redirect that keeps the method sends the same form again`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            try Data(repeating: 9, count: 200_000).write(to: file)
            try await FaultServer.run(Self.redirect) { server in
                try await withSession { session in
                    let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                    try await api.post(
                        "x",
                        body: .multipart(parameters: ["p": 1]) { form in
                            try form.append(fileURL: file, name: "f")
                            form.append(name: "s") { Pieces(["ab"]) }
                        }
                    )
                    #expect(server.requests.map(\.target) == ["/x", "/y"])
                    #expect(server.requests.first?.body == server.requests.last?.body)
                    #expect(server.requests.last?.body.count ?? 0 > 200_000)
                    #expect(server.requests.map(\.method) == ["POST", "POST"])
                }
            }
        }
    }

    @Test func `a redirect of a form that can be sent only once is a clear error`() async throws {
        try await FaultServer.run(Self.redirect) { server in
            try await withSession { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                let error = try await networkingError {
                    try await api.post("x", body: .multipart { $0.append(stream: Pieces(["ab"]), name: "s") })
                }
                #expect(error.code == .requestBodyNotReplayable)
                #expect(server.requests.map(\.target) == ["/x"])
            }
        }
    }

    // MARK: Sending again after a 401

    /// Sends a request again with a token after a 401.
    private struct Authorizing: Interceptor {
        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            let response = try await next(request)
            guard response.head.status == .unauthorized else { return response }
            var authorized = request
            authorized.headerFields[.authorization] = "Bearer token"
            return try await next(authorized)
        }
    }

    private static let guarded = FaultServer.Script.requests { request in
        request.value(of: "authorization") == nil
            ? [.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")]
            : [.respond(body: "{}")]
    }

    @Test func `an interceptor that retries after a 401 sends the same form again`() async throws {
        try await FaultServer.run(Self.guarded) { server in
            var configuration = SessionConfiguration()
            configuration.interceptors = [Authorizing()]
            try await withSession(configuration) { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                try await api.post(
                    "x",
                    body: .multipart(parameters: ["p": 1]) { form in
                        form.append(Data(repeating: 9, count: 100_000), name: "d")
                        form.append(name: "s") { Pieces(["ab"]) }
                    }
                )
                #expect(server.requests.map { $0.value(of: "authorization") } == [nil, "Bearer token"])
                #expect(server.requests.first?.body == server.requests.last?.body)
                #expect(server.requests.last?.body.count ?? 0 > 100_000)
                let error = try await networkingError {
                    try await api.post("x", body: .multipart { $0.append(stream: Pieces(["ab"]), name: "s") })
                }
                #expect(error.code == .requestBodyNotReplayable)
            }
        }
    }
}
