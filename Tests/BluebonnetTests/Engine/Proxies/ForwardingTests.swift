import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Requests for `http` that a proxy gets with the whole URL.
@Suite(.timeLimit(.minutes(3)))
struct ForwardingTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "proxy")] }

    @Test func `a proxy gets the absolute form, and the connection is used again`() async throws {
        try await FaultServer.run(Self.ok) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port)) { session in
                for target in ["http://one.example/a?b=c", "http://one.example", "http://one.example:8080/%20#f"] {
                    try await #expect(session.data(for: Request(to: target)).text == "proxy")
                }
            }
            let lines = proxy.requests.map(\.requestLine)
            #expect(
                lines == [
                    "GET http://one.example/a?b=c HTTP/1.1", "GET http://one.example/ HTTP/1.1",
                    "GET http://one.example:8080/%20 HTTP/1.1",
                ]
            )
            #expect(proxy.requests.map { $0.value(of: "Host") } == ["one.example", "one.example", "one.example:8080"])
            #expect(proxy.connections.count == 2)
        }
    }

    @Test func `the metrics name the proxy, and have its phase`() async throws {
        try await FaultServer.run(Self.ok) { proxy in
            let metrics = try await withSession(
                ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)
            ) { session in
                let task = session.dataTask(for: try Request(to: "http://one.example/"))
                task.resume()
                _ = try await task.response
                return task.metrics
            }
            let transaction = try #require(metrics?.transactions.first)
            #expect(transaction.isProxyConnection)
            #expect(transaction.proxy?.description == "http://127.0.0.1:\(proxy.port)")
            #expect(transaction.proxy?.credential == nil)
            #expect(transaction.proxyEntry?.duration != nil)
        }
    }

    @Test func `a credential that is sent at once is in the first request, and nowhere else`() async throws {
        try await FaultServer.run(Self.ok) { proxy in
            let configuration = try ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.eagerAda)
            try await withSession(configuration) { session in
                let task = session.dataTask(for: try Request(to: "http://one.example/"))
                task.resume()
                _ = try await task.response
                let sent = try #require(task.metrics?.transactions.first?.request)
                #expect(!sent.headerFields.contains(.proxyAuthorization))
            }
            #expect(proxy.requests.map { $0.values(of: "Proxy-Authorization") } == [[ProxyScripts.basic]])
        }
    }

    @Test func `a challenge is answered, with the body again, and then known`() async throws {
        let script = FaultServer.Script.requests { request in
            guard request.value(of: "Proxy-Authorization") == ProxyScripts.basic else {
                return [.respond(407, headers: [("Proxy-Authenticate", "Basic realm=x")], body: "no")]
            }
            return [.respond(body: request.bodyText)]
        }
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)) {
                session in
                for _ in 0..<2 {
                    let request = try Request(.post, to: "http://one.example/", body: .string("body"))
                    try await #expect(session.data(for: request).text == "body")
                }
            }
            #expect(proxy.requests.count == 3)
            #expect(proxy.connections.count == 1)
        }
    }

    @Test func `Digest counts the requests of one nonce, and replaces one that is too old`() async throws {
        let count = Counter()
        let script = FaultServer.Script.requests { request in
            let nonce = count.value < 3 ? "n1" : "n2"
            count.increment()
            guard let field = request.value(of: "Proxy-Authorization"), field.contains("nonce=\"\(nonce)\"") else {
                let stale = request.value(of: "Proxy-Authorization") == nil ? "" : ", stale=true"
                let challenge = #"Digest realm="p", qop="auth", algorithm=SHA-256, nonce="\#(nonce)"\#(stale)"#
                return [.respond(407, headers: [("Proxy-Authenticate", challenge)])]
            }
            return [.respond(body: "proxy")]
        }
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)) {
                session in
                for _ in 0..<3 {
                    try await #expect(session.data(for: Request(to: "http://one.example/x")).status.code == 200)
                }
            }
            let fields = proxy.requests.compactMap { $0.value(of: "Proxy-Authorization") }
            #expect(fields.count == 4)
            #expect(fields.allSatisfy { $0.contains(#"uri="http://one.example/x""#) })
            for (field, number) in zip(fields, [1, 2, 3, 1]) { #expect(field.contains("nc=0000000\(number)")) }
        }
    }

    @Test func `a credential that is refused is not sent for ever, and the 407 is the response`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(407, headers: [("Proxy-Authenticate", #"Digest realm="p", qop="auth", nonce="n", stale=true"#)])]
        }
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)) {
                session in
                try await #expect(session.data(for: Request(to: "http://one.example/")).status.code == 407)
            }
            #expect(proxy.requests.count <= 1 + ProxyAuthentication.mostAnswers)
        }
    }

    @Test func `a request with a credential of its own is sent once, whatever the proxy wants`() async throws {
        let challenge = #"Digest realm="p", qop="auth", nonce="n", stale=true"#
        let script = FaultServer.Script.requests { _ in [.respond(407, headers: [("Proxy-Authenticate", challenge)])] }
        try await FaultServer.run(script) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)) {
                session in
                var request = try Request(.post, to: "http://one.example/", body: .string("body"))
                request.headerFields[.proxyAuthorization] = "Basic own"
                try await #expect(session.data(for: request).status.code == 407)
            }
            #expect(proxy.requests.map { $0.values(of: "Proxy-Authorization") } == [["Basic own"]])
        }
    }

    @Test func `a server that is excepted from the proxy gets no credential for it`() async throws {
        try await FaultServer.run(Self.ok) { origin in
            let proxy = try Proxy("http://127.0.0.1:\(FaultServer.unusedPort)")
            let configuration = SessionConfiguration {
                $0.proxies = .proxy(proxy, except: ProxyExceptions("127.0.0.1"))
            }
            try await withSession(configuration) { session in
                var request = try Request(to: origin.baseURL)
                request.headerFields[.proxyAuthorization] = "Basic own"
                _ = try await session.data(for: request)
            }
            #expect(origin.requests.map { $0.values(of: "Proxy-Authorization") } == [[]])
        }
    }

    @Test func `a 407 of a server is no challenge of a proxy`() async throws {
        let script = FaultServer.Script.requests { _ in
            [.respond(407, headers: [("Proxy-Authenticate", "Basic realm=x")])]
        }
        try await FaultServer.run(script, options: .init(tls: ProxyScripts.tls())) { origin in
            try await FaultServer.run(ProxyScripts.connect(to: origin.port)) { proxy in
                let configuration = try ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.ada)
                try await withSession(configuration) { session in
                    try await #expect(session.data(for: Request(to: origin.baseURL)).status.code == 407)
                }
            }
            #expect(origin.requests.count == 1)
            #expect(origin.requests.first?.value(of: "Proxy-Authorization") == nil)
        }
    }

    @Test func `a proxy over TLS gets the request over TLS`() async throws {
        try await FaultServer.run(Self.ok, options: .init(tls: ProxyScripts.tls())) { proxy in
            try await withSession(ProxyScripts.configuration(.https, port: proxy.port)) { session in
                try await #expect(session.data(for: Request(to: "http://one.example/")).text == "proxy")
            }
            #expect(proxy.requests.map(\.requestLine) == ["GET http://one.example/ HTTP/1.1"])
        }
    }

    @Test func `an error of a forwarded request names the proxy`() async throws {
        try await FaultServer.run([.readRequest, .send("HTTP/1.1 2"), .close]) { proxy in
            try await withSession(ProxyScripts.configuration(port: proxy.port, credential: ProxyScripts.eagerAda)) {
                session in
                let error = try await networkingError {
                    try await session.data(for: Request(to: "http://one.example/"))
                }
                #expect(error.code == .truncatedResponse)
                #expect(error.message.contains("proxy http://127.0.0.1:\(proxy.port)"), "\(error.message)")
                #expect(!"\(error)".contains("secret"))
            }
        }
    }

    @Test func `the closure is asked for each hop, and its error ends the request`() async throws {
        struct Unknown: Error {}
        let script = FaultServer.Script.requests { request in
            request.target.hasSuffix("/first")
                ? [.respond(302, headers: [("Location", "http://two.example/second")])] : [.respond(body: "proxy")]
        }
        try await FaultServer.run(script) { proxy in
            let asked = Mutex<[String]>([])
            let one = try Proxy(.http, host: "127.0.0.1", port: proxy.port, credential: ProxyScripts.eagerAda)
            let two = try Proxy(.http, host: "127.0.0.1", port: proxy.port)
            let configuration = SessionConfiguration {
                $0.proxies = .resolver { url in
                    asked.withLock { $0.append(url.absoluteString) }
                    await Task.yield()
                    if url.host() == "three.example" { throw Unknown() }
                    return url.host() == "one.example" ? one : two
                }
            }
            try await withSession(configuration) { session in
                try await #expect(session.data(for: Request(to: "http://one.example/first")).text == "proxy")
                let error = try await networkingError {
                    try await session.data(for: Request(to: "http://three.example/"))
                }
                #expect(error.code == .invalidProxy)
                #expect(error.underlying is Unknown)
            }
            #expect(
                asked.withLock { $0 } == [
                    "http://one.example/first", "http://two.example/second", "http://three.example/",
                ]
            )
            // The credential of one proxy does not go to another one.
            let fields = proxy.requests.map { $0.value(of: "Proxy-Authorization") }
            #expect(fields == [ProxyScripts.basic, nil])
        }
    }

    @Test func `the proxies of a request win over those of the session`() async throws {
        try await FaultServer.run(ProxyScripts.ok) { origin in
            try await FaultServer.run(Self.ok) { proxy in
                try await withSession(ProxyScripts.configuration(port: proxy.port)) { session in
                    var request = try Request(to: origin.baseURL)
                    request.proxies = .direct
                    try await #expect(session.data(for: request).text == "origin")
                    try await #expect(session.data(for: Request(to: origin.baseURL)).text == "proxy")
                }
                try await withSession(SessionConfiguration { $0.proxies = .direct }) { session in
                    var request = try Request(to: origin.baseURL)
                    request.proxies = .proxy(try Proxy(.http, host: "127.0.0.1", port: proxy.port))
                    try await #expect(session.data(for: request).text == "proxy")
                    request.proxies = .proxy(
                        try Proxy(.http, host: "127.0.0.1", port: proxy.port),
                        except: ProxyExceptions("127.0.0.0/8")
                    )
                    try await #expect(session.data(for: request).text == "origin")
                }
            }
        }
    }
}
