import Foundation
import Testing

@testable import Bluebonnet

/// The values of `Set-Cookie` fields, and which of them become cookies (RFC 6265bis §5.6, §5.7).
struct SetCookieFieldTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func cookie(_ text: String, from url: String = "https://www.example.com/a/b") throws -> Cookie? {
        Cookie(setCookie: text, from: try #require(URL(string: url)), now: Self.now)
    }

    // MARK: Names and values

    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b ", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""), ("b", "", "b"),
        ("=b", "", "b"), ("a=\"b c\"", "a", "\"b c\""), ("\ta\t=\tb\t", "a", "b"), ("a=b,c", "a", "b,c"),
        ("ä=ö", "ä", "ö"), ("a=b\tc", "a", "b\tc"), ("a=b;", "a", "b"),
    ])
    func `name and value are what is on both sides of the first equals sign`(
        _ text: String,
        _ name: String,
        _ value: String
    ) throws {
        let cookie = try #require(try cookie(text))
        #expect(cookie.name == name && cookie.value == value)
    }

    @Test(arguments: [
        "", "=", ";", " ; Secure", "a=b\u{0}", "a=b\n", "a\r=b", "a=b\u{7F}", "a=b; Path=/\u{1}", "a=\u{FFFD}",
    ])
    func `a cookie without name and value, or with a control character, is ignored`(_ text: String) throws {
        #expect(try cookie(text) == nil)
    }

    @Test func `name and value have 4,096 bytes together`() throws {
        let longest = "abc=" + String(repeating: "x", count: 4_093)
        #expect(try cookie(longest) != nil)
        #expect(try cookie(longest + "x") == nil)
        #expect(try cookie("abc=" + String(repeating: "ä", count: 2_047)) == nil)
    }

    @Test func `an attribute with more than 1,024 bytes is ignored`() throws {
        let path = "/" + String(repeating: "x", count: 1_023)
        #expect(try cookie("a=b; Path=/x; Path=\(path)")?.path == path)
        #expect(try cookie("a=b; Path=/x; Path=\(path)y")?.path == "/x")
    }

    // MARK: Attributes

    @Test func `attributes are read in any case, and those that are not known are skipped`() throws {
        let cookie = try #require(
            try cookie("a=b; secure;HTTPONLY ; PATH = /x ; domain=.Example.COM; SameSite=strict; Priority=High; =; x")
        )
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.path == "/x" && cookie.domain == "example.com")
        #expect(!cookie.isHostOnly && cookie.sameSite == .strict && cookie.expires == nil)
    }

    @Test func `the last of several attributes counts`() throws {
        let cookie = try #require(try cookie("a=b; Path=/x; Path=/y; Domain=www.example.com; Domain=example.com"))
        #expect(cookie.path == "/y" && cookie.domain == "example.com")
        #expect(try self.cookie("a=b; Domain=example.com; Domain=")?.isHostOnly == true)
    }

    @Test(arguments: ["a=b", "a=b; Path=", "a=b; Path=x", "a=b; Path=/x; Path=x"])
    func `a path that does not begin with a slash is the default one`(_ text: String) throws {
        #expect(try cookie(text)?.path == "/a")
    }

    @Test(arguments: [
        ("Max-Age=60", 60), ("Max-Age=060", 60), ("Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 60),
        ("Expires=Fri, 15 Jan 2027 08:01:00 GMT", 60), ("Expires=Fri, 15 Jan 2027 08:01:00 GMT; Max-Age=x", 60),
        ("Expires=nonsense; Expires=Fri, 15 Jan 2027 08:01:00 GMT; Expires=x", 60),
        ("Max-Age=99999999999999999999999", 34_560_000), ("Expires=31 Dec 9999 23:59:59", 34_560_000),
        ("Max-Age=34560001", 34_560_000),
    ])
    func `an end is at most 400 days away, and Max-Age wins`(_ attributes: String, _ seconds: Int) throws {
        #expect(try cookie("a=b; \(attributes)")?.expires == Self.now + TimeInterval(seconds))
    }

    @Test(arguments: ["Max-Age=0", "Max-Age=-1", "Max-Age=-99999999999999999999", "Expires=01 Jan 70 00:00:00"])
    func `an end in the past is one`(_ attribute: String) throws {
        #expect(try cookie("a=b; \(attribute)")?.isExpired(at: Self.now) == true)
    }

    @Test(arguments: [
        "Max-Age=", "Max-Age=-", "Max-Age=1.5", "Max-Age=+1", "Max-Age=1s", "Expires=", "Expires=tomorrow",
    ])
    func `an end that is not understood is ignored`(_ attribute: String) throws {
        let cookie = try #require(try cookie("a=b; \(attribute)"))
        #expect(cookie.expires == nil)
    }

    // MARK: Domains

    @Test(arguments: [
        ("example.com", "https://www.example.com/"), ("EXAMPLE.com", "https://example.com/"),
        (".www.example.com", "https://www.example.com/"), ("example.com", "https://www.example.com./"),
    ])
    func `a domain is the host or above it`(_ domain: String, _ url: String) throws {
        let cookie = try #require(try cookie("a=b; Domain=\(domain)", from: url))
        #expect(!cookie.isHostOnly && domain.lowercased().hasSuffix(cookie.domain))
    }

    @Test(arguments: [
        ("example.org", "https://www.example.com/"), ("a.www.example.com", "https://www.example.com/"),
        ("ample.com", "https://example.com/"), ("..example.com", "https://example.com/"),
        ("example.com.", "https://example.com/"), ("com", "https://example.com/"), ("co.uk", "https://example.co.uk/"),
        ("github.io", "https://ada.github.io/"), ("localhost", "http://a.localhost/"),
        ("0.0.1", "http://127.0.0.1/"), ("1", "http://127.0.0.1/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("example.com:443", "https://example.com/"),
    ])
    func `a cookie of another domain is refused`(_ domain: String, _ url: String) throws {
        #expect(try cookie("a=b; Domain=\(domain)", from: url) == nil)
    }

    @Test(arguments: [
        ("github.io", "https://github.io/"), ("localhost", "http://localhost/"), ("127.0.0.1", "http://127.0.0.1/"),
    ])
    func `a public suffix and an address can set cookies for themselves alone`(_ domain: String, _ url: String) throws {
        let cookie = try #require(try cookie("a=b; Domain=\(domain)", from: url))
        #expect(cookie.isHostOnly && cookie.domain == domain)
    }

    // MARK: Secure cookies and prefixes

    @Test func `what comes by http is not for https alone`() throws {
        #expect(try cookie("a=b; Secure", from: "http://example.com/") == nil)
        // Browsers trust this machine; the library does not.
        #expect(try cookie("a=b; Secure", from: "http://localhost/") == nil)
    }

    @Test func `SameSite=None needs Secure, and an unknown value is none`() throws {
        #expect(try cookie("a=b; SameSite=None") == nil)
        #expect(try cookie("a=b; SameSite=None; Secure")?.sameSite == Cookie.SameSite.none)
        let unknown = try #require(try cookie("a=b; SameSite=Lax; SameSite=x"))
        #expect(unknown.sameSite == nil)
    }

    @Test(arguments: [
        ("__Secure-a=b; Secure", true), ("__secure-a=b", false), ("__Host-a=b; Secure; Path=/", true),
        ("__HOST-a=b; Secure; Path=/", true), ("__Host-a=b; Secure", false), ("__Host-a=b; Path=/", false),
        ("__Host-a=b; Secure; Path=/a", false), ("__Host-a=b; Secure; Path=/; Domain=www.example.com", false),
        ("__Host-a=b; Secure; Path=/; Domain=", true), ("=__Secure-a=b; Secure", false),
        ("__Host-a; Secure; Path=/", false), ("=__host-a=b; Secure; Path=/", false), ("x__Secure-a=b", true),
    ])
    func `a name keeps what its prefix promises, and a value without a name promises nothing`(
        _ text: String,
        _ isTaken: Bool
    ) throws {
        #expect(try (cookie(text) != nil) == isTaken)
    }

    @Test func `__Host- counts the default path for none`() throws {
        #expect(try cookie("__Host-a=b; Secure", from: "https://example.com/") == nil)
    }

    @Test func `what is printed of a cookie does not show its value`() throws {
        let cookie = try #require(try cookie("id=secret; Domain=example.com"))
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect("\(cookie)" == "id for .example.com/a" && !dumped.contains("secret") && dumped.contains("example.com"))
    }

    @Test func `a field of a megabyte takes no longer than it is`() throws {
        let long = String(repeating: "; Path=/x; =;Domain", count: 50_000)
        #expect(try cookie("a=b" + long)?.path == "/x")
    }
}
