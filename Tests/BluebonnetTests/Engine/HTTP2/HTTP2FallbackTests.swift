import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The version of HTTP that a session speaks with a server over TLS.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2FallbackTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func options(_ protocols: [String]) -> HTTP2FaultServer.Options {
        .init(tls: ServerTLS(certificates.localhost, applicationProtocols: protocols))
    }

    private func configuration(_ versions: HTTPVersionPolicy = .automatic) -> SessionConfiguration {
        var configuration = SessionConfiguration(trusting: certificates.authority)
        configuration.httpVersions = versions
        return configuration
    }

    @Test(arguments: [
        ([], HTTPVersionPolicy.automatic, HTTPVersion.http1_1), (["http/1.1"], .automatic, .http1_1),
        (["h2", "http/1.1"], .automatic, .http2), (["http/1.1", "h2"], .automatic, .http1_1),
        (["h2", "http/1.1"], .http1_1, .http1_1), (["h2", "http/1.1"], .http2, .http2),
    ])
    func `the version is the one that both sides speak`(
        protocols: [String],
        policy: HTTPVersionPolicy,
        version: HTTPVersion
    ) async throws {
        let script = HTTP2FaultServer.Script.requests { _ in [.respond(body: "h2")] }
        // Without protocols the server does not know ALPN: a server of HTTP/1.1 is another one.
        guard !protocols.isEmpty else {
            try await FaultServer.run(
                [.readRequest, .respond()],
                options: .init(tls: ServerTLS(certificates.localhost))
            ) {
                server in
                try await withSession(configuration(policy)) { session in
                    let response = try await session.data(for: Request(to: server.baseURL))
                    #expect(response.head.httpVersion == version)
                }
            }
            return
        }
        try await HTTP2FaultServer.run(script, options: options(protocols)) { server in
            try await withSession(configuration(policy)) { session in
                let response = try await session.data(for: Request(to: server.baseURL))
                #expect(response.head.httpVersion == version)
                #expect(server.connections[0].applicationProtocol == (version == .http2 ? "h2" : "http/1.1"))
            }
        }
    }

    @Test(arguments: [
        HTTP2FaultStep.resetStream(.http11Required), .goAway(lastStream: 0, .http11Required), .respond(421),
    ])
    func `a server that wants HTTP 1 gets it, now and later`(step: HTTP2FaultStep) async throws {
        try await HTTP2FaultServer.run(.requests { _ in [step] }, options: options(["h2", "http/1.1"])) { server in
            try await withSession(configuration()) { session in
                for _ in 0..<3 {
                    let request = try Request(.post, to: server.baseURL, body: nil)
                    let response = try await session.data(for: request)
                    #expect(response.value == Data("HTTP/1.1".utf8))
                }
            }
            #expect(server.requests.count == 1)
            #expect(server.record.http1Requests == 3)
        }
    }

    @Test func `many requests to an origin that has spoken HTTP 2 share one connection`() async throws {
        let count = Counter()
        let script = HTTP2FaultServer.Script.requests { _ in
            count.increment() == 1 ? [.respond(body: "x"), .goAway(lastStream: 1)] : [.respond(body: "x")]
        }
        try await HTTP2FaultServer.run(script, options: options(["h2"])) { server in
            try await withSession(configuration()) { session in
                _ = try await session.data(for: Request(to: server.baseURL))
                try await server.waitUntilClosed()
                let results = await bodies(of: 50, in: session) { _ in try Request(to: server.baseURL) }
                let texts = try results.map { try $0.get() }
                #expect(texts.allSatisfy { $0 == "x" })
            }
            // That of the first request is closed.
            #expect(server.connections.count == 2)
        }
    }

    @Test func `many requests to a new origin that speaks HTTP 2 share one connection`() async throws {
        try await HTTP2FaultServer.run(.requests { _ in [.respond(body: "x")] }, options: options(["h2"])) { server in
            try await withSession(configuration()) { session in
                let results = await bodies(of: 50, in: session) { _ in try Request(to: server.baseURL) }
                let texts = try results.map { try $0.get() }
                #expect(texts.allSatisfy { $0 == "x" })
            }
            #expect(server.connections.count { !$0.requests.isEmpty } == 1)
        }
    }
}
