import Bluebonnet
import Foundation
import HTTPTypes
import Testing

/// Requests through the proxies of other people: squid, nghttpx, tinyproxy, microsocks, Dante,
/// Twisted and mitmproxy.
@Suite(.enabled(if: InteropServer.squid.isExpected), .timeLimit(.minutes(3)))
struct ProxyInteropTests {
    /// A proxy at one of its addresses, and the kind of credential for it.
    struct Peer: Sendable, CustomTestStringConvertible {
        enum Login: Sendable { case none, eager, basic, digest }

        var server: InteropServer
        var scheme: String?
        var login = Login.none
        /// The authority of the certificates that it makes itself.
        var authority = InteropServer.authority
        /// Whether it is spoken to over TLS, though its address says nothing of that.
        var isOverTLS = false
        /// Whether it is connected to by IPv6.
        var isIPv6 = false
        /// Whether it takes HTTP/2, from sessions that offer it.
        var speaksHTTP2: Bool { server == .nghttpx || server == .guardedNghttpx }
        /// Whether it answers a second CONNECT on a connection of HTTP/1.1 with 400: nghttpx 1.52
        /// does, also to curl.
        var refusesSecondConnect: Bool { speaksHTTP2 && (login == .basic || login == .digest) }

        var testDescription: String {
            "\(server), \(isOverTLS ? "https" : scheme ?? "its scheme"), \(login), \(isIPv6 ? "IPv6" : "IPv4")"
        }

        func proxy() throws -> Proxy {
            var address = try server.address
            if isOverTLS { address = address.replacing("http://", with: "https://") }
            if isIPv6 { address = address.replacing("127.0.0.1", with: "[::1]").replacing("localhost", with: "[::1]") }
            var proxy = try Proxy(scheme.map { "\($0)://\(address)" } ?? address)
            guard login != .none else { return proxy }
            var credential = Credential(user: "ada", password: "secret")
            credential.isPreemptive = login == .eager
            if login == .digest { credential.schemes = [.digest] }
            if login == .basic { credential.schemes = [.basic] }
            proxy.credential = credential
            return proxy
        }

        func configuration(_ change: (inout SessionConfiguration) -> Void = { _ in }) throws -> SessionConfiguration {
            var configuration = try SessionConfiguration(trusting: authority)
            configuration.proxyTLS.trustRoots = .file(try (isOverTLS ? authority : .authority).address)
            configuration.proxies = .proxy(try proxy())
            change(&configuration)
            return configuration
        }
    }

    private static func isSOCKS(_ peer: Peer) -> Bool { peer.scheme?.hasPrefix("socks") == true }

    /// Each proxy with each credential, by each scheme that it speaks, at both of its addresses.
    static let peers: [Peer] = {
        var peers = [
            Peer(server: .squid), Peer(server: .squidTLS), Peer(server: .guardedSquid, login: .eager),
            Peer(server: .guardedSquid, login: .basic), Peer(server: .guardedSquid, login: .digest),
            Peer(server: .guardedSquidTLS, login: .eager), Peer(server: .guardedSquidTLS, login: .digest),
            Peer(server: .nghttpx), Peer(server: .guardedNghttpx, login: .eager),
            Peer(server: .guardedNghttpx, login: .basic), Peer(server: .guardedNghttpx, login: .digest),
            Peer(server: .tinyproxy), Peer(server: .guardedTinyproxy, login: .eager),
            Peer(server: .guardedTinyproxy, login: .basic),
            Peer(server: .microsocks, scheme: "socks5"), Peer(server: .microsocks, scheme: "socks5h"),
            Peer(server: .guardedMicrosocks, scheme: "socks5", login: .basic),
            Peer(server: .guardedMicrosocks, scheme: "socks5h", login: .basic),
            Peer(server: .dante, scheme: "socks4"), Peer(server: .dante, scheme: "socks5"),
            Peer(server: .dante, scheme: "socks5h"),
            Peer(server: .twisted, scheme: "socks4"), Peer(server: .twisted, scheme: "socks4a"),
            Peer(server: .mitmproxy, authority: .mitmproxyAuthority),
            Peer(server: .mitmproxy, authority: .mitmproxyAuthority, isOverTLS: true),
            Peer(server: .guardedMitmproxy, login: .basic, authority: .guardedMitmproxyAuthority),
            Peer(server: .guardedMitmproxy, login: .eager, authority: .guardedMitmproxyAuthority),
        ]
        // It needs a user namespace, which not every machine allows.
        if InteropServer.guardedDante.isAvailable {
            peers += ["socks5", "socks5h"].map { Peer(server: .guardedDante, scheme: $0, login: .basic) }
        }
        return peers.flatMap { peer in
            var other = peer
            other.isIPv6 = true
            return [peer, other]
        }
    }()

