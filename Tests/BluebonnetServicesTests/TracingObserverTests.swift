#if Tracing
    import Bluebonnet
    import BluebonnetServices
    import Foundation
    import HTTPTypes
    import InMemoryTracing
    import LocalServer
    import Testing
    import Tracing

    @Suite(.timeLimit(.minutes(5)))
    struct TracingObserverTests {
        private let tracer = TraceparentTracer()

        private var configuration: SessionConfiguration {
            SessionConfiguration { $0.observers = [TracingObserver(tracer: tracer)] }
        }

        private var ended: [FinishedInMemorySpan] { tracer.spans.finishedSpans }

        /// An attribute in words.
        private func value(_ name: String, _ span: FinishedInMemorySpan) -> String? {
            switch span.attributes.get(name) {
            case .string(let text): text
            case .int64(let number): String(number)
            default: nil
            }
        }

        /// Runs the body in a span, and returns that.
        private func inSpan(_ body: () async throws -> Void) async throws -> FinishedInMemorySpan {
            try await tracer.withSpan("caller") { _ in try await body() }
            return try #require(ended.last { $0.operationName == "caller" })
        }

        // MARK: Spans

        @Test func `a request is a client span in the span of its caller, and the server sees its context`()
            async throws
        {
            try await LocalServer.run { server in
                let caller = try await inSpan {
                    try await withAPI(at: server.baseURL, configuration) { api in
                        let echo = try await api.get("get", parameters: ["page": 2], as: .json)
                        let seen = echo["headers"]?["traceparent"] ?? echo["headers"]?["Traceparent"]
                        #expect(seen?.string == ended.first.map { TraceparentTracer.traceparent($0.spanContext) })
                    }
                }
                #expect(ended.count == 2)
                let span = try #require(ended.first)
                #expect(span.operationName == "GET" && span.kind == .client && span.status == nil)
                #expect(span.parentSpanID == caller.spanID && span.traceID == caller.traceID)
                var shown: [String: String] = [:]
                span.attributes.forEach { name, _ in shown[name] = value(name, span) }
                let port = try #require(URL(string: server.baseURL)?.port)
                #expect(
                    shown == [
                        "http.request.method": "GET", "http.response.status_code": "200",
                        "url.full": "\(server.baseURL)/get?page=2", "server.address": "127.0.0.1",
                        "server.port": "\(port)", "network.peer.address": "127.0.0.1", "network.peer.port": "\(port)",
                        "network.protocol.version": "1.1",
                    ]
                )
            }
        }

        @Test func `each hop of a redirect is a span, beside the other`() async throws {
            let script = FaultServer.Script.requests { request in
                request.target == "/a" ? [.respond(302, headers: [("Location", "/b")])] : [.respond(body: "ok")]
            }
            try await FaultServer.run(script) { server in
                let caller = try await inSpan {
                    try await withSession(configuration) { session in
                        _ = try await session.data(for: Request(.post, to: server.baseURL + "/a"))
                    }
                }
                let spans = ended.filter { $0.kind == .client }
                #expect(spans.map(\.operationName) == ["POST", "GET"])
                #expect(spans.map(\.parentSpanID) == [caller.spanID, caller.spanID])
                #expect(spans.map { value("http.request.resend_count", $0) } == [nil, "1"])
                #expect(spans.map { value("http.response.status_code", $0) } == ["302", "200"])
                #expect(spans.map(\.status) == [nil, nil])
                let contexts = spans.map { TraceparentTracer.traceparent($0.spanContext) }
                #expect(server.requests.map { $0.value(of: "traceparent") } == contexts)
            }
        }

        @Test func `each retry is a span`() async throws {
            struct Retry: Interceptor {
                func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws
                    -> TransportResponse
                {
                    let response = try await next(request)
                    guard response.head.status == .serviceUnavailable else { return response }
                    await response.body.discard()
                    return try await next(request)
                }
            }
            var configuration = configuration
            configuration.interceptors = [Retry()]
            let script: FaultServer.Script = [.readRequest, .respond(503), .readRequest, .respond(body: "ok")]
            try await FaultServer.run(script) { server in
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(Set(server.requests.map { $0.value(of: "traceparent") }).count == 2)
            }
            #expect(ended.map { value("http.response.status_code", $0) } == ["503", "200"])
            #expect(ended.map { value("error.type", $0) } == ["503", nil])
            #expect(ended.map { value("http.request.resend_count", $0) } == [nil, "1"])
        }

        @Test func `the parent is the context of the code that made the task, and not of the code that started it`()
            async throws
        {
            try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                let request = try Request(to: server.baseURL)
                try await withSession(configuration) { session in
                    let task = tracer.withSpan("maker") { _ in session.dataTask(for: request) }
                    try await tracer.withSpan("starter") { _ in
                        task.resume()
                        _ = try await task.value
                    }
                    let other = session.dataTask(for: request)
                    try await tracer.withSpan("second starter") { _ in _ = try await other.value }
                }
            }
            let spans = ended.filter { $0.kind == .client }
            let names = spans.map { span in ended.first { $0.spanID == span.parentSpanID }?.operationName }
            #expect(names == ["maker", "second starter"])
        }

        @Test func `a field of the caller gives way to the context of the span, and others stay`() async throws {
            try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
                try await withSession(configuration) { session in
                    let name = try #require(HTTPField.Name("Traceparent"))
                    _ = try await session.data(
                        for: Request(to: server.baseURL, headerFields: [name: "mine", .accept: "a/b"])
                    )
                }
                let request = try #require(server.requests.first)
                #expect(request.value(of: "Accept") == "a/b")
                #expect(
                    request.value(of: "traceparent")
                        == ended.first.map { TraceparentTracer.traceparent($0.spanContext) }
                )
            }
        }

        @Test func `without a tracer, requests are sent as they are`() async throws {
            try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
                try await withSession(SessionConfiguration { $0.observers = [TracingObserver(tracer: NoOpTracer())] }) {
                    session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(server.requests.first?.value(of: "traceparent") == nil)
            }
        }

        // MARK: Attributes

        @Test func `an unknown method is an attribute, and not the name of the span`() async throws {
            try await FaultServer.run([.readRequest, .respond()]) { server in
                try await withSession(configuration) { session in
                    let method = try #require(HTTPRequest.Method("PURGE"))
                    _ = try await session.data(for: Request(method, to: server.baseURL))
                }
            }
            let span = try #require(ended.first)
            #expect(span.operationName == "HTTP" && value("http.request.method", span) == "_OTHER")
            #expect(value("http.request.method_original", span) == "PURGE")
        }

        @Test func `neither credentials nor secrets of the query are in a span`() async throws {
            try await FaultServer.run([.readRequest, .respond(404)]) { server in
                try await withSession(configuration) { session in
                    let url = server.baseURL.replacing("http://", with: "http://ada:lovelace@")
                    let fields: HTTPFields = [.authorization: "Bearer t0psecret"]
                    let query = "/a?page=2&api_key=t0psecret&X-Goog-Signature=t0psecret#t0psecret"
                    _ = try await session.data(for: Request(to: url + query, headerFields: fields))
                }
                let span = try #require(ended.first)
                let expected = "\(server.baseURL)/a?page=2&api_key=REDACTED&X-Goog-Signature=REDACTED"
                #expect(value("url.full", span) == expected)
                #expect(!"\(span)".contains("t0psecret") && !"\(span)".contains("lovelace"))
            }
        }

        @Test func `a Unix-domain socket is the address of the server and of the peer`() async throws {
            let path = "/tmp/bluebonnet-\(UInt64.random(in: 0 ... .max)).sock"
            try await FaultServer.run([.readRequest, .respond()], options: .init(socketPath: path)) { _ in
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: "http+unix://\(path.replacing("/", with: "%2F"))/a"))
                }
            }
            let span = try #require(ended.first)
            #expect(value("server.address", span) == path && value("server.port", span) == nil)
            #expect(value("network.peer.address", span) == path)
        }

        // MARK: Ends

        @Test(arguments: [400, 404, 500])
        func `a status from 400 on is an error`(status: Int) async throws {
            try await FaultServer.run([.readRequest, .respond(status)]) { server in
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
            }
            let span = try #require(ended.first)
            #expect(span.status?.code == .error && span.status?.message == nil)
            #expect(value("error.type", span) == "\(status)")
        }

        @Test func `a server that cannot be reached is an error, with its message`() async throws {
            try await withSession(configuration) { session in
                let request = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/a?token=t0psecret")
                _ = try await networkingError { try await session.data(for: request) }
            }
            #expect(ended.count == 1 && tracer.spans.activeSpans.isEmpty)
            let span = try #require(ended.first)
            #expect(span.status?.code == .error && span.status?.message?.isEmpty == false)
            #expect(value("error.type", span) == "connect-failed" && value("http.response.status_code", span) == nil)
            #expect(!"\(span)".contains("t0psecret"))
        }

        @Test func `a span of a stream ends with its body`() async throws {
            let gate = FaultGate()
            let script: FaultServer.Script = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .hold(gate), .send("rest"),
            ]
            try await FaultServer.run(script) { server in
                try await withSession(configuration) { session in
                    let response = try await session.open(Request(to: server.baseURL))
                    #expect(ended.isEmpty && tracer.spans.activeSpans.count == 1)
                    gate.open()
                    for try await _ in response.body {}
                    #expect(ended.count == 1 && tracer.spans.activeSpans.isEmpty)
                }
            }
            #expect(ended.count == 1 && ended[0].status == nil)
        }

        @Test func `a stream that is left unread is no error`() async throws {
            let script: FaultServer.Script = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), .stall,
            ]
            try await FaultServer.run(script) { server in
                try await withSession(configuration) { session in
                    _ = try await session.open(Request(to: server.baseURL))
                    try await until("the end") { ended.count == 1 }
                }
            }
            #expect(ended.count == 1 && ended[0].status == nil && value("error.type", ended[0]) == nil)
        }

        @Test func `a task that is cancelled ends its span once`() async throws {
            try await FaultServer.run([.readRequest, .stall]) { server in
                try await withSession(configuration) { session in
                    let task = session.dataTask(for: try Request(to: server.baseURL))
                    task.resume()
                    try await server.waitForRequests(1)
                    task.cancel()
                    _ = try await networkingError { try await task.value }
                }
            }
            #expect(ended.count == 1 && tracer.spans.activeSpans.isEmpty)
            #expect(value("error.type", ended[0]) == "cancelled")
        }

        /// Where a request is when its task is stopped.
        enum Place: CaseIterable {
            case waiting, suspended, sent, body, handedOver, silent
        }

        @Test(arguments: Place.allCases, [true, false])
        func `a span ends wherever its request is when the task, or the session, ends`(place: Place, isShutdown: Bool)
            async throws
        {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"
            let script = FaultServer.Script.requests { request in
                request.target == "/body" ? [.send(head), .stall] : [.stall]
            }
            try await withDirectory { directory in
                try await FaultServer.run(script) { server in
                    var configuration = configuration
                    configuration.maximumConnectionsPerHost = place == .waiting ? 1 : 6
                    if place == .handedOver {
                        configuration.hooks.dataTaskDidReceiveResponse = { _, _ in
                            .becomeDownload(to: directory.appending(path: "a"))
                        }
                    }
                    if place == .silent { configuration.timeouts.betweenBytes = .milliseconds(100) }
                    try await withSession(configuration) { session in
                        let path = place == .waiting || place == .sent ? "/" : "/body"
                        let tasks = try (0..<2).map { _ in session.dataTask(for: try Request(to: server.baseURL + path))
                        }
                        for task in tasks {
                            task.resume()
                            if place == .suspended { task.suspend() }
                        }
                        switch place {
                        case .waiting: try await until("one waits") { tracer.spans.activeSpans.count == 2 }
                        case .suspended: break
                        case .sent: try await server.waitForRequests(2)
                        case .body, .silent, .handedOver:
                            try await until("they began") { server.requests.count == 2 || ended.count == 2 }
                        }
                        if isShutdown { await session.shutdown() } else { session.cancelAllTasks() }
                        for task in tasks { _ = await task.result }
                        try await until("all spans have ended") {
                            tracer.spans.activeSpans.isEmpty && session.tasks.isEmpty
                        }
                        #expect(place == .suspended || ended.count == 2)
                    }
                }
            }
            #expect(tracer.spans.activeSpans.isEmpty)
        }

        @Test func `a download and an upload are spans`() async throws {
            try await withDirectory { directory in
                try await LocalServer.run { server in
                    try await withAPI(at: server.baseURL, configuration) { api in
                        let file = directory.appending(path: "bytes")
                        _ = try await api.download("bytes/100000", to: file)
                        _ = try await api.upload("post", from: .file(file), as: .json)
                    }
                }
            }
            #expect(ended.map(\.operationName) == ["GET", "POST"] && tracer.spans.activeSpans.isEmpty)
            #expect(ended.map { value("http.response.status_code", $0) } == ["200", "200"])
        }

        @Test func `of many requests at once, each has its own span`() async throws {
            try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withSession(configuration) { session in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<200 {
                            let request = try Request(to: server.baseURL + "/\(number)")
                            group.addTask { _ = try await session.data(for: request) }
                        }
                        try await group.waitForAll()
                    }
                }
                let sent = server.requests.map { "\($0.target) \($0.value(of: "traceparent") ?? "")" }
                let spans = ended.map { span in
                    let path = (value("url.full", span) ?? "").dropFirst(server.baseURL.count)
                    return "\(path) \(TraceparentTracer.traceparent(span.spanContext))"
                }
                #expect(sent.count == 200 && sent.sorted() == spans.sorted())
            }
        }
    }
#endif
