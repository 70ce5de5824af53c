#if Logging
    import Bluebonnet
    import BluebonnetServices
    import Foundation
    import HTTPTypes
    import InMemoryLogging
    import LocalServer
    import Logging
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct LogObserverTests {
        private let handler = InMemoryLogHandler()

        private func configuration(
            _ level: Logger.Level = .trace,
            _ levels: LogObserver.Levels = .init()
        ) -> SessionConfiguration {
            var logger = Logger(label: "test") { _ in handler }
            logger.logLevel = level
            return SessionConfiguration { $0.observers = [LogObserver(logger, levels: levels)] }
        }

        private var messages: [String] { handler.entries.map { "\($0.level): \($0.message)" } }

        private func texts(_ entry: InMemoryLogHandler.Entry) -> [String: String] {
            entry.metadata.mapValues { "\($0)" }
        }

        @Test func `a task is a message when it is over, and its requests are at the level trace`() async throws {
            let script = FaultServer.Script.requests { request in
                request.target == "/a" ? [.respond(302, headers: [("Location", "/b")])] : [.respond(body: "12345")]
            }
            try await FaultServer.run(script) { server in
                try await withSession(configuration()) { session in
                    _ = try await session.data(for: Request(to: server.baseURL + "/a"))
                }
                #expect(
                    messages == [
                        "trace: Request sent", "trace: Response received", "trace: Request sent",
                        "trace: Response received", "debug: Task succeeded",
                    ]
                )
                var received = try #require(handler.entries.dropLast().last.map(texts))
                #expect(received["number"] == "1" && received["url"] == server.baseURL + "/b")
                #expect(received["protocol"] == "http/1.1" && received["proxy"] == nil)
                received = try #require(handler.entries.last.map(texts))
                for name in ["duration_ms", "sent", "received"] {
                    #expect((received[name].flatMap(Double.init) ?? 0) > 0, "\(name)")
                    received[name] = nil
                }
                #expect(
                    received == [
                        "task": "1", "method": "GET", "url": server.baseURL + "/a", "status": "200", "requests": "2",
                        "redirects": "1",
                    ]
                )
            }
        }

        @Test func `a request that is going to be sent again is a message with the reason`() async throws {
            let script = FaultServer.Script.connections([
                [.readRequest, .respond(503), .close], [.readRequest, .respond(body: "ok")],
            ])
            try await FaultServer.run(script) { server in
                var configuration = configuration(.info)
                configuration.retryPolicy = .standard
                configuration.retryPolicy?.backoff = RetryBackoff(first: .milliseconds(1), isRandom: false)
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: server.baseURL + "/a?b=c"))
                }
                #expect(messages == ["info: Request will be sent again"])
                let texts = try #require(handler.entries.first.map(texts))
                #expect(texts["attempt"] == "1" && texts["status"] == "503" && texts["delay_ms"] == "1.0")
                #expect(texts["method"] == "GET" && texts["url"]?.contains("b=c") == false && texts["task"] == "1")
            }
        }

        @Test func `a task that fails is a warning with its error, and one that is cancelled is not`() async throws {
            try await FaultServer.run([.readRequest, .stall]) { server in
                try await withSession(configuration(.debug)) { session in
                    let refused = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/")
                    _ = try await networkingError { try await session.data(for: refused) }
                    let task = session.dataTask(for: try Request(to: server.baseURL))
                    task.resume()
                    try await server.waitForRequests(1)
                    task.cancel()
                    _ = try await networkingError { try await task.value }
                }
            }
            #expect(messages == ["warning: Task failed", "debug: Task cancelled"])
            let failure = try #require(handler.entries.first.map(texts))
            #expect(failure["error"] == "connect-failed" && failure["reason"]?.isEmpty == false)
            #expect(failure["status"] == nil)
        }

        @Test func `a status that the caller does not accept is a failure with its status`() async throws {
            try await FaultServer.run(.requests { _ in [.respond(404)] }) { server in
                try await withAPI(at: server.baseURL, configuration(.debug)) { api in
                    _ = try await networkingError { try await api.get("a", as: .data) }
                    _ = try await api.session.data(for: Request(to: server.baseURL))
                }
            }
            #expect(messages == ["warning: Task failed", "debug: Task succeeded"])
            #expect(handler.entries.map { texts($0)["status"] } == ["404", "404"])
        }

        @Test func `a task that becomes another one has not failed`() async throws {
            try await withDirectory { directory in
                var configuration = configuration(.debug)
                configuration.hooks.dataTaskDidReceiveResponse = { _, _ in
                    .becomeDownload(to: directory.appending(path: "a"))
                }
                try await FaultServer.run([.readRequest, .respond(body: "12345")]) { server in
                    try await withSession(configuration) { session in
                        let request = try Request(to: server.baseURL)
                        let error = try await networkingError { try await session.data(for: request) }
                        #expect(error.code == .becameDownload)
                        try await until("the download is over") { messages.count == 2 }
                    }
                }
            }
            #expect(Set(messages) == ["debug: Task became a download", "debug: Task succeeded"])
        }

        @Test func `the levels can be others, and none`() async throws {
            var levels = LogObserver.Levels()
            levels.success = .notice
            levels.failure = nil
            try await FaultServer.run([.readRequest, .respond()]) { server in
                try await withSession(configuration(.info, levels)) { session in
                    _ = try await session.data(for: Request(to: server.baseURL))
                    let refused = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/")
                    _ = try await networkingError { try await session.data(for: refused) }
                }
            }
            #expect(messages == ["notice: Task succeeded"])
        }

        @Test func `neither credentials nor values of the query are logged`() async throws {
            try await FaultServer.run(.requests { _ in [.respond(401), .close] }) { server in
                try await withAPI(at: server.baseURL, configuration()) { api in
                    let url = server.baseURL.replacing("http://", with: "http://ada:lovelace@") + "/a?q=t0psecret"
                    let fields: HTTPFields = [.authorization: "Bearer t0psecret", .cookie: "a=t0psecret"]
                    let request = try Request(to: url, headerFields: fields)
                    _ = try await networkingError { try await api.session.response(for: request, as: .json) }
                    let refused = try Request(to: "http://ada:lovelace@127.0.0.1:1/?q=t0psecret")
                    _ = try await networkingError { try await api.session.data(for: refused) }
                }
            }
            #expect(handler.entries.count == 6)
            let all = handler.entries.map { "\($0)" }.joined()
            #expect(all.contains("/a?q=…") && !all.contains("t0psecret") && !all.contains("lovelace"))
        }
    }
#endif
