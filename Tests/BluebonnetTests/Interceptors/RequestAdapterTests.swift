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

/// Adapters, and interceptors of one request.
@Suite(.timeLimit(.minutes(1)))
struct RequestAdapterTests {
    private struct Broken: Error, Equatable {}

    /// Appends a word to a field, so that the order can be seen at the end.
    private static func adding(_ word: String) -> RequestAdapter {
        RequestAdapter { request in
            await Task.yield()
            request.headerFields[.via] = [request.headerFields[.via], word].compactMap(\.self).joined(separator: " ")
        }
    }

    private static func configuration(_ interceptors: any Interceptor...) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.interceptors = interceptors
        return configuration
    }

    @Test func `the session's come first, then the request's, each in their order`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let configuration = Self.configuration(Self.adding("a"), Self.adding("b"))
        try await withSession(configuration, transport: transport) { session in
            var request = try Request(to: "http://x/")
            request.interceptors = [Self.adding("c"), Self.adding("d")]
            _ = try await session.data(for: request)
            _ = try await session.data(for: Request(to: "http://x/"))
            let task = session.dataTask(request)
            _ = try await task.value
            #expect(task.currentRequest.headerFields[.via] == "a b c d")
            _ = try await session.stream(request).body.collect()
        }
        #expect(transport.requests.map { $0.headerFields[.via] } == ["a b c d", "a b", "a b c d", "a b c d"])
    }

    @Test func `a request's interceptors stand before redirects and content decoding`() async throws {
        let transport = StubTransport(routes: [.get("/1"): .redirect(to: "/2"), .get("/2"): .text("ok")])
        try await withSession(transport: transport) { session in
            var request = try Request(to: "http://x/1")
            request.interceptors = [
                RequestAdapter { request in #expect(request.headerFields[.acceptEncoding] == nil) },
                Self.adding("once"),
            ]
            _ = try await session.data(for: request)
        }
        #expect(transport.requests.map { $0.headerFields[.via] } == ["once", "once"])
    }

    @Test func `an adapter sees the session's header fields and the context`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        var configuration = Self.configuration(
            RequestAdapter { request, context in
                #expect(request.headerFields[.server] == "session")
                request.headerFields[.via] = "\(context.taskIdentifier)"
            }
        )
        configuration.additionalHeaderFields = [.server: "session"]
        try await withSession(configuration, transport: transport) { session in
            let task = session.dataTask(try Request(to: "http://x/"))
            _ = try await task.value
            #expect(transport.requests.first?.headerFields[.via] == "\(task.identifier)")
        }
    }

    @Test func `what an adapter throws is the request's error with its own code, and nothing is sent`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        let failures: [any Error & Sendable] = [
            Broken(), NetworkingError(.connectFailed, "No token."), CancellationError(),
        ]
        for failure in failures {
            let refusing = RequestAdapter { _ in throw failure }
            try await withSession(Self.configuration(refusing, Self.adding("never")), transport: transport) { session in
                let request = try Request(to: "http://x/?token=secret")
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .requestAdaptationFailed)
                #expect(error.request?.url == request.url && error.underlying != nil)
                #expect(!error.message.contains("secret"))
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func `an adapter that is cancelled with its task has not failed`() async throws {
        let isThere = Counter()
        let waiting = RequestAdapter { _ in
            isThere.increment()
            try await Task.sleep(for: .seconds(3600))
        }
        try await withSession(Self.configuration(waiting), transport: StubTransport(routes: [:])) { session in
            let request = try Request(to: "http://x/")
            let caller = Task { try await session.data(for: request) }
            try await TestSession.until("it waits") { isThere.value == 1 }
            caller.cancel()
            let error = try await networkingError { try await caller.value }
            #expect(error.code == .cancelled)
        }
    }
}
