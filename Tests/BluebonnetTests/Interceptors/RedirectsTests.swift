import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Redirects, followed without a session and with responses that the tests make.
struct RedirectsTests {
    private func context(
        _ policy: RedirectPolicy = .follow,
        redirects: Int = 20,
        sendsBodiesOpenly: Bool = false
    ) -> ExchangeContext {
        var configuration = SessionConfiguration()
        configuration.sendsBodiesOnInsecureRedirects = sendsBodiesOpenly
        configuration.redirectPolicy = policy
        configuration.limits.redirects = redirects
        return ExchangeContext(configuration: configuration)
    }

    private static func redirect(_ request: Request, _ status: Int, to location: String?) -> TransportResponse {
        var head = ResponseHead(status: HTTPResponse.Status(code: status))
        if let location { head.headerFields[.location] = location }
        return TransportResponse(head: head, request: request)
    }

    private static func ok(_ request: Request) -> TransportResponse {
        TransportResponse(head: ResponseHead(status: .ok), request: request)
    }

    /// Sends a request, and the requests that its redirects ask for.
    private static func send(
        _ request: Request,
        _ context: ExchangeContext,
        _ next: Next
    ) async throws -> TransportResponse {
        try await Redirects.follow(try await next(request), to: request, context: context) { request, _ in
            try await next(request)
        }
    }

    /// The second request, after a redirect of the first one to this location.
    private func follow(
        _ request: Request,
        _ status: Int,
        to location: String,
        sendsBodiesOpenly: Bool = false
    ) async throws -> Request {
        let first = request.url
        let next = Next { request in
            request.url == first ? Self.redirect(request, status, to: location) : Self.ok(request)
        }
        let context = context(sendsBodiesOpenly: sendsBodiesOpenly)
        return try await Self.send(request, context, next).request
    }

    // MARK: Methods

    private static let methods: [(Int, HTTPRequest.Method, HTTPRequest.Method, Bool)] = [
        (301, .get, .get, true), (301, .head, .head, true), (301, .post, .get, false),
        (301, .put, .put, true), (301, .patch, .patch, true), (301, .delete, .delete, true),
        (302, .get, .get, true), (302, .head, .head, true), (302, .post, .get, false),
        (302, .put, .put, true), (302, .patch, .patch, true), (302, .delete, .delete, true),
        (303, .get, .get, false), (303, .head, .head, true), (303, .post, .get, false),
        (303, .put, .get, false), (303, .patch, .get, false), (303, .delete, .get, false),
        (307, .get, .get, true), (307, .head, .head, true), (307, .post, .post, true),
        (307, .put, .put, true), (307, .patch, .patch, true), (307, .delete, .delete, true),
        (308, .get, .get, true), (308, .head, .head, true), (308, .post, .post, true),
        (308, .put, .put, true), (308, .patch, .patch, true), (308, .delete, .delete, true),
    ]

    @Test(arguments: methods)
    func `the status of a redirect decides the method and the body of the next request`(
        status: Int,
        method: HTTPRequest.Method,
        expected: HTTPRequest.Method,
        keepsBody: Bool
    ) async throws {
        let request = try Request(
            method,
            to: "http://x/a",
            headerFields: [.contentType: "text/plain", .accept: "text/plain"],
            body: .string("abc")
        )
        let next = try await follow(request, status, to: "/b")
        #expect(next.url.absoluteString == "http://x/b")
        #expect(next.method == expected)
        #expect(next.body?.data == (keepsBody ? Data("abc".utf8) : nil))
        #expect(next.headerFields[.contentType] == (keepsBody ? "text/plain" : nil))
        #expect(next.headerFields[.accept] == "text/plain")
    }

