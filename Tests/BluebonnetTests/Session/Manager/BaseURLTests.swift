import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct BaseURLTests {
    private static let whole: [(String, String)] = [
        ("http://x", "http://x"),
        ("http://x/", "http://x/"),
        ("http://x/v1", "http://x/v1/"),
        ("http://x/v1/", "http://x/v1/"),
        ("http://x:81/a/b", "http://x:81/a/b/"),
    ]

    @Test(arguments: whole)
    func `a base URL with a path ends in a slash`(text: String, expected: String) throws {
        let base = BaseURL(URL(string: text))
        #expect(base.url?.absoluteString == expected)
    }

    /// AFNetworking's rules: base, path, URL.
    private static let resolved: [(String, String, String)] = [
        ("http://x/v1", "foo", "http://x/v1/foo"),
        ("http://x/v1/", "foo", "http://x/v1/foo"),
        ("http://x/v1/", "foo/", "http://x/v1/foo/"),
        ("http://x/v1/", "foo/bar", "http://x/v1/foo/bar"),
        ("http://x/v1/", "foo/bar.json", "http://x/v1/foo/bar.json"),
        ("http://x/v1/", "/foo", "http://x/foo"),
        ("http://x/v1/", "", "http://x/v1/"),
        ("http://x/v1/", "?q=1", "http://x/v1/?q=1"),
        ("http://x/v1/", "foo?q=1", "http://x/v1/foo?q=1"),
        ("http://x/v1/", "foo#top", "http://x/v1/foo#top"),
        ("http://x/v1/", "./foo", "http://x/v1/foo"),
        ("http://x/v1/", "../foo", "http://x/foo"),
        ("http://x/v1/", "a/../foo", "http://x/v1/foo"),
        ("http://x/v1/", "a%20b", "http://x/v1/a%20b"),
        ("http://x/v1/", "a b", "http://x/v1/a%20b"),
        ("http://x/v1/", "é%20b", "http://x/v1/%C3%A9%20b"),
        ("http://x/v1/", "foo?a[]=%20&b=50%", "http://x/v1/foo?a%5B%5D=%20&b=50%25"),
        ("http://x/v1/", "https://y/é%2Fb", "https://y/%C3%A9%2Fb"),
        ("http://x/v1/", "//y/foo", "http://y/foo"),
        ("http://x/v1/", "https://y/foo", "https://y/foo"),
        ("http://x", "foo", "http://x/foo"),
        ("http://x/", "foo", "http://x/foo"),
        ("http://x", "/foo", "http://x/foo"),
        ("http://x:8080/v1", "users/42", "http://x:8080/v1/users/42"),
    ]

    @Test(arguments: resolved)
    func `a path is resolved against the base URL`(base: String, path: String, expected: String) throws {
        let url = try BaseURL(URL(string: base)).resolve(path)
        #expect(url.absoluteString == expected)
    }

    @Test func `what is encoded in the text of a base URL is not encoded again`() {
        #expect(BaseURL("http://x/é%20b").url?.absoluteString == "http://x/%C3%A9%20b/")
    }

    @Test func `a base URL with a query gets its slash before the query`() throws {
        let base = BaseURL(URL(string: "http://x/v1?key=1"))
        let url = try base.resolve("foo")
        #expect(url.absoluteString == "http://x/v1/foo")
    }

    @Test(arguments: ["foo", "/foo", "", "?q=1", "x.example/foo"])
    func `without a base URL a path has to be a whole URL`(path: String) {
        let error = #expect(throws: NetworkingError.self) { try BaseURL(nil).resolve(path) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("no base URL") == true)
    }

    @Test func `without a base URL a whole URL is taken as it is`() throws {
        let url = try BaseURL(nil).resolve("https://x/a?b=c#d")
        #expect(url.absoluteString == "https://x/a?b=c#d")
    }

    @Test func `a text that is not a URL is an error without the text's secrets`() throws {
        let base = BaseURL(URL(string: "http://x/"))
        let error = #expect(throws: NetworkingError.self) {
            try base.resolve("http://ada:password@x:port/?token=secret")
        }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.contains("secret") == false)
        #expect(error?.message.contains("password") == false)
    }

    /// Swift calls the two paths equal, because they look alike.
    @Test func `paths that look alike but have other bytes are resolved separately`() throws {
        let base = BaseURL(URL(string: "http://x/v1/"))
        #expect(try base.resolved("caf\u{E9}").url.absoluteString == "http://x/v1/caf%C3%A9")
        #expect(try base.resolved("cafe\u{301}").url.absoluteString == "http://x/v1/cafe%CC%81")
    }
}
