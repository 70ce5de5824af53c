import Testing

@testable import Bluebonnet

/// What is known of proxies and their versions of HTTP.
struct KnownProxiesTests {
    private static func shared(_ number: Int = 0, user: String? = nil) throws -> Route {
        let login = user.map { "\($0):secret@" } ?? ""
        let proxy = try Proxy("https://\(login)proxy\(number).example")
        let origin = Origin(isSecure: true, endpoint: .host("one.example", port: 443))
        return try #require(Route(to: origin, through: .tunnel(proxy)).shared)
    }

    @Test func `routes through the same proxy share its connections, and others do not`() throws {
        let proxy = try Proxy("https://proxy.example")
        let one = Origin(isSecure: true, endpoint: .host("one.example", port: 443))
        let two = Origin(isSecure: false, endpoint: .host("two.example", port: 80))
        let shared = Route(to: one, through: .tunnel(proxy)).shared
        #expect(shared == Route(to: two, through: .forwarding(proxy)).shared)
        #expect(shared?.isShared == true && shared?.shared == shared)
        #expect(shared != Route(directTo: proxy.origin))
        // Connections with different credentials are different.
        try #expect(Self.shared() != Self.shared(user: "ada"))
        #expect(Route(directTo: one).shared == nil)
        try #expect(Route(to: one, through: .tunnel(Proxy("http://proxy.example"))).shared == nil)
        try #expect(Route(to: one, through: .tunnel(Proxy("socks5://proxy.example"))).shared == nil)
    }

    @Test func `a proxy that has agreed to HTTP/2 is known until it is forgotten`() throws {
        var proxies = KnownProxies()
        let shared = try Self.shared()
        #expect(!proxies.isMultiplexed(shared))
        let news = [proxies.note(http2: shared), proxies.note(http2: shared)]
        #expect(news == [true, false])
        #expect(proxies.isMultiplexed(shared))
        let forgotten = [proxies.forget(http2: shared), proxies.forget(http2: shared)]
        #expect(forgotten == [true, false])
        #expect(!proxies.isMultiplexed(shared))
    }

    @Test func `a proxy that wants HTTP/1.1 is not noted for HTTP/2 again`() throws {
        var proxies = KnownProxies()
        let shared = try Self.shared()
        #expect(!proxies.wantsHTTP1(shared))
        proxies.note(http1: shared)
        #expect(proxies.wantsHTTP1(shared))
        let isNoted = proxies.note(http2: shared)
        #expect(!isNoted)
    }

    @Test func `a proxy that has opened a tunnel is remembered`() throws {
        var proxies = KnownProxies()
        let shared = try Self.shared()
        #expect(!proxies.opensTunnels(shared))
        proxies.note(tunnelAlong: shared)
        #expect(proxies.opensTunnels(shared))
        try #expect(!proxies.opensTunnels(Self.shared(1)))
    }

    @Test func `of too many proxies, the further ones get HTTP/1.1`() throws {
        var proxies = KnownProxies()
        for number in 0..<KnownProxies.most { _ = proxies.note(http2: try Self.shared(number)) }
        let another = try Self.shared(KnownProxies.most)
        let isNoted = proxies.note(http2: another)
        #expect(!isNoted)
        #expect(proxies.wantsHTTP1(another))
        try #expect(!proxies.wantsHTTP1(Self.shared(0)))
    }
}
