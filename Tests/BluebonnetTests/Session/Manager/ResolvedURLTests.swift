import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ResolvedURLTests {
    private let base = BaseURL("http://x:81/v1")

    /// The place of a text in memory: a text of more than 15 bytes is there once, however often it
    /// is copied.
    private static func address(of text: String) -> UInt? {
        unsafe text.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `a repeated path is not resolved again`() throws {
        let path = "users/42/photos/newest"
        let (first, second) = (try base.resolved(path), try base.resolved(path))
        let again = ResolvedURL(try base.resolve(path))
        #expect(first.url.absoluteString == "http://x:81/v1/users/42/photos/newest")
        #expect([second.url, again.url] == [first.url, first.url])
        #expect([second.target, again.target] == [first.target, first.target])
        let paths = try [first, second, again].map { try #require($0.target).path }
        let addresses = try paths.map { try #require(Self.address(of: $0)) }
        #expect(addresses[1] == addresses[0])
        #expect(addresses[2] != addresses[0], "resolving makes another text")
        #expect(base.keptCount == 1)
    }

    @Test func `the engine sees a change of the request's URL`() throws {
        var request = Request(method: .get, resolved: try base.resolved("users"), headerFields: [:])
        #expect(try request.target.path == "/v1/users")
        request.url = try #require(URL(string: "http://y/other?page=2"))
        #expect(try request.target.path == "/other?page=2")
        #expect(try request.target.host == "y")
    }

    @Test func `a copy of a request keeps its own URL`() throws {
        let original = Request(method: .get, resolved: try base.resolved("users"), headerFields: [:])
        var copy = original
        try copy.appendQuery("a=1")
        #expect(try copy.target.path == "/v1/users?a=1")
        #expect(try original.target.path == "/v1/users")
    }

    @Test func `the cache of URLs stays small and keeps no long text`() throws {
        for index in 0..<1000 { _ = try base.resolved("users/\(index)") }
        #expect((1...BaseURL.mostKept).contains(base.keptCount))
        let before = base.keptCount
        _ = try base.resolved(String(repeating: "a", count: 257))
        #expect(base.keptCount == before)
    }

    @Test func `a path that is not a URL fails every time`() {
        let base = BaseURL(nil)
        for _ in 0..<2 {
            #expect(throws: NetworkingError.self) { try base.resolved("users") }
        }
        #expect(base.keptCount == 0)
    }

    @Test func `a URL that cannot be requested fails when the request is sent`() throws {
        let request = Request(method: .get, resolved: try base.resolved("ftp://x/file"), headerFields: [:])
        #expect(throws: NetworkingError.self) { try request.target }
    }
}
