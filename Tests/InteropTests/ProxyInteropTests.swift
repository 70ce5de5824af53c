import Bluebonnet
import Foundation
import HTTPTypes
import Testing

/// Requests through the proxies of other people: squid, tinyproxy, microsocks, Dante and mitmproxy.
@Suite(.enabled(if: InteropServer.squid.isExpected), .timeLimit(.minutes(3)))
struct ProxyInteropTests {
    /// A proxy, and the kind of credential for it.
    struct Peer: Sendable, CustomTestStringConvertible {
        var server: InteropServer
        var scheme: String?
        var login = Login.none
        /// The authority of the certificates that it makes itself.
        var authority = InteropServer.authority

        enum Login: Sendable { case none, eager, basic, digest }

        var testDescription: String { "\(server), \(scheme ?? "its scheme"), \(login)" }

        func proxy() throws -> Proxy {
            let address = try server.address
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
            configuration.proxyTLS.trustRoots = .file(try InteropServer.authority.address)
            configuration.proxies = .proxy(try proxy())
            change(&configuration)
            return configuration
        }
    }

    static let peers = [
        Peer(server: .squid), Peer(server: .squidIPv6), Peer(server: .squidTLS),
        Peer(server: .guardedSquid, login: .eager), Peer(server: .guardedSquid, login: .basic),
        Peer(server: .guardedSquid, login: .digest),
        Peer(server: .tinyproxy), Peer(server: .guardedTinyproxy, login: .eager),
        Peer(server: .guardedTinyproxy, login: .basic),
        Peer(server: .microsocks, scheme: "socks5"), Peer(server: .microsocks, scheme: "socks5h"),
        Peer(server: .guardedMicrosocks, scheme: "socks5h", login: .basic),
        Peer(server: .dante, scheme: "socks5"), Peer(server: .dante, scheme: "socks5h"),
        Peer(server: .mitmproxy, authority: .mitmproxyAuthority),
        Peer(server: .guardedMitmproxy, login: .basic, authority: .guardedMitmproxyAuthority),
        Peer(server: .guardedMitmproxy, login: .eager, authority: .guardedMitmproxyAuthority),
    ]

    @Test(arguments: peers)
    func `http goes through a proxy, and a body both ways`(peer: Peer) async throws {
        let body = try InteropServer.file("1m.bin")
        try await withSession(peer.configuration()) { session in
            let get = try await session.data(for: InteropServer.nginx.request("/1m.bin"))
            #expect(get.body == body)
            let task = session.dataTask(
                for: try InteropServer.httpbin.request("/post", method: .post, body: .data(body))
            )
            task.resume()
            #expect(try await task.response.status.code == 200)
            let transaction = try #require(task.metrics?.transactions.last)
            #expect(try transaction.remoteEndpoint?.port == peer.proxy().port)
            #expect(transaction.isProxyConnection)
        }
    }

    @Test(arguments: peers, [HTTPVersionPolicy.http1_1, .http2])
    func `https goes through a proxy, by HTTP 1 and 2`(peer: Peer, version: HTTPVersionPolicy) async throws {
        let body = try InteropServer.file("1m.bin")
        try await withSession(peer.configuration { $0.httpVersions = version }) { session in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let response = try await session.data(for: InteropServer.nginxTLS.request("/1m.bin"))
                        #expect(response.body == body)
                        #expect(response.head.httpVersion == (version == .http2 ? .http2 : .http1_1))
                    }
                }
                try await group.waitForAll()
            }
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

    @Test(arguments: peers)
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
