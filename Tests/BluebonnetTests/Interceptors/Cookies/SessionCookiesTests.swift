import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Cookies on the way of requests and responses.
@Suite(.timeLimit(.minutes(5)))
struct SessionCookiesTests {
    private func configuration(_ jar: CookieJar, _ policy: CookiePolicy = .always) -> SessionConfiguration {
        SessionConfiguration {
            $0.cookieJar = jar
            $0.cookiePolicy = policy
        }
    }

    /// Sets what the query says, and redirects to where it says.
    private static func server() -> StubTransport {
        StubTransport { request in
            let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
            var response = StubResponse()
            for item in items {
                switch item.name {
                case "set": response.headerFields.append(HTTPField(name: .setCookie, value: item.value ?? ""))
                case "to":
                    response.status = .found
                    response.headerFields[.location] = item.value
                case "status": response.status = HTTPResponse.Status(code: Int(item.value ?? "") ?? 200)
                default: break
                }
            }
            return response
        }
    }

    private func url(_ base: String, _ items: (String, String)...) throws -> URL {
        var components = try #require(URLComponents(string: base))
        components.queryItems = items.map { URLQueryItem(name: $0.0, value: $0.1) }
        return try #require(components.url)
    }

    private func sent(_ transport: StubTransport) -> [String?] { transport.requests.map { $0.headerFields[.cookie] } }

    @Test func `what a response sets, the next request has, each field by itself`() async throws {
        let (jar, transport) = (CookieJar(), Self.server())
        try await withSession(configuration(jar), transport: transport) { session in
            _ = try await session.data(for: Request(url: url("http://example.com/", ("set", "a=1, x"), ("set", "b=2"))))
            _ = try await session.data(for: Request(to: "http://example.com/"))
            _ = try await session.data(for: Request(to: "http://example.org/"))
        }
        #expect(sent(transport) == [nil, "a=1, x; b=2", nil])
    }

    @Test func `a session without a jar sends and stores nothing`() async throws {
        let transport = Self.server()
        try await withSession(SessionConfiguration(), transport: transport) { session in
            for _ in 0..<2 {
                _ = try await session.data(for: Request(url: url("http://example.com/", ("set", "a=1"))))
            }
        }
        #expect(sent(transport) == [nil, nil])
    }

    @Test func `each hop of a redirect has its own cookies, and sets some`() async throws {
        let (jar, transport) = (CookieJar(), Self.server())
        jar.set(Cookie(name: "org", value: "1", domain: "example.org"))
        jar.set(Cookie(name: "deep", value: "1", domain: "example.com", path: "/deep"))
        try await withSession(configuration(jar), transport: transport) { session in
            let last = try url("http://example.org/", ("set", "c=3"))
            let next = try url("http://example.com/deep/x", ("set", "b=2; Path=/"), ("to", last.absoluteString))
            let first = try url("http://example.com/", ("set", "a=1"), ("to", next.absoluteString))
            _ = try await session.data(for: Request(url: first))
        }
        #expect(sent(transport) == [nil, "deep=1; a=1", "org=1"])
        #expect(Set(jar.cookies.map(\.pair)) == ["org=1", "deep=1", "a=1", "b=2", "c=3"])
    }

    @Test(arguments: [401, 404, 500, 304])
    func `responses of every status set cookies`(_ status: Int) async throws {
        let jar = CookieJar()
        try await withSession(configuration(jar), transport: Self.server()) { session in
            let url = try url("http://example.com/", ("set", "a=1"), ("status", "\(status)"))
            _ = try? await session.data(for: Request(url: url))
        }
        #expect(jar.cookies.map(\.pair) == ["a=1"])
    }

    @Test func `the cookie of a challenge is sent with the credential`() async throws {
        let jar = CookieJar()
        let transport = StubTransport { request in
            guard request.headerFields[.authorization] == nil else { return .text("in") }
            return StubResponse(
                status: .unauthorized,
                headerFields: [.wwwAuthenticate: "Basic realm=\"r\"", .setCookie: "id=1"]
            )
        }
        try await withSession(configuration(jar), transport: transport) { session in
            var request = try Request(to: "http://example.com/")
            request.credential = Credential(user: "ada", password: "secret")
            #expect(try await session.data(for: request).status == .ok)
        }
        #expect(sent(transport) == [nil, "id=1"])
    }

    @Test func `a request can do without cookies`() async throws {
        let (jar, transport) = (CookieJar(), Self.server())
        jar.set(Cookie(name: "a", value: "1", domain: "example.com"))
        try await withSession(configuration(jar), transport: transport) { session in
            for handles in [false, true, nil] {
                var request = Request(url: try url("http://example.com/", ("set", "b=2")))
                request.properties.handlesCookies = handles
                _ = try await session.data(for: request)
                #expect(jar.cookies.count == (handles == false ? 1 : 2))
            }
        }
        #expect(sent(transport) == [nil, "a=1", "a=1; b=2"])
    }