    @Test(
        .enabled(
            if: InteropServer.guardedDante.isAvailable,
            "Dante with a password is not tried: it needs a user namespace, which this machine does not allow"
        )
    )
    func `Dante with a password is among the proxies`() {
        #expect(Self.peers.contains { $0.server == .guardedDante })
    }

    /// The protocols of requests, each to a server by IPv4 and by IPv6.
    static let ways: [(protocol: String, isIPv6: Bool)] = ["http", "https", "h2"].flatMap { [($0, false), ($0, true)] }

    @Test(arguments: peers, ways)
    func `requests go through a proxy, by http and by https with HTTP 1 and 2`(
        peer: Peer,
        way: (protocol: String, isIPv6: Bool)
    ) async throws {
        // SOCKS 4 and 4a know no addresses of IPv6.
        if peer.scheme?.hasPrefix("socks4") == true, way.isIPv6 { return }
        if peer.refusesSecondConnect, way.protocol == "https" { return }
        let isSecure = way.protocol != "http"
        let server: InteropServer =
            way.isIPv6 ? (isSecure ? .nginxIPv6TLS : .nginxIPv6) : (isSecure ? .nginxTLS : .nginx)
        let version = way.protocol == "h2" ? HTTPVersionPolicy.http2 : .http1_1
        try await withSession(peer.configuration { $0.httpVersions = version }) { session in
            let task = session.dataTask(for: try server.request("/tiny.txt"))
            task.resume()
            let response = try await task.response
            #expect(try response.body == InteropServer.file("tiny.txt"))
            #expect(response.head.httpVersion == (way.protocol == "h2" ? .http2 : .http1_1))
            let transaction = try #require(task.metrics?.transactions.last)
            #expect(transaction.isProxyConnection)
            if !Self.isSOCKS(peer) {
                let isOverHTTP2 = peer.speaksHTTP2 && way.protocol == "h2"
                #expect(transaction.proxyProtocolName == (isOverHTTP2 ? "h2" : "http/1.1"))
            }
            let remote = try #require(transaction.remoteEndpoint)
            #expect(try remote.port == peer.proxy().port)
            if peer.isIPv6 { #expect(remote.address == "::1") }
        }
    }

    /// Finds no name.
    private struct NoNames: NameResolver {
        struct NotFound: Error {}

        func addresses(of host: String, in family: IPAddress.Family) async throws -> FoundAddresses {
            throw NotFound()
        }
    }

    @Test(arguments: peers.filter { isSOCKS($0) })
    func `the name of a server is looked up by SOCKS 4a and 5h proxies, and by the session for others`(
        peer: Peer
    ) async throws {
        try await withSession(peer.configuration { $0.nameResolver = NoNames() }) { session in
            // Its URL has the name.
            let request = try InteropServer.nginxTLS.request("/tiny.txt")
            guard peer.scheme == "socks4a" || peer.scheme == "socks5h" else {
                let error = try await networkingError { try await session.data(for: request) }
                #expect(error.code == .dnsLookupFailed, "\(error)")
                return
            }
            #expect(try await session.data(for: request).body == InteropServer.file("tiny.txt"))
        }
    }

    @Test(arguments: peers.filter { !$0.isIPv6 })
    func `a body goes through a proxy in both ways`(peer: Peer) async throws {
        let body = try InteropServer.file("1m.bin")
        try await withSession(peer.configuration()) { session in
            let get = try await session.data(for: InteropServer.nginx.request("/1m.bin"))
            #expect(get.body == body)
            let post = try InteropServer.httpbin.request("/post", method: .post, body: .data(body))
            try await #expect(session.data(for: post).status.code == 200)
        }
    }

    @Test(arguments: peers.filter { !$0.isIPv6 }, [HTTPVersionPolicy.http1_1, .http2])
    func `several bodies go through tunnels at the same time`(peer: Peer, version: HTTPVersionPolicy) async throws {
        if peer.refusesSecondConnect, version == .http1_1 { return }
        let body = try InteropServer.file("1m.bin")
        try await withSession(peer.configuration { $0.httpVersions = version }) { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let response = try await session.data(for: InteropServer.nginxTLS.request("/1m.bin"))
                        #expect(response.body == body)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: peers.filter { !$0.isIPv6 }, [InteropServer.webSockets, .webSocketsTLS, .aiohttpWebSocket])
    func `a WebSocket goes through a proxy`(peer: Peer, server: InteropServer) async throws {
        try await withSession(peer.configuration()) { session in
            let socket = session.webSocket(try #require(URL(string: server.address)))
            for message in [WebSocketMessage.text("hello"), .binary(Data(repeating: 7, count: 300_000))] {
                try await socket.send(message)
                let received = try await socket.receive()
                #expect(received == message)
            }
            #expect(await socket.close().code == .normalClosure)
            #expect(socket.metrics?.transactions.last?.isProxyConnection == true)
        }
    }

    @Test(arguments: peers.filter { $0.login != .none })
    func `a proxy that wants a credential takes no other one`(peer: Peer) async throws {
        for credential in [nil, Credential(user: "ada", password: "wrong")] {
            var proxy = try peer.proxy()
            proxy.credential = credential
            try await withSession(peer.configuration { $0.proxies = .proxy(proxy) }) { session in
                let error = try await networkingError {
                    try await session.data(for: InteropServer.nginxTLS.request("/tiny.txt"))
                }
                #expect(error.code == .proxyAuthenticationFailed, "\(error)")
                #expect(!"\(error)".contains("wrong"))
            }
        }
    }

    @Test(arguments: peers.filter { $0.speaksHTTP2 && !$0.isIPv6 })
    func `tunnels and forwarded requests share a connection of HTTP/2 to a proxy`(peer: Peer) async throws {
        try await withSession(peer.configuration()) { session in
            var identifiers: Set<Int?> = []
            let small = try InteropServer.file("tiny.txt")
            // The first one makes the connection.
            for server in [InteropServer.nginx, .nginxTLS, .nginx, .httpbin, .nginxIPv6, .nginxIPv6TLS] {
                let path = server == .httpbin ? "/get" : "/tiny.txt"
                let task = session.dataTask(for: try server.request(path))
                task.resume()
                let response = try await task.response
                #expect(response.status == .ok)
                if server != .httpbin { #expect(response.body == small) }
                let transaction = try #require(task.metrics?.transactions.last)
                #expect(transaction.proxyProtocolName == "h2")
                // A tunnel has connections of its own in it.
                if transaction.tlsVersion == nil { identifiers.insert(transaction.connectionIdentifier) }
            }
            #expect(identifiers.count == 1)
        }
    }

    @Test(arguments: peers.filter { !$0.isIPv6 })
    func `a server that cannot be reached is the refusal of the proxy`(peer: Peer) async throws {
        // mitmproxy opens each tunnel, and has no server to show a certificate of.
        guard peer.authority == .authority else { return }
        try await withSession(peer.configuration()) { session in
            let request = Request(url: try #require(URL(string: "https://127.0.0.1:1/")))
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .proxyRefused, "\(error)")
        }
    }
}
