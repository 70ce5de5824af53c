import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Testing

@testable import BluebonnetCommand

@Suite struct HeadTextTests {
    private let text = HeadText(paint: Paint(isOn: false))

    @Test func `a request head is shown with what the engine adds`() throws {
        let url = try #require(URL(string: "http://example.org:8080/a%20b?c=d#e"))
        let request = Request(method: .post, url: url, headerFields: [.accept: "*/*"], body: .string("hello"))
        #expect(
            text.request(request) == [
                "POST /a%20b?c=d HTTP/1.1", "Host: example.org:8080", "Accept: */*", "Content-Length: 5",
            ]
        )
    }

    @Test func `a request head over HTTP 2 has no transfer coding`() throws {
        let url = try #require(URL(string: "https://example.org/"))
        let body = RequestBody.stream(AsyncStream<[UInt8]> { $0.finish() })
        let request = Request(method: .put, url: url, body: body)
        #expect(text.request(request, version: .http2) == ["PUT / HTTP/2", "Host: example.org"])
    }

    @Test func `a shown POST without a body has Content-Length 0`() throws {
        let url = try #require(URL(string: "http://example.org"))
        #expect(
            text.request(Request(method: .post, url: url)) == [
                "POST / HTTP/1.1", "Host: example.org", "Content-Length: 0",
            ]
        )
    }

    @Test func `a Host field of the user is shown once, as the first field`() throws {
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let host = try #require(HTTPField.Name("host"))
        let request = Request(url: url, headerFields: [.accept: "*/*", host: "example.org"])
        #expect(text.request(request) == ["GET / HTTP/1.1", "Host: example.org", "Accept: */*"])
    }

    private let hiding = HeadText(paint: Paint(isOn: false), hidesSecrets: true)

    @Test func `the secrets of a shown request can be hidden`() throws {
        let url = try #require(URL(string: "http://example.org/a?b=1&api_key=hunter2&c=2"))
        let key = try #require(HTTPField.Name("X-Api-Key"))
        let request = Request(
            url: url,
            headerFields: [
                .accept: "*/*", .authorization: "Basic hunter2", .proxyAuthorization: "hunter2", .cookie: "a=hunter2",
                key: "hunter2", .referer: "http://u:hunter2@h/?token=hunter2#access_token=hunter2&d=3",
            ]
        )
        #expect(
            hiding.request(request) == [
                "GET /a?b=1&api_key=REDACTED&c=2 HTTP/1.1", "Host: example.org", "Accept: */*",
                "Authorization: Basic REDACTED", "Proxy-Authorization: REDACTED", "Cookie: REDACTED",
                "X-Api-Key: REDACTED", "Referer: http://h/?token=REDACTED#access_token=REDACTED&d=3",
            ]
        )
        #expect(text.request(request).filter { $0.contains("hunter2") }.count == 6)
    }

    @Test func `the secrets of a shown response can be hidden`() throws {
        let link = try #require(HTTPField.Name("Link"))
        let open = try #require(HTTPField.Name("Access-Control-Allow-Credentials"))
        let head = ResponseHead(
            status: .found,
            headerFields: [
                .setCookie: "sid=hunter2; Path=/", .location: "/cb?code=hunter2&state=1",
                link: "</a?token=hunter2>; rel=\"next\", </b?c=1&key=hunter2>; rel=\"last\"",
                .server: "a?token=hunter2",
                open: "true", .wwwAuthenticate: "Basic realm=x", .vary: "Cookie",
            ]
        )
        #expect(
            hiding.response(head).dropFirst() == [
                "Set-Cookie: REDACTED", "Location: /cb?code=REDACTED&state=1",
                "Link: </a?token=REDACTED>; rel=\"next\", </b?c=1&key=REDACTED>; rel=\"last\"",
                "Server: a?token=REDACTED",
                "Access-Control-Allow-Credentials: true", "WWW-Authenticate: Basic realm=x", "Vary: Cookie",
            ]
        )
        #expect(text.response(head).filter { $0.contains("hunter2") }.count == 4)
    }

    @Test(arguments: [
        ("//u:hunter2@h/x", "//h/x"), ("<//u:hunter2@h/>", "<//h/>"),
        ("<http://a/>; rel=x, <http://u:hunter2@b/>", "<http://a/>; rel=x, <http://b/>"),
        ("http://h/p?next=http://u:hunter2@h/", "http://h/p?next=http://h/"),
        ("http://h/x?x=a>b&access_token=hunter2", "http://h/x?x=a>b&access_token=REDACTED"),
        ("0; url=http://h/?token=hunter2", "0; url=http://h/?token=REDACTED"),
        ("/a?b=c;token=hunter2", "/a?b=c;token=REDACTED"),
        ("/cb;jsessionid=hunter2?a=1", "/cb;jsessionid=REDACTED?a=1"),
        ("/?next=http%3A%2F%2Fh%2F%3Ftoken%3Dhunter2&a=b", "/?next=REDACTED&a=b"),
        (
            #"x; url="http://h/?token=hunter2"; y="a"; key="hunter2 b""#,
            #"x; url="http://h/?token=REDACTED"; y="a"; key=REDACTED"#
        ),
        (#"x; token="hunter2, a=b"; c=d"#, "x; token=REDACTED; c=d"), ("h/?token=", "h/?token=REDACTED"),
    ])
    func `secrets in every part of a shown URL are hidden`(text: String, shown: String) {
        #expect(hiding.shown(url: text) == shown)
    }

    @Test(arguments: [
        "/login?next=https://app&email=me@x.org&a=1", "/go?to=https://host&user=me@example.org", "/a//b@c/d",
        "<https://a.org>; rel=\"author\"; title=\"me@x\", <https://b.org/?a=1>", "text/html; charset=utf-8", "a=b=c",
        "",
        "/?q=50%&r=%C3%A9", "max-age=5, public", "=", "\"", "a=\"", "http://h:1/?a[b]=1#x=2",
    ])
    func `a shown head keeps every text that is not a secret`(text: String) {
        #expect(hiding.shown(url: text) == text)
    }

    @Test func `a response head is shown as its status line and fields`() {
        let head = ResponseHead(status: .notFound, headerFields: [.server: "x"])
        #expect(text.response(head) == ["HTTP/1.1 404 Not Found", "Server: x"])
    }

    @Test func `shown timings have only the stages that happened`() {
        var timings = Timings()
        timings.connect = .microseconds(310)
        timings.total = .milliseconds(1304)
        #expect(text.timings(timings) == "connect 0.31 ms, total 1304 ms (new connection)")
        #expect(text.timings(timings, stream: 5).hasSuffix(" (stream 5 of a new connection)"))
        let all = text.timings(timings, of: (3, .milliseconds(2000)))
        #expect(all == "connect 0.31 ms, total 1304 ms (new connection); 3 requests in 2000 ms")
        let short = text.timings(timings, of: (2, .milliseconds(2000)), showsPhases: false)
        #expect(short == "new connection; 2 requests in 2000 ms")
    }
}
