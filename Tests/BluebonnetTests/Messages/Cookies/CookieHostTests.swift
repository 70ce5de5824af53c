import Foundation
import Testing

@testable import Bluebonnet

/// The hosts and paths of cookies (RFC 6265bis §5.1).
struct CookieHostTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("badexample.com", "example.com", false),
        ("example.com", "www.example.com", false), ("com", "example.com", false), ("1.2.3.4", "3.4", false),
        ("1.2.3.4", "1.2.3.4", true), ("::1", "::1", true), ("x.1", "1", false), ("127.0.0.0x1", "0.0x1", false),
    ])
    func `a host matches its own domain and those above it, and an address only itself`(
        _ host: String,
        _ domain: String,
        _ matches: Bool
    ) {
        #expect(CookieHost.matches(host, domain: domain) == matches)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a/b", "/a", true), ("/ab", "/a", false), ("/a/", "/a/", true),
        ("/a", "/a/", false), ("/a/b", "/a/", true), ("/A", "/a", false), ("/", "/a", false),
    ])
    func `a path matches itself and what is below it`(_ path: String, _ cookiePath: String, _ matches: Bool) {
        #expect(CookieHost.matches(path: path, cookiePath: cookiePath) == matches)
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("", "/"), ("a/b", "/"),
    ])
    func `the default path is that of the request up to its last slash`(_ path: String, _ expected: String) {
        #expect(CookieHost.defaultPath(of: path) == expected)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("::1", true), ("fe80::1%eth0", true), ("1", true), ("example.com", false),
        ("1.example", false), ("a1", false), ("", false), ("host.1a", false), ("127.0.0.0x1", true), ("0x7f", true),
        ("0x7F000001", true), ("a.0x", true), ("a.0xg", false), ("a.x1", false), ("0x1.example", false),
        ("127.0.0.1.", true), (".", false),
    ])
    func `an address is known by its colon or its last number`(_ host: String, _ isAddress: Bool) {
        #expect(CookieHost.isAddress(host) == isAddress)
    }

    @Test(arguments: [
        ("https://Example.COM./a/b?c=/d#e", "example.com", "/a/b", true), ("http://[::1]:8080", "::1", "/", false),
        ("http://127.0.0.1/x%2Fy", "127.0.0.1", "/x%2Fy", false),
    ])
    func `a URL is read as the engine reads it`(_ text: String, _ host: String, _ path: String, _ isSecure: Bool) throws
    {
        let source = try CookieSource.of(text)
        #expect(source.host == host && source.path == path && source.isSecure == isSecure)
    }

    @Test func `a socket of the file system has no cookies, nor has a URL without a host`() throws {
        for text in ["http+unix://%2Ftmp%2Fsocket/a", "file:///a", "mailto:a@example.com"] {
            #expect(CookieSource(try #require(URL(string: text))) == nil, "\(text)")
        }
    }

    @Test func `the site of a host is its registrable domain`() throws {
        for (text, site) in [
            ("https://a.b.example.co.uk/", "example.co.uk"), ("https://co.uk/", "co.uk"),
            ("http://127.0.0.1/", "127.0.0.1"), ("http://localhost/", "localhost"),
        ] {
            #expect(CookieSource(try #require(URL(string: text)))?.site == site)
        }
    }
}
