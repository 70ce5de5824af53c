#if Metrics
    import Bluebonnet
    import BluebonnetServices
    import Foundation
    import HTTPTypes
    import LocalServer
    import Metrics
    import MetricsTestKit
    import Testing

    @Suite(.timeLimit(.minutes(5)))
    struct MetricsObserverTests {
        private let metrics = TestMetrics()

        private var configuration: SessionConfiguration {
            SessionConfiguration { $0.observers = [MetricsObserver(factory: metrics)] }
        }

        /// The dimensions of the durations, as sorted texts.
        private var durations: [String] {
            metrics.timers.flatMap { timer in timer.values.map { _ in Self.text(timer.dimensions) } }.sorted()
        }

        /// Without those that are not known.
        private static func text(_ dimensions: [(String, String)]) -> String {
            dimensions.filter { !$0.1.isEmpty }.map { "\($0.0)=\($0.1)" }.sorted().joined(separator: " ")
        }

        @Test func `a request is measured with the dimensions of the convention`() async throws {
            try await FaultServer.run([.readRequest, .respond(body: "12345")]) { server in
                try await withSession(configuration) { session in
                    let body = RequestBody.data(Data("four".utf8))
                    _ = try await session.data(for: Request(.post, to: server.baseURL + "/a?b=c", body: body))
                }
                let target =
                    "http.request.method=POST %server.address=127.0.0.1 server.port=\(server.port) url.scheme=http"
                let whole = target.replacing(
                    "%",
                    with: "http.response.status_code=200 network.protocol.version=1.1 "
                )
                #expect(durations == [whole])
                let timer = try #require(metrics.timers.first)
                #expect(timer.label == "http.client.request.duration" && timer.displayUnit == .seconds)
                #expect((timer.lastValue ?? 0) > 0)
                let recorders = metrics.recorders.sorted { $0.label < $1.label }
                #expect(recorders.map(\.label) == ["http.client.request.body.size", "http.client.response.body.size"])
                #expect(recorders.map(\.values) == [[4], [5]])
                #expect(recorders.map { Self.text($0.dimensions) } == [whole, whole])
                let active = try #require(metrics.meters.first)
                #expect(metrics.meters.count == 1 && active.label == "http.client.active_requests")
                #expect(Self.text(active.dimensions) == target.replacing("%", with: ""))
                #expect(active.values == [1, 0])
            }
        }

        @Test func `the requests under way are counted`() async throws {
            let gate = FaultGate()
            try await FaultServer.run(.requests { _ in [.hold(gate), .respond()] }) { server in
                try await withSession(configuration) { session in
                    let tasks = try (0..<3).map { _ in session.dataTask(for: try Request(to: server.baseURL)) }
                    for task in tasks { task.resume() }
                    try await server.waitForRequests(3)
                    #expect(metrics.meters.first?.lastValue == 3)
                    gate.open()
                    for task in tasks { _ = try await task.value }
                    #expect(metrics.meters.first?.lastValue == 0)
                }
            }
        }

        @Test func `statuses and errors are dimensions, and so is each hop`() async throws {
            let script = FaultServer.Script.requests { request in
                request.target == "/a" ? [.respond(302, headers: [("Location", "/b")])] : [.respond(404)]
            }
            try await FaultServer.run(script) { server in
                try await withSession(configuration) { session in
                    _ = try await session.data(for: Request(to: server.baseURL + "/a"))
                    let request = try Request(to: "http://127.0.0.1:\(FaultServer.unusedPort)/")
                    _ = try await networkingError { try await session.data(for: request) }
                }
                let rest =
                    "network.protocol.version=1.1 server.address=127.0.0.1 server.port=\(server.port) url.scheme=http"
                #expect(
                    durations == [
                        "error.type=404 http.request.method=GET http.response.status_code=404 \(rest)",
                        "error.type=connect-failed http.request.method=GET server.address=127.0.0.1 "
                            + "server.port=\(FaultServer.unusedPort) url.scheme=http",
                        "http.request.method=GET http.response.status_code=302 \(rest)",
                    ]
                )
                #expect(metrics.meters.allSatisfy { $0.lastValue == 0 })
            }
        }

        @Test func `the metrics of equal requests are made once`() async throws {
            let factory = CountingFactory()
            let configuration = SessionConfiguration { $0.observers = [MetricsObserver(factory: factory)] }
            try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
                try await withSession(configuration) { session in
                    for number in 0..<50 {
                        _ = try await session.data(for: Request(to: server.baseURL + "/\(number)"))
                    }
                }
            }
            #expect(factory.made == 4)
        }

        @Test func `all metrics of a name have the same dimensions, as Prometheus needs it`() async throws {
            let factory = CountingFactory()
            let observer = MetricsObserver(factory: factory, seriesLimit: 10)
            let script = FaultServer.Script.requests { request in [.respond(request.target == "/missing" ? 404 : 200)] }
            let path = "/tmp/bluebonnet-\(UInt64.random(in: 0 ... .max)).sock"
            try await withSession(SessionConfiguration { $0.observers = [observer] }) { session in
                try await FaultServer.run(script) { server in
                    for path in ["/", "/missing"] {
                        _ = try await session.data(for: Request(to: server.baseURL + path))
                    }
                    // A URL without a server, and a server that is not there.
                    for url in ["/", "http://127.0.0.1:\(FaultServer.unusedPort)/"] {
                        _ = try await networkingError { try await session.data(for: Request(to: url)) }
                    }
                    try await FaultServer.run(script, options: .init(socketPath: path)) { _ in
                        let url = "http+unix://\(path.replacing("/", with: "%2F"))/a"
                        _ = try await session.data(for: Request(to: url))
                    }
                    // More than the limit.
                    for name in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
                        let method = try #require(HTTPRequest.Method(name))
                        _ = try await session.data(for: Request(method, to: server.baseURL))
                    }
                }
            }
            let target = ["http.request.method", "server.address", "server.port", "url.scheme", "otel.metric.overflow"]
            let series = target + ["error.type", "http.response.status_code", "network.protocol.version"]
            #expect(
                factory.names == [
                    "http.client.active_requests": [target], "http.client.request.duration": [series],
                    "http.client.request.body.size": [series], "http.client.response.body.size": [series],
                ]
            )
            #expect(factory.values.contains("true"))
        }

        @Test func `unknown methods have one value`() async throws {
            try await FaultServer.run(.requests { _ in [.respond()] }) { server in
                try await withSession(configuration) { session in
                    for number in 0..<10 {
                        let method = try #require(HTTPRequest.Method("X\(number)"))
                        _ = try await session.data(for: Request(method, to: server.baseURL))
                    }
                }
            }
            #expect(durations.count == 10 && Set(durations).count == 1)
            #expect(durations[0].contains("http.request.method=_OTHER"))
        }

        @Test func `the number of combinations has a bound, and the rest is counted together`() async throws {
            let observer = MetricsObserver(factory: metrics, seriesLimit: 4)
            try await FaultServer.run(.requests { _ in [.respond()] }) { server in
                try await withSession(SessionConfiguration { $0.observers = [observer] }) { session in
                    for name in ["GET", "HEAD", "PUT", "DELETE", "GET"] {
                        let method = try #require(HTTPRequest.Method(name))
                        _ = try await session.data(for: Request(method, to: server.baseURL))
                    }
                }
            }
            #expect(durations.count { $0.contains("GET") } == 2 && durations.count { $0.contains("HEAD") } == 1)
            #expect(durations.count { $0 == "otel.metric.overflow=true" } == 2)
            let overflow = metrics.meters.first { Self.text($0.dimensions) == "otel.metric.overflow=true" }
            #expect(overflow?.values == [1, 0, 1, 0])
        }

        @Test func `no secret is a dimension`() async throws {
            try await FaultServer.run([.readRequest, .respond(401)]) { server in
                try await withSession(configuration) { session in
                    let url = server.baseURL.replacing("http://", with: "http://ada:lovelace@")
                    let fields: HTTPFields = [.authorization: "Bearer t0psecret"]
                    _ = try await session.data(for: Request(to: url + "/a?token=t0psecret", headerFields: fields))
                }
            }
            let all = metrics.description
            #expect(all.contains("401") && !all.contains("t0psecret") && !all.contains("lovelace"))
        }
    }
#endif
