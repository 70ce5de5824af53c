import BluebonnetTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct InterceptorChainTests {
    private struct Broken: Error, Equatable {}

    /// Logs each request and its response.
    private struct Logging: Interceptor {
        let name: String
        let log: EventLog<String>

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            log.append("\(name) in \(request.url.path(percentEncoded: true))")
            let response = try await next(request)
            log.append("\(name) out \(response.head.status.code)")
            return response
        }
    }

    /// Calls a closure.
    private struct Calling: Interceptor {
        let body: @Sendable (Request, Next) async throws -> TransportResponse

        init(_ body: @escaping @Sendable (Request, Next) async throws -> TransportResponse) {
            self.body = body
        }

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            try await body(request, next)
        }
    }

    private func configuration(_ interceptors: any Interceptor...) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors
        return configuration
    }

    @Test func `interceptors run in their order, the first outermost`() async throws {
        let log = EventLog<String>()
        let transport = StubTransport { _ in .text("ok") }
        let configuration = configuration(Logging(name: "a", log: log), Logging(name: "b", log: log))
        try await withSession(configuration, transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/1"))
        }
        #expect(log.events == ["a in /1", "b in /1", "b out 200", "a out 200"])
    }

    @Test func `the user's interceptors run before redirects`() async throws {
        let log = EventLog<String>()
        let transport = StubTransport(routes: [.get("/1"): .redirect(to: "/2"), .get("/2"): .text("ok")])
        try await withSession(configuration(Logging(name: "a", log: log)), transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://x/1"))
        }
        #expect(log.events == ["a in /1", "a out 200"])
        #expect(transport.requests.count == 2)
    }

    @Test func `an interceptor can change the request`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let bearer = Calling { request, next in
            var request = request
            request.headerFields[.authorization] = "Bearer t"
            return try await next(request)
        }
        try await withSession(configuration(bearer), transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://x/1"))
            _ = try await task.value
            #expect(task.originalRequest.headerFields[.authorization] == nil)
            #expect(task.currentRequest.headerFields[.authorization] == "Bearer t")
        }
        #expect(transport.requests[0].headerFields[.authorization] == "Bearer t")
    }

    @Test func `an interceptor can change the response`() async throws {
        let shouting = Calling { request, next in
            var response = try await next(request)
            let text = String(decoding: try await response.body.collect(), as: UTF8.self)
            response.body = .data(Data(text.uppercased().utf8))
            response.head.headerFields[.server] = "me"
            return response
        }
        try await withSession(configuration(shouting), transport: StubTransport { _ in .text("ok") }) { session in
            let response = try await session.response(for: Request(to: "http://x/1"), as: .string)
            #expect(response.value == "OK")
            #expect(response.headerFields[.server] == "me")
        }
    }

    @Test func `an interceptor can send a request again`() async throws {
        let attempts = EventLog<String>()
        let transport = StubTransport { request in
            attempts.append("\(request)")
            return attempts.events.count < 3 ? .text("busy", status: .serviceUnavailable) : .text("ok")
        }
        let retry = Calling { request, next in
            var response = try await next(request)
            while response.head.status == .serviceUnavailable { response = try await next(request) }
            return response
        }
        try await withSession(configuration(retry), transport: transport) { session in
            let text = try await session.response(for: Request(to: "http://x/1"), as: .string).value
            #expect(text == "ok")
        }
        #expect(transport.requests.count == 3)
    }

    @Test func `an interceptor can respond without the network`() async throws {
        let log = EventLog<String>()
        let transport = StubTransport(routes: [:])
        let cache = Calling { request, _ in
            TransportResponse(head: ResponseHead(status: .ok), body: .data(Data("cached".utf8)), request: request)
        }
        let configuration = configuration(cache, Logging(name: "never", log: log))
        try await withSession(configuration, transport: transport) { session in
            let response = try await session.response(for: Request(to: "http://x/1"), as: .string)
            #expect(response.value == "cached")
        }
        #expect(log.events.isEmpty)
        #expect(transport.requests.isEmpty)
    }

    @Test func `an interceptor's own error reaches the caller wrapped`() async throws {
        let failing = Calling { _, _ in throw Broken() }
        try await withSession(configuration(failing), transport: StubTransport(routes: [:])) { session in
            let request = try Request(to: "http://x/1")
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .interceptorFailed)
            #expect(error.underlying is Broken)
            #expect(error.request?.url == request.url)
            let streamed = try await networkingError { try await session.open(request) }
            #expect(streamed.code == .interceptorFailed)
        }
    }

    @Test func `an interceptor's NetworkingError reaches the caller unchanged`() async throws {
        let failing = Calling { _, _ in throw NetworkingError(.unsupportedFeature, "Not here.") }
        try await withSession(configuration(failing), transport: StubTransport(routes: [:])) { session in
            let error = try await networkingError { try await session.data(for: Request(to: "http://x/1")) }
            #expect(error.code == .unsupportedFeature)
            #expect(error.message == "Not here.")
            #expect(error.underlying == nil)
        }
    }

    @Test func `an interceptor can catch an error of the next one`() async throws {
        let transport = StubTransport { _ in .failure(NetworkingError(.connectionLost, "It broke.")) }
        let fallback = Calling { request, next in
            do {
                return try await next(request)
            } catch {
                return TransportResponse(head: ResponseHead(status: .accepted), request: request)
            }
        }
        try await withSession(configuration(fallback), transport: transport) { session in
            let response = try await session.data(for: Request(to: "http://x/1"))
            #expect(response.status == .accepted)
        }
    }

    @Test func `the context of an interceptor has the task and its configuration`() async throws {
        struct Checking: Interceptor {
            let log: EventLog<String>
            func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
                log.append("\(context.taskIdentifier) \(context.configuration.limits.redirects)")
                log.append(context.deadline == nil ? "no deadline" : "a deadline")
                #expect(context.deadline == context.deadline)
                return try await next(request)
            }
        }
        let log = EventLog<String>()
        var configuration = configuration(Checking(log: log))
        configuration.limits.redirects = 7
        configuration.timeouts.request = .seconds(60)
        try await withSession(configuration, transport: StubTransport { _ in .text("ok") }) { session in
            let task = session.dataTask(for: try Request(to: "http://x/1"))
            _ = try await task.value
            #expect(log.events == ["\(task.identifier) 7", "a deadline"])
        }
    }
}