    @Test(arguments: [
        ("x=9", "x=9; a=1; b=2"), ("a=9", "a=9; b=2"), ("a=9; b=8", "a=9; b=8"), ("  a = 9;  ", "a = 9; b=2"),
        ("alone", "alone; a=1; b=2"), ("", "a=1; b=2"),
    ])
    func `cookies of the request's own come first and win`(_ own: String, _ expected: String) async throws {
        let (jar, transport) = (CookieJar(), Self.server())
        for (name, value) in [("a", "1"), ("b", "2")] {
            jar.set(Cookie(name: name, value: value, domain: "example.com"))
        }
        try await withSession(configuration(jar), transport: transport) { session in
            _ = try await session.data(for: Request(to: "http://example.com/", headerFields: [.cookie: own]))
        }
        #expect(sent(transport) == [expected])
        #expect(transport.requests.first?.headerFields[values: .cookie].count == 1)
    }

    @Test func `the bytes of the request's own cookies are kept`() throws {
        let jar = CookieJar()
        jar.set(Cookie(name: "a", value: "1", domain: "example.com"))
        let cookies = try #require(SessionCookies(configuration(jar)))
        var request = try Request(to: "http://example.com/")
        request.headerFields.append(try #require(HTTPField(name: .cookie, latin1Value: "x=\u{E9}")))
        let fields = cookies.attached(to: request).headerFields[fields: .cookie]
        #expect(fields.map(\.latin1Value) == ["x=\u{E9}; a=1"])
    }

    @Test func `cookies are those of the moment at which a request is sent`() throws {
        let jar = CookieJar()
        let cookies = try #require(SessionCookies(configuration(jar)))
        let request = try Request(to: "http://example.com/")
        let name = Cookie(name: "a", value: "1", domain: "example.com")
        jar.set(name)
        #expect(cookies.attached(to: request).headerFields[.cookie] == "a=1")
        // A wait, after which it is sent again.
        jar.set(Cookie(name: "a", value: "2", domain: "example.com"))
        #expect(cookies.attached(to: request).headerFields[.cookie] == "a=2")
        jar.removeAll()
        #expect(cookies.attached(to: request).headerFields[.cookie] == nil)
    }

    @Test func `cookies that change during a wait are sent as they are then, also through a cache`() async throws {
        let jar = CookieJar()
        let transport = StubTransport { _ in
            StubResponse(headerFields: [.cacheControl: "max-age=60", .vary: "Cookie"])
        }
        func set(_ value: String) { jar.set(Cookie(name: "id", value: value, domain: "example.com")) }
        let clock = ManualTiming()
        let limiter = RateLimiter(RateLimits(session: RateLimit(1)), timing: clock.timing)
        var configuration = configuration(jar)
        configuration.cache = HTTPCache()
        let steps = BuiltInSteps(transport: transport, configuration: configuration, rateLimiter: limiter)
        func send(_ path: String) async throws -> TransportResponse {
            let response = try await steps.send(Request(to: "http://example.com\(path)"), context: ExchangeContext())
            await response.body.discard()
            return response
        }
        set("old")
        _ = try await send("/first")
        async let second = send("/")
        try await until("it waits") { limiter.waitingCount == 1 }
        set("new")
        clock.move(by: .seconds(1))
        _ = try await second
        // It was stored as one to the new cookie.
        #expect(try await send("/").cacheStatus?.isHit == true)
        set("old")
        async let last = send("/")
        try await until("it waits") { limiter.waitingCount == 1 }
        clock.move(by: .seconds(1))
        _ = try await last
        #expect(sent(transport) == ["id=old", "id=new", "id=old"])
    }

    @Test func `a policy decides whose cookies are taken in`() async throws {
        for (policy, names) in [
            (CookiePolicy.always, ["a", "b", "c"]), (.never, []), (.originalSite, ["a", "b"]),
        ] {
            let (jar, transport) = (CookieJar(), Self.server())
            jar.set(Cookie(name: "known", value: "1", domain: "example.org"))
            try await withSession(configuration(jar, policy), transport: transport) { session in
                let last = try url("http://example.org/", ("set", "c=3"))
                let next = try url("http://api.example.com/", ("set", "b=2"), ("to", last.absoluteString))
                let first = try url("http://www.example.com/", ("set", "a=1"), ("to", next.absoluteString))
                _ = try await session.data(for: Request(url: first))
            }
            #expect(Set(jar.cookies.map(\.name)) == Set(names + ["known"]), "\(policy)")
            #expect(sent(transport).last == "known=1", "\(policy)")
        }
    }

    @Test func `a session that is shut down has written its cookies`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "cookies.txt")
            try await withSession(configuration(try CookieJar(file: file)), transport: Self.server()) { session in
                _ = try await session.data(for: Request(url: url("http://example.com/", ("set", "a=1"))))
            }
            #expect(try CookieJar(file: file).cookies.map(\.pair) == ["a=1"])
        }
    }

    @Test func `over a socket cookies come and go as they are`() async throws {
        let script = FaultServer.Script.requests { request in
            let cookie = request.value(of: "Cookie") ?? "none"
            return [.respond(200, headers: [("Set-Cookie", "a=1"), ("set-cookie", "b=ä; Path=/")], body: cookie)]
        }
        try await FaultServer.run(script) { server in
            let jar = CookieJar()
            try await withSession(configuration(jar)) { session in
                for expected in ["none", "a=1; b=ä"] {
                    let response = try await session.data(for: Request(to: "http://127.0.0.1:\(server.port)/"))
                    #expect(String(decoding: response.value, as: UTF8.self) == expected)
                }
            }
            #expect(jar.cookies.map(\.domain) == ["127.0.0.1", "127.0.0.1"])
        }
    }
}
