import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A configured proxy is never passed by: the server of each test would answer a direct request.
@Suite(.timeLimit(.minutes(3)))
struct NoWayAroundTests {
    /// The proxy must have got all requests, and the server no connection.
    private static func run(
        _ script: FaultServer.Script,
        isSecure: Bool = false,
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        _ body: (SessionManager, _ url: String, _ proxy: FaultServer) async throws -> Void
    ) async throws {
        let options = FaultServer.Options(tls: isSecure ? try ProxyScripts.tls() : nil)
        try await FaultServer.run(ProxyScripts.ok, options: options) { origin in
            try await FaultServer.run(script) { proxy in
                let configuration = try ProxyScripts.configuration(port: proxy.port, change)
                try await withSession(configuration) { session in
                    try await body(session, origin.baseURL, proxy)
                }
            }
            #expect(origin.connections.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a proxy that refuses is not passed by, however often a request is sent`(isSecure: Bool) async throws {
        let script = FaultServer.Script.requests { _ in [.respond(503, body: "no")] }
        try await Self.run(script, isSecure: isSecure, { $0.retryPolicy = Self.quickRetries }) { session, url, proxy in
            let status = try? await session.data(for: Request(to: url)).status.code
            #expect(status == (isSecure ? nil : 503))
            #expect(!proxy.requests.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `a proxy that is down is not passed by`(isSecure: Bool) async throws {
        try await Self.run([.close], isSecure: isSecure, { $0.retryPolicy = Self.quickRetries }) {
            session,
            url,
            proxy in
            let error = try await networkingError { try await session.data(for: Request(to: url)) }
            #expect(error.code.family == .transport, "\(error)")
            #expect(proxy.connections.count == 3)
        }
        try await FaultServer.run(ProxyScripts.ok) { origin in
            try await withSession(ProxyScripts.configuration(port: FaultServer.unusedPort)) { session in
                _ = try await networkingError { try await session.data(for: Request(to: origin.baseURL)) }
            }
            #expect(origin.connections.isEmpty)
        }
    }

    @Test func `a redirect goes through the proxy, too`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target.hasSuffix("/first")
                ? [.respond(302, headers: [("Location", "/second")])] : [.respond(body: "proxy")]
        }
        try await Self.run(script) { session, url, proxy in
            try await #expect(session.data(for: Request(to: url + "/first")).text == "proxy")
            #expect(proxy.requests.map(\.target) == [url + "/first", url + "/second"])
        }
    }

