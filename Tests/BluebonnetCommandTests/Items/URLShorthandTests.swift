import FoundationEssentials
import Testing

@testable import BluebonnetCommand

@Suite struct URLShorthandTests {
    @Test(arguments: [
        (":8080/path", "http://localhost:8080/path"),
        (":8080", "http://localhost:8080"),
        (":/path", "http://localhost/path"),
        (":", "http://localhost"),
        (":8080?a=1", "http://localhost:8080?a=1"),
        ("localhost", "http://localhost"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("example.org/a?b=http://c", "http://example.org/a?b=http://c"),
        ("://example.org", "http://example.org"),
        ("//example.org", "http://example.org"),
        ("https://example.org/x", "https://example.org/x"),
        ("http+unix://%2Ftmp%2Fs/x", "http+unix://%2Ftmp%2Fs/x"),
        ("[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://\u{301}.example/", "http://\u{301}.example/"),
        (":/\u{301}", "http://localhost/\u{301}"),
        ("//\u{301}.example", "http://\u{301}.example"),
    ])
    func `a URL without scheme is http, and one without host is localhost`(argument: String, url: String) {
        #expect(URLShorthand.expand(argument) == url)
    }

    @Test func `the scheme of short URLs can be chosen`() {
        #expect(URLShorthand.expand("example.org", scheme: "https") == "https://example.org")
        #expect(URLShorthand.expand("http://example.org", scheme: "https") == "http://example.org")
    }

    @Test(arguments: [
        ("http://localhost/get?a=1", "/tmp/a.sock", "http+unix://%2Ftmp%2Fa.sock/get?a=1"),
        ("https://example.org", "/tmp/a b", "https+unix://%2Ftmp%2Fa%20b/"),
    ])
    func `the path of a Unix-domain socket takes the place of the host`(url: String, path: String, expected: String)
        throws
    {
        let url = try #require(URL(string: url))
        #expect(try URLShorthand.overUnixSocket(url, path: path).absoluteString == expected)
    }

    @Test(arguments: ["ftp://example.org/", "http+unix://%2Ftmp%2Fs/"])
    func `a Unix-domain socket needs an http URL`(url: String) throws {
        let url = try #require(URL(string: url))
        #expect(throws: CommandFailure.self) { try URLShorthand.overUnixSocket(url, path: "/tmp/s") }
    }

    @Test(arguments: [
        ("http://example.org/", "example.org"), ("http://example.org:80/", "example.org"),
        ("https://example.org:443/", "example.org"), ("https://example.org:80/", "example.org:80"),
        ("http://[::1]:8080/", "[::1]:8080"), ("http+unix://%2Ftmp%2Fs/", "localhost"),
    ])
    func `the host of a URL has a port only where it is not the default`(url: String, host: String) throws {
        #expect(URLShorthand.host(of: try #require(URL(string: url))) == host)
    }
}
