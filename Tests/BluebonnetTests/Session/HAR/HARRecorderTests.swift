import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The HTTP archives of real exchanges, read again by Foundation.
@Suite(.timeLimit(.minutes(5)))
struct HARRecorderTests {
    private typealias Object = [String: Any]

    /// The entries of an archive after requests, with what must hold for each of them.
    private static func entries(
        options: HAROptions = HAROptions(),
        _ configuration: SessionConfiguration = SessionConfiguration(),
        _ body: (SessionManager) async throws -> Void
    ) async throws -> [Object] {
        let recorder = HARRecorder(options: options)
        var configuration = configuration
        configuration.observers = [recorder]
        try await withSession(configuration) { try await body($0) }
        let root = try #require(try JSONSerialization.jsonObject(with: recorder.log.data()) as? Object)
        let log = try #require(root["log"] as? Object)
        #expect(log["version"] as? String == "1.2")
        #expect((log["creator"] as? Object)?["name"] as? String == "Bluebonnet")
        let entries = try #require(log["entries"] as? [Object])
        #expect(entries.count == recorder.log.entryCount)
        for entry in entries { try check(entry) }
        return entries
    }

    /// The members that HAR 1.2 asks for, and its arithmetic.
    private static func check(_ entry: Object) throws {
        let started = try #require(entry["startedDateTime"] as? String)
        let date = try Date(started, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(abs(date.timeIntervalSinceNow) < 60)
        let timings = try #require(entry["timings"] as? [String: Double])
        #expect(Set(timings.keys) == ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"])
        #expect(timings.values.allSatisfy { $0 == -1 || $0 >= 0 })
        for name in ["send", "wait", "receive"] { #expect(timings[name] ?? -1 >= 0) }
        let sum = timings.filter { $0.key != "ssl" }.values.reduce(0) { $0 + max($1, 0) }
        let time = try #require(entry["time"] as? Double)
        #expect(abs(sum - time) < 0.0005)
        if let ssl = timings["ssl"], ssl >= 0 { #expect(timings["connect"] ?? -1 >= ssl) }
        let request = try #require(entry["request"] as? Object)
        #expect(
            Set(request.keys).isSuperset(of: [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ])
        )
        let response = try #require(entry["response"] as? Object)
        #expect(
            Set(response.keys).isSuperset(of: [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ])
        )
        #expect(entry["cache"] is Object)
    }

    private static func member(_ object: Object, _ path: String...) -> Any? {
        var value: Any? = object
        for name in path { value = (value as? Object)?[name] }
        return value
    }

    private static func pairs(_ value: Any?) -> [String: String] {
        let objects = value as? [Object] ?? []
        return Dictionary(objects.map { ($0["name"] as? String ?? "", $0["value"] as? String ?? "") }) { $1 }
    }

    // MARK: Entries

    @Test func `an archive has an entry for each request, redirects included`() async throws {
        try await LocalServer.run { server in
            let entries = try await Self.entries { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/redirect/2"))
                _ = try await session.data(for: Request(to: server.baseURL + "/get?a=1&b=two+words&a=%C3%BC"))
            }
            #expect(entries.map { Self.member($0, "response", "status") as? Int } == [302, 302, 200, 200])
            #expect((Self.member(entries[0], "response", "redirectURL") as? String)?.contains("redirect/1") == true)
            let query = try #require(Self.member(entries[3], "request", "queryString") as? [[String: String]])
            #expect(query.map { $0["name"] } == ["a", "b", "a"])
            #expect(query.map { $0["value"] } == ["1", "two words", "ü"])
            #expect(Self.member(entries[3], "response", "httpVersion") as? String == "HTTP/1.1")
            #expect(entries[3]["serverIPAddress"] as? String == "127.0.0.1")
            #expect(Set(entries.map { $0["_connectionId"] as? String }).count == 1)
            let (first, last) = (entries[0]["timings"] as? [String: Double], entries[3]["timings"] as? [String: Double])
            #expect(first?["connect"] ?? -1 >= 0 && last?["connect"] == -1)
            #expect(last?["dns"] == -1 && last?["ssl"] == -1)
        }
    }

    @Test func `the connection is the port of the server, as the developer tools of Chromium read it`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            let entries = try await Self.entries { session in
                _ = try await session.data(for: Request(to: server.baseURL))
            }
            #expect(entries[0]["connection"] as? String == String(server.port))
            #expect((entries[0]["_connectionId"] as? String).flatMap { Int($0) } != nil)
        }
    }

    @Test func `the header fields are those that were sent, also those that the engine adds`() async throws {
        try await LocalServer.run { server in
            let url = server.baseURL + "/anything"
            let pieces = AsyncStream { continuation in
                continuation.yield(Data("hello".utf8))
                continuation.finish()
            }
            let entries = try await Self.entries { session in
                _ = try await session.data(for: Request(to: url))
                _ = try await session.data(for: Request(.post, to: url, body: .data(Data("hello".utf8))))
                _ = try await session.data(for: Request(.post, to: url, body: .stream(pieces)))
                let host = try #require(HTTPField.Name("Host"))
                _ = try await session.data(for: Request(to: url, headerFields: [host: "example.org"]))
            }
            let fields = entries.map { Self.pairs(Self.member($0, "request", "headers")) }
            #expect(
                fields.map { $0["Host"] } == Array(
                    repeating: String(server.baseURL.dropFirst("http://".count)),
                    count: 3
                ) + ["example.org"]
            )
            #expect(fields.map { $0["Content-Length"] } == [nil, "5", nil, nil])
            #expect(fields.map { $0["Transfer-Encoding"] } == [nil, nil, "chunked", nil])
            for (entry, fields) in zip(entries, fields) {
                let lines = fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 }
                let method = Self.member(entry, "request", "method") as? String ?? ""
                #expect(
                    Self.member(entry, "request", "headersSize") as? Int == method.count
                        + " /anything HTTP/1.1\r\n\r\n".utf8.count + lines
                )
            }
        }
    }

    @Test func `a handshake is a part of the time to connect`() async throws {
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(certificates.localhost))
        try await FaultServer.run([.readRequest, .respond(body: "ok")], options: options) { server in
            let trusting = SessionConfiguration(trusting: certificates.authority) { _ in }
            let entries = try await Self.entries(trusting) { session in
                _ = try await session.data(for: Request(to: "https://localhost:\(server.port)/"))
            }
            let timings = try #require(entries[0]["timings"] as? [String: Double])
            #expect(timings["ssl"] ?? -1 > 0 && timings["dns"] ?? -1 >= 0)
        }
    }

    @Test func `the sizes are those of the wire, and the compression is what was saved`() async throws {
        try await LocalServer.run { server in
            let entries = try await Self.entries { session in
                _ = try await session.data(for: Request(to: server.baseURL + "/gzip"))
            }
            let content = try #require(Self.member(entries[0], "response", "content") as? Object)
            let (size, saved) = (content["size"] as? Int ?? 0, content["compression"] as? Int ?? 0)
            #expect((content["text"] as? String)?.utf8.count == size)
            #expect(Self.member(entries[0], "response", "bodySize") as? Int == size - saved)
            #expect(Self.member(entries[0], "response", "headersSize") as? Int ?? 0 > 0)
            #expect(Self.member(entries[0], "request", "headersSize") as? Int ?? 0 > 0)
            #expect(Self.member(entries[0], "request", "bodySize") as? Int == 0)
        }
    }

    @Test func `a body without a content coding has no compression, however it is framed`() async throws {
        let body = "5\r\nhello\r\n0\r\n\r\n"
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head + body)]) { server in
            let entries = try await Self.entries { session in
                _ = try await session.data(for: Request(to: server.baseURL))
            }
            let content = try #require(Self.member(entries[0], "response", "content") as? Object)
            #expect(content["compression"] == nil && content["size"] as? Int == 5)
            #expect(Self.member(entries[0], "response", "bodySize") as? Int == body.utf8.count)
        }
    }

    @Test func `a body belongs to the last response only where the result is that response`() async throws {
        /// Tries again after a 500, and keeps the first response where that fails.
        struct KeepFirst: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                let first = try await next(request)
                return (try? await next(request)) ?? first
            }
        }
        /// Takes its own body for a 304.
        struct Stored: Interceptor {
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                let response = try await next(request)
                guard response.head.status.code == 304 else { return response }
                let head = ResponseHead(status: .ok)
                return TransportResponse(head: head, body: .data(Data("stored".utf8)), request: request)
            }
        }
        let script: FaultServer.Script = [.readRequest, .respond(500, body: "first"), .readRequest, .close]
        try await FaultServer.run(script) { server in
            let entries = try await Self.entries(SessionConfiguration { $0.interceptors = [KeepFirst()] }) { session in
                let request = try Request(.post, to: server.baseURL, body: .string("x"))
                _ = try await session.data(for: request)
            }
            #expect(entries.count == 2)
            #expect(Self.member(entries[1], "response", "content", "text") == nil)
        }
        let unchanged = "HTTP/1.1 304 Not Modified\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(unchanged)]) { server in
            let entries = try await Self.entries(SessionConfiguration { $0.interceptors = [Stored()] }) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
            }
            #expect(Self.member(entries[0], "response", "status") as? Int == 304)
            #expect(Self.member(entries[0], "response", "content", "text") == nil)
            #expect(Self.member(entries[0], "response", "content", "size") as? Int == 0)
        }
    }

    @Test func `a size that a transport of the user's does not tell is -1, or that of the body`() async throws {
        struct Streaming: Transport {
            func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
                let pieces = AsyncStream { continuation in
                    continuation.yield(Data("four".utf8))
                    continuation.finish()
                }
                return TransportResponse(head: ResponseHead(status: .ok), body: .stream(pieces), request: request)
            }
        }
        let recorder = HARRecorder()
        try await withSession(SessionConfiguration { $0.observers = [recorder] }, transport: Streaming()) { session in
            let pieces = AsyncStream<Data> { $0.finish() }
            let request = try Request(.post, to: "http://test.example/", body: .stream(pieces))
            _ = try await session.data(for: request)
        }
        let entry = try #require(recorder.log.json["log"]?["entries"]?[0])
        #expect(entry["request"]?["bodySize"]?.int == -1)
        #expect(entry["response"]?["bodySize"]?.int == -1)
        #expect(entry["response"]?["content"]?["size"]?.int == 4)
        #expect(entry["response"]?["content"]?["text"]?.string == "four")
    }

    @Test func `a binary body is in base64, and a text as it is`() async throws {
        let bytes: [UInt8] = [0, 255, 254, 10]
        let script: FaultServer.Script = [
            .readRequest, .respond(headers: [("Content-Type", "image/x-test")], bytes: bytes), .startOver,
        ]
        try await FaultServer.run(script) { server in
            let entries = try await Self.entries { session in
                let body = RequestBody.data(Data([255, 0]))
                _ = try await session.data(for: Request(.post, to: server.baseURL, body: body))
                _ = try await session.data(for: Request(.post, to: server.baseURL, body: .string("grün")))
            }
            let content = try #require(Self.member(entries[0], "response", "content") as? Object)
            #expect(content["encoding"] as? String == "base64" && content["mimeType"] as? String == "image/x-test")
            #expect(Data(base64Encoded: content["text"] as? String ?? "") == Data(bytes))
            #expect(
                Self.member(entries[0], "request", "postData", "text") as? String
                    == Data([255, 0]).base64EncodedString()
            )
            #expect(Self.member(entries[1], "request", "postData", "text") as? String == "grün")
            #expect(Self.member(entries[1], "request", "bodySize") as? Int == 5)
        }
    }

    @Test func `a body beyond the limit is left out, and its size is not`() async throws {
        var options = HAROptions()
        options.bodyLimit = 4
        try await FaultServer.run([.readRequest, .respond(body: "12345")]) { server in
            let entries = try await Self.entries(options: options) { session in
                let body = RequestBody.string("12345")
                _ = try await session.data(for: Request(.post, to: server.baseURL, body: body))
            }
            let content = try #require(Self.member(entries[0], "response", "content") as? Object)
            #expect(content["text"] == nil && content["size"] as? Int == 5)
            #expect(Self.member(entries[0], "request", "postData", "text") as? String == "")
        }
    }

    // MARK: Failures

    @Test func `a request that failed has an entry with its error and no status`() async throws {
        let port = FaultServer.unusedPort
        let entries = try await Self.entries { session in
            _ = try? await session.data(for: Request(to: "http://127.0.0.1:\(port)/"))
        }
        #expect(Self.member(entries[0], "response", "status") as? Int == 0)
        #expect(Self.member(entries[0], "response", "_error") as? String == "connect-failed")
        #expect(entries[0]["connection"] == nil && entries[0]["_connectionId"] == nil)
        #expect(Self.pairs(Self.member(entries[0], "request", "headers"))["Host"] == nil)
        let timings = try #require(entries[0]["timings"] as? [String: Double])
        #expect(timings["connect"] ?? -1 >= 0 && timings["send"] == 0)
    }

    @Test func `the body of a refused response is recorded`() async throws {
        try await FaultServer.run([.readRequest, .respond(422, body: "why")]) { server in
            let entries = try await Self.entries { session in
                let api = HTTPSessionManager(baseURL: URL(string: server.baseURL), session: session)
                _ = try? await api.get("/", as: .data)
            }
            #expect(Self.member(entries[0], "response", "content", "text") as? String == "why")
        }
    }

    // MARK: Secrets

    private static let secretive: FaultServer.Script = [
        .readRequest,
        .respond(
            headers: [
                ("Set-Cookie", "sid=abc; Path=/; HttpOnly; Secure; Expires=Sun, 06 Nov 1994 08:49:37 GMT"),
                ("X-Api-Key", "topsecret"), ("X-Plain", "plain"),
            ],
            body: "ok"
        ),
    ]

    private static func secretRequest(_ server: FaultServer) throws -> Request {
        var request = try Request(
            .post,
            to: "http://user:pw1@127.0.0.1:\(server.port)/?token=topsecret&page=2#part",
            headerFields: [.authorization: "Bearer topsecret", .cookie: "a=topsecret; b=2"],
            body: .string("password=topsecret&name=x")
        )
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        return request
    }

    @Test func `secrets are left out by default`() async throws {
        try await FaultServer.run(Self.secretive) { server in
            let recorder = HARRecorder()
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                _ = try await session.data(for: Self.secretRequest(server))
            }
            let text = String(decoding: recorder.log.data(), as: UTF8.self)
            #expect(!text.contains("topsecret") && !text.contains("pw1") && !text.contains("abc"))
            let entry = try #require(recorder.log.json["log"]?["entries"]?[0])
            #expect(entry["request"]?["url"]?.string?.hasSuffix("/?token=REDACTED&page=2") == true)
            #expect(entry["request"]?["postData"]?["text"]?.string == "password=REDACTED&name=x")
            #expect(entry["request"]?["cookies"]?[1]?["name"]?.string == "b")
            #expect(entry["response"]?["cookies"]?[0]?["value"]?.string == "REDACTED")
            #expect(entry["response"]?["cookies"]?[0]?["httpOnly"]?.bool == true)
            #expect(entry["response"]?["cookies"]?[0]?["expires"]?.string == "1994-11-06T08:49:37.000Z")
            #expect(text.contains("Bearer REDACTED") && text.contains("plain"))
        }
    }

    @Test func `secrets are recorded where that is wanted, but never those that are named`() async throws {
        var options = HAROptions()
        options.redactsSecrets = false
        options.redactedNames = ["x-plain"]
        try await FaultServer.run(Self.secretive) { server in
            let entries = try await Self.entries(options: options) { session in
                _ = try await session.data(for: Self.secretRequest(server))
            }
            let headers = Self.pairs(Self.member(entries[0], "request", "headers"))
            #expect(headers["Authorization"] == "Bearer topsecret")
            #expect(Self.pairs(Self.member(entries[0], "request", "cookies")) == ["a": "topsecret", "b": "2"])
            #expect(Self.pairs(Self.member(entries[0], "request", "postData", "params"))["password"] == "topsecret")
            let answered = Self.pairs(Self.member(entries[0], "response", "headers"))
            #expect(answered["X-Plain"] == "REDACTED" && answered["X-Api-Key"] == "topsecret")
        }
    }

    // MARK: The recorder

    @Test func `the oldest tasks are forgotten beyond the limit of entries`() async throws {
        var options = HAROptions()
        options.entryLimit = 3
        try await FaultServer.run([.readRequest, .respond(body: "ok"), .startOver]) { server in
            let entries = try await Self.entries(options: options) { session in
                for number in 0..<10 {
                    _ = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                }
            }
            let urls = entries.compactMap { Self.member($0, "request", "url") as? String }
            #expect(urls == (7..<10).map { server.baseURL + "/\($0)" })
        }
    }

    @Test func `an archive is written to a file`() async throws {
        try await withDirectory { directory in
            let recorder = HARRecorder()
            let file = directory.appending(path: "a.har")
            try recorder.log.write(to: file)
            #expect(try Data(contentsOf: file) == recorder.log.data())
            #expect("\(recorder.log)" == "HAR 1.2, 0 entries")
        }
    }

    // MARK: Observers

    /// Keeps all reports.
    private final class Reports: TaskObserver {
        private let log = EventLog<TaskReport>()

        func taskDidEnd(_ report: TaskReport) { log.append(report) }

        var all: [TaskReport] { log.events }
    }

    @Test func `each task that had begun is reported once, with its body or its error`() async throws {
        let reports = Reports()
        try await FaultServer.run([.readRequest, .respond(body: "ok"), .readRequest, .close]) { server in
            try await withSession(SessionConfiguration { $0.observers = [reports] }) { session in
                let unstarted = try session.dataTask(for: Request(to: server.baseURL))
                unstarted.cancel()
                _ = try await session.data(for: Request(to: server.baseURL + "/a"))
                let request = try Request(.post, to: server.baseURL, body: .string("x"))
                _ = try? await session.dataTask(for: request).value
            }
        }
        #expect(reports.all.count == 2)
        #expect(reports.all[0].body == Data("ok".utf8) && reports.all[0].error == nil)
        #expect(reports.all[1].error?.code == .connectionLost)
        #expect(reports.all.allSatisfy { $0.metrics.duration != nil && $0.metrics.transactionCount == 1 })
    }
}