    @Test func `a stale connection is replaced by another one through the proxy`() async throws {
        let script: FaultServer.Script = [.readRequest, .respond(body: "proxy"), .close]
        try await Self.run(script) { session, url, proxy in
            for _ in 0..<3 { try await #expect(session.data(for: Request(to: url)).text == "proxy") }
            #expect(proxy.connections.count == 3)
        }
    }

    @Test func `a direct connection that is open is not used for a request with a proxy`() async throws {
        try await FaultServer.run(ProxyScripts.ok) { origin in
            try await FaultServer.run(.requests { _ in [.respond(body: "proxy")] }) { proxy in
                try await withSession(SessionConfiguration { $0.proxies = .direct }) { session in
                    var request = try Request(to: origin.baseURL)
                    try await #expect(session.data(for: request).text == "origin")
                    request.proxies = .proxy(try Proxy(.http, host: "127.0.0.1", port: proxy.port))
                    try await #expect(session.data(for: request).text == "proxy")
                    request.proxies = nil
                    try await #expect(session.data(for: request).text == "origin")
                }
            }
            #expect(origin.connections.count == 1)
            #expect(origin.requests.count == 2)
        }
    }

    /// The kinds of requests of a session.
    enum Use: CaseIterable {
        case data, upload, download, stream, webSocket

        func run(_ session: SessionManager, _ url: String) async throws {
            var request = try Request(to: url)
            switch self {
            case .data: _ = try await session.data(for: request)
            case .upload:
                request.method = .put
                request.body = .data(Data("body".utf8))
                let task = session.uploadTask(for: request)
                task.resume()
                _ = try await task.value
            case .download:
                try await withDirectory { directory in
                    _ = try await session.download(request, to: directory.appending(path: "file"))
                }
            case .stream: for try await _ in try await session.open(request).body {}
            case .webSocket: for try await _ in session.webSocket(for: request) {}
            }
        }
    }

    @Test(arguments: Proxy.Kind.all, Use.allCases)
    func `no kind of request goes around a proxy of any kind that fails`(kind: Proxy.Kind, use: Use) async throws {
        for isSecure in [false, true] {
            let options = FaultServer.Options(tls: isSecure ? try ProxyScripts.tls() : nil)
            try await FaultServer.run(ProxyScripts.ok, options: options) { origin in
                try await FaultServer.run([.close]) { proxy in
                    let configuration = try ProxyScripts.configuration(kind, port: proxy.port) {
                        $0.retryPolicy = Self.quickRetries
                        $0.nameResolver = StubResolver(["localhost": ["127.0.0.1"]])
                        // Both would be used where there is no network.
                        $0.waitsForConnectivity = true
                        $0.retriers = [OfflineRetrier(longestWait: .milliseconds(1))]
                    }
                    try await withSession(configuration) { session in
                        _ = try await networkingError { try await use.run(session, origin.baseURL) }
                    }
                    #expect(!proxy.connections.isEmpty)
                }
                #expect(origin.connections.isEmpty)
            }
        }
    }

    @Test func `a request that may not use an expensive network goes through the proxy, too`() async throws {
        try await Self.run(.requests { _ in [.respond(body: "proxy")] }) { session, url, _ in
            var request = try Request(to: url)
            request.properties.allowsExpensiveNetworkAccess = false
            try await #expect(session.data(for: request).text == "proxy")
        }
    }

    @Test func `a request with a credential, and the next one after a challenge, go through the proxy`() async throws {
        let script = FaultServer.Script.requests { request in
            request.value(of: "Authorization") == nil
                ? [.respond(401, headers: [("WWW-Authenticate", "Basic realm=x")])] : [.respond(body: "proxy")]
        }
        try await Self.run(script) { session, url, proxy in
            var request = try Request(to: url)
            request.credential = ProxyScripts.ada
            try await #expect(session.data(for: request).text == "proxy")
            #expect(proxy.requests.count == 2)
        }
    }

    @Test func `every part of a download in segments goes through the proxy`() async throws {
        let server = SegmentServer()
        try await Self.run(.requests { server.steps($0) }) { session, url, proxy in
            try await withDirectory { directory in
                var request = try Request(to: url + "/a")
                request.properties.downloadSegments = 3
                let file = directory.appending(path: "a")
                _ = try await session.downloadTask(for: request, to: file).value
                #expect(try Data(contentsOf: file) == Data(SegmentServer.bytes))
            }
            #expect(proxy.requests.count == 5)
            #expect(proxy.requests.allSatisfy { $0.target == url + "/a" })
        }
    }

    @Test func `an upload that is cut goes on through the proxy`() async throws {
        let head =
            "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\nLocation: /upload\r\n\r\n"
        let script = FaultServer.Script.requests { request in
            switch request.method {
            case "POST": [.send(head), .close]
            case "HEAD": [.send("HTTP/1.1 204 No Content\r\nUpload-Offset: 0\r\nUpload-Complete: ?0\r\n\r\n")]
            default: [.respond(headers: [("Upload-Complete", "?1")], body: "proxy")]
            }
        }
        try await Self.run(script, { $0.retryPolicy = Self.quickRetries }) { session, url, proxy in
            let request = try Request(.post, to: url + "/videos", body: .data(Data("body".utf8)))
            let response = try await session.uploadTask(for: request).result.get()
            #expect(response.value == Data("proxy".utf8))
            #expect(proxy.requests.map(\.target) == [url + "/videos", url + "/upload", url + "/upload"])
        }
    }

    @Test func `a stored response is renewed in the background through the proxy`() async throws {
        let fields = [("Cache-Control", "max-age=0, stale-while-revalidate=60")]
        let script = FaultServer.Script.requests { _ in [.respond(headers: fields, body: "proxy")] }
        try await Self.run(script, { $0.cache = HTTPCache() }) { session, url, proxy in
            for _ in 0..<2 { try await #expect(session.data(for: Request(to: url)).text == "proxy") }
            try await proxy.waitForRequests(2)
        }
    }

    @Test func `a token is asked for through the proxy`() async throws {
        let token = #"{"access_token":"a","token_type":"Bearer"}"#
        let script = FaultServer.Script.requests { _ in
            [.respond(headers: [("Content-Type", "application/json")], body: token)]
        }
        try await Self.run(script) { session, url, proxy in
            let endpoint = try #require(URL(string: url + "/token"))
            let client = OAuth2Client(tokenEndpoint: endpoint, clientID: "app", session: session)
            try await #expect(client.clientCredentials().accessToken == "a")
            #expect(proxy.requests.map(\.target) == [url + "/token"])
        }
    }

    @Test func `reachability connects to nobody`() async throws {
        // It asks the kernel for routes, so that no proxy and no server hears of it.
        try await FaultServer.run(ProxyScripts.ok) { origin in
            let manager = try #require(NetworkReachabilityManager(address: "127.0.0.1"))
            manager.startMonitoring()
            try await until("the path is known") { manager.status != .unknown }
            manager.stopMonitoring()
            #expect(origin.connections.isEmpty)
        }
    }

    private static var quickRetries: RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = RetryBackoff(first: .milliseconds(1), factor: 1, longest: nil, isRandom: false)
        return policy
    }
}
