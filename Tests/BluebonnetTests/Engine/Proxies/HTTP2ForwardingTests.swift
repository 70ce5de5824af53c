import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Requests for `http` that a proxy forwards, over HTTP/2 to the proxy.
@Suite(.timeLimit(.minutes(3)))
struct HTTP2ForwardingTests {
    private static func run(
        _ script: HTTP2FaultServer.Script = .requests { _ in [.respond(body: "proxy")] },
        credential: Credential? = nil,
        _ work: (SessionManager, HTTP2FaultServer) async throws -> Void
    ) async throws {
        let options = try HTTP2FaultServer.Options(tls: ProxyScripts.tls(["h2", "http/1.1"]))
        try await HTTP2FaultServer.run(script, options: options) { proxy in
            let configuration = try ProxyScripts.configuration(.https, port: proxy.port, credential: credential)
            try await withSession(configuration) { try await work($0, proxy) }
        }
    }

    @Test func `requests to several servers share one connection, each with its authority`() async throws {
        try await Self.run { session, proxy in
            for target in ["http://one.example/a?b=c", "http://two.example", "http://one.example:8080/%20#f"] {
                let task = session.dataTask(for: try Request(to: target))
                task.resume()
                let response = try await task.response
                #expect(response.text == "proxy" && response.head.httpVersion == .http2)
                let transaction = try #require(task.metrics?.transactions.first)
                #expect(transaction.proxyProtocolName == "h2" && transaction.protocolName == "h2")
                #expect(transaction.streamIdentifier != nil && transaction.tlsVersion == nil)
            }
            #expect(proxy.connections.count == 1)
            let heads = proxy.requests.map { request in
                [":method", ":scheme", ":authority", ":path"].map { request.value(of: $0) ?? "" }
            }
            #expect(
                heads == [
                    ["GET", "http", "one.example", "/a?b=c"], ["GET", "http", "two.example", "/"],
                    ["GET", "http", "one.example:8080", "/%20"],
                ]
            )
        }
    }

    @Test func `requests that come together before the proxy is known are sent on one connection`() async throws {
        try await Self.run { session, proxy in
            let results = await bodies(of: 20, in: session) { try Request(to: "http://\($0 % 4).example/") }
            for result in results { try #expect(result.get() == "proxy") }
            #expect(Set(proxy.requests.map(\.connection)).count == 1)
        }
    }

    @Test func `a body is forwarded, and a challenge is answered with it again`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            guard request.value(of: "proxy-authorization") == ProxyScripts.basic else {
                return [.respond(407, [("proxy-authenticate", "Basic realm=x")], body: "no")]
            }
            return [.respond(body: String(decoding: request.body, as: UTF8.self))]
        }
        try await Self.run(script, credential: ProxyScripts.ada) { session, proxy in
            for _ in 0..<2 {
                let request = try Request(.post, to: "http://one.example/", body: .string("body"))
                try await #expect(session.data(for: request).text == "body")
            }
            #expect(proxy.requests.count == 3 && proxy.connections.count == 1)
        }
    }

    @Test func `Digest is over the whole URL, as over HTTP/1.1`() async throws {
        let script = HTTP2FaultServer.Script.requests { request in
            guard request.value(of: "proxy-authorization") == nil else { return [.respond(body: "proxy")] }
            return [.respond(407, [("proxy-authenticate", #"Digest realm="p", qop="auth", nonce="n""#)])]
        }
        try await Self.run(script, credential: ProxyScripts.ada) { session, proxy in
            try await #expect(session.data(for: Request(to: "http://one.example/x")).text == "proxy")
            let field = try #require(proxy.requests.last?.value(of: "proxy-authorization"))
            #expect(field.contains(#"uri="http://one.example/x""#))
        }
    }

    @Test(arguments: [407, 421, 502])
    func `what a proxy says to a request is its response, and asked for once`(status: Int) async throws {
        try await Self.run(.requests { _ in [.respond(status, body: "because")] }) { session, proxy in
            let response = try await session.data(for: Request(to: "http://one.example/"))
            #expect(response.status.code == status && response.text == "because")
            #expect(proxy.requests.count == 1)
        }
    }

    @Test func `tunnels and forwarded requests are streams of the same connection`() async throws {
        try await FaultServer.run(ProxyScripts.ok, options: .init(tls: ProxyScripts.tls())) { origin in
            let port = origin.port
            let script = HTTP2FaultServer.Script.heads { request in
                request.method == "CONNECT" ? [.tunnel(to: port)] : [.respond(body: "proxy")]
            }
            try await Self.run(script) { session, proxy in
                try await #expect(session.data(for: Request(to: "http://one.example/")).text == "proxy")
                try await #expect(session.data(for: Request(to: origin.baseURL)).text == "origin")
                try await #expect(session.data(for: Request(to: "http://one.example/")).text == "proxy")
                #expect(proxy.connections.count == 1)
                #expect(proxy.requests.map(\.stream) == [1, 3, 5])
            }
        }
    }

    @Test func `a proxy that is gone is connected to again, and is an error where it does not return`() async throws {
        let script = HTTP2FaultServer.Script.requests { _ in [.respond(body: "proxy"), .goAway()] }
        let options = try HTTP2FaultServer.Options(tls: ProxyScripts.tls())
        let proxy = try await HTTP2FaultServer.start(script, options: options)
        try await withSession(ProxyScripts.configuration(.https, port: proxy.port)) { session in
            for count in 1...2 {
                try await #expect(session.data(for: Request(to: "http://one.example/")).text == "proxy")
                #expect(proxy.connections.count == count)
                try await proxy.waitUntilClosed(connection: count - 1)
            }
            await proxy.shutdown()
            let error = try await networkingError {
                try await session.data(for: Request(to: "http://one.example/"))
            }
            #expect(error.code == .proxyConnectFailed, "\(error)")
        }
    }
}