    @Test func `a redirect that drops the body drops the fields that describe it`() async throws {
        let names = [
            "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Digest",
            "Expect", "Last-Modified", "Transfer-Encoding",
            "Content-MD5", "Content-Range", "Content-Disposition", "Content-Digest", "Repr-Digest", "Trailer",
        ]
        var request = try Request(.post, to: "http://x/a", body: .string("abc"))
        for name in names { request.headerFields[try #require(HTTPField.Name(name))] = "3" }
        request.headerFields[.userAgent] = "me"
        let next = try await follow(request, 303, to: "/b")
        #expect(next.headerFields.map(\.name) == [.userAgent])
    }

    @Test(arguments: [200, 300, 304, 305, 306, 400])
    func `a response that is not a redirect is returned as it is`(status: Int) async throws {
        let request = try Request(to: "http://x/a")
        let next = Next { Self.redirect($0, status, to: "/b") }
        let response = try await Self.send(request, context(), next)
        #expect(response.head.status.code == status)
        #expect(response.redirects.isEmpty)
    }

    // MARK: Origins

    private static let origins: [(String, String, Bool)] = [
        ("http://x/a", "/b", true),
        ("http://x/a", "http://x:80/b", true),
        ("http://X/a", "http://x/b", true),
        ("https://x/a", "https://x:443/b", true),
        ("http://x/a", "http://y/b", false),
        ("http://x/a", "http://x:81/b", false),
        ("http://x/a", "https://x/b", false),
        ("https://x/a", "http://x/b", false),
        ("http://x/a", "//sub.x/b", false),
    ]

    @Test(arguments: origins)
    func `a redirect to another origin drops credentials`(from: String, location: String, isSame: Bool) async throws {
        let secrets: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]
        var request = try Request(to: from, headerFields: [.accept: "text/plain"])
        for name in secrets { request.headerFields[name] = "secret" }
        request.headerFields[try #require(HTTPField.Name("Host"))] = "x"
        let next = try await follow(request, 302, to: location)
        #expect(next.headerFields.count == (isSame ? 5 : 1))
        #expect(next.headerFields[.accept] == "text/plain")
        for name in secrets { #expect((next.headerFields[name] == nil) != isSame) }
    }

    private static let secrets = [
        "X-Api-Key", "Private-Token", "X-Auth-Token", "X-Auth-Key", "DD-APPLICATION-KEY", "Signature", "X-Session-Id",
        "Sec-WebSocket-Protocol",
    ]

    @Test(arguments: origins)
    func `a redirect to another origin drops fields with secret names`(
        from: String,
        location: String,
        isSame: Bool
    ) async throws {
        var request = try Request(to: from)
        for name in Self.secrets { request.headerFields[try #require(HTTPField.Name(name))] = "secret" }
        for name in ["Accept", "X-Trace", "Idempotency-Key", "Sec-WebSocket-Key"] {
            request.headerFields[try #require(HTTPField.Name(name))] = "open"
        }
        let next = try await follow(request, 307, to: location)
        #expect(next.headerFields.count { $0.value == "secret" } == (isSame ? Self.secrets.count : 0))
        #expect(next.headerFields.count { $0.value == "open" } == 4)
    }

    // MARK: From https to http

    private static let downgrades: [(HTTPRequest.Method, Int, String, Bool)] = [
        (.post, 307, "http://x/b", false), (.put, 302, "http://x/b", false), (.patch, 308, "http://y/b", false),
        (.get, 301, "http://x/b", false),
        (.post, 302, "http://x/b", true), (.put, 303, "http://x/b", true), (.post, 307, "https://y/b", true),
        (.post, 307, "/b", true),
    ]

    @Test(arguments: downgrades)
    func `a body is not redirected from https to http`(
        method: HTTPRequest.Method,
        status: Int,
        location: String,
        isFollowed: Bool
    ) async throws {
        let request = try Request(method, to: "https://x/a", headerFields: [.authorization: "a"], body: .string("abc"))
        if isFollowed {
            let next = try await follow(request, status, to: location)
            #expect(next.url.path(percentEncoded: true) == "/b")
        } else {
            let error = try await networkingError { try await follow(request, status, to: location) }
            #expect(error.code == .redirectRefused)
            #expect(error.message.contains("sendsBodiesOnInsecureRedirects"))
            #expect(error.response?.status.code == status)
            let next = try await follow(request, status, to: location, sendsBodiesOpenly: true)
            #expect(next.body?.data == Data("abc".utf8))
            #expect(next.headerFields[.authorization] == nil)
        }
    }

    @Test func `without a body a redirect from https to http is followed, without secrets`() async throws {
        for body in [nil, RequestBody.string("")] {
            let fields: HTTPFields = [.authorization: "a", .accept: "b"]
            let request = try Request(.put, to: "https://x/a", headerFields: fields, body: body)
            let next = try await follow(request, 307, to: "http://x/b")
            #expect(next.headerFields.map(\.name) == [.accept])
        }
    }

    private static let changes: [(from: String, to: String, isFollowed: Bool)] = [
        ("https://x/a", "http://x/b", false), ("https://x/a", "http://y/b", false), ("https://x/a", "/b", true),
        ("https://x/a", "https://y/b", true), ("http://x/a", "http://y/b", true), ("http://x/a", "https://x/b", true),
    ]

    @Test(arguments: changes, [RedirectPolicy.follow, .manual])
    func `a session can forbid redirects from https to http`(
        change: (from: String, to: String, isFollowed: Bool),
        policy: RedirectPolicy
    ) async throws {
        var configuration = SessionConfiguration()
        configuration.followsInsecureRedirects = false
        // That is about bodies only.
        configuration.sendsBodiesOnInsecureRedirects = true
        let context = ExchangeContext(configuration: configuration)
        for method in [HTTPRequest.Method.get, .post] {
            var request = try Request(method, to: change.from, body: method == .post ? .string("a") : nil)
            request.redirectPolicy = policy
            let next = Next { request in
                request.url.path(percentEncoded: true) == "/a"
                    ? Self.redirect(request, 307, to: change.to) : Self.ok(request)
            }
            let send = { try await Self.send(request, context, next) }
            guard policy == .follow, !change.isFollowed else {
                #expect(try await send().head.status.code == (policy == .manual ? 307 : 200))
                continue
            }
            let error = try await networkingError(of: send)
            #expect(error.code == .redirectRefused && error.response?.status.code == 307)
            #expect(error.message.contains("from https to http"), "\(error)")
        }
    }

    // MARK: Locations

    private static let several: [([String], String?)] = [
        (["/b", "/b"], "http://x/b"), (["/b,c"], "http://x/b,c"), (["/b", "http://y/"], nil),
        (["/é", "/e\u{301}"], nil),
    ]

    @Test(arguments: several)
    func `several Location fields are refused unless they are the same`(locations: [String], expected: String?)
        async throws
    {
        let request = try Request(to: "http://x/a")
        let next = Next { request in
            guard request.url.path(percentEncoded: true) == "/a" else { return Self.ok(request) }
            var head = ResponseHead(status: .found)
            for location in locations { head.headerFields.append(HTTPField(name: .location, value: location)) }
            return TransportResponse(head: head, request: request)
        }
        let send = { try await Self.send(request, self.context(), next) }
        if let expected {
            #expect(try await send().request.url.absoluteString == expected)
        } else {
            #expect(try await networkingError(of: send).code == .invalidRedirect)
        }
    }

    private static let locations: [(String, String, String)] = [
        ("http://x/a/b?c=d", "e", "http://x/a/e"),
        ("http://x/a/b?c=d", "../e", "http://x/e"),
        ("http://x/a/b?c=d", "?e=f", "http://x/a/b?e=f"),
        ("http://x/a/b", "//y/e", "http://y/e"),
        ("http://x/a/b", "https://y", "https://y"),
        ("http://x/a", "/é%20b?c[]=%41", "http://x/%C3%A9%20b?c%5B%5D=%41"),
        ("http://x/a#top", "/b", "http://x/b#top"),
        ("http://x/a#top", "/b#end", "http://x/b#end"),
        ("http://x/a#top", "http://y/b", "http://y/b#top"),
        ("http://x/a", "/b#end", "http://x/b#end"),
        ("http+unix://%2Frun%2Fx.sock/a", "/b", "http+unix://%2Frun%2Fx.sock/b"),
    ]

    @Test(arguments: locations)
    func `the Location of a redirect is resolved against the request`(from: String, location: String, expected: String)
        async throws
    {
        let next = try await follow(Request(to: from), 302, to: location)
        #expect(next.url.absoluteString == expected)
    }

    @Test(arguments: [
        "", "http://", "http://x:port/", "file:///etc/passwd", "ftp://x/", "mailto:ada@x.example",
        "javascript:alert(1)", "data:text/plain,a",
        "http+unix://%2Frun%2Fdocker.sock/containers", "https+unix://%2Frun%2Fx.sock/",
        "http://x:0/", "http://x:65536/", "//a%20b/",
    ])
    func `a Location that cannot be requested is refused`(location: String) async throws {
        let request = try Request(to: "http://x/a")
        let error = try await networkingError { try await follow(request, 302, to: location) }
        #expect(error.code == .invalidRedirect)
        #expect(error.response?.status == .found)
        #expect(error.request?.url == request.url)
    }

    @Test func `a redirect without a Location is returned as it is`() async throws {
        let request = try Request(to: "http://x/a")
        let next = Next { Self.redirect($0, 302, to: nil) }
        let response = try await Self.send(request, context(), next)
        #expect(response.head.status == .found)
        #expect(response.redirects.isEmpty)
    }
}
