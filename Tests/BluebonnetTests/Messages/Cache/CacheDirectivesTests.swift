import Testing

@testable import Bluebonnet

/// `Cache-Control` as a value (RFC 9111 §5.2).
struct CacheDirectivesTests {
    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age = 60 ", 60), ("max-age=\"6\\0\"", 60),
        (",,max-age=60,,", 60), ("private=\"a, max-age=1\", max-age=60", 60), ("x=\"max-age=1\",max-age=60", 60),
        ("max-age=60, max-age=10", 10), ("max-age=10, max-age=60", 10), ("max-age=0", 0),
    ])
    func `a directive is found in any spelling, and the smaller of two numbers counts`(_ text: String, _ age: Int) {
        #expect(CacheDirectives([text]).maxAge == age)
    }

    @Test(arguments: ["max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=60s", "max-age=\"60"])
    func `a number that is none makes a response stale`(_ text: String) {
        #expect(CacheDirectives([text]).maxAge == (text == "max-age=\"60" ? 60 : 0))
    }

    @Test(arguments: ["2147483648", "99999999999", "99999999999999999999999999"])
    func `a number that is too large counts as 2 to the power of 31`(_ text: String) {
        #expect(CacheDirectives(["max-age=\(text)"]).maxAge == 1 << 31)
    }

    @Test func `several fields are one list`() {
        let directives = CacheDirectives(["no-cache", "max-age=5", "no-store, must-revalidate"])
        #expect(directives.flags == [.noCache, .noStore, .mustRevalidate])
        #expect(directives.maxAge == 5)
    }

    @Test func `fields that are named restrict only themselves`() {
        let directives = CacheDirectives(["no-cache=\"Set-Cookie, X-A\", private=\"X-B\""])
        #expect(directives.noCacheFields == ["set-cookie", "x-a"] && directives.privateFields == ["x-b"])
        #expect(directives.flags == [.isPrivate])
        #expect(CacheDirectives(["no-cache=\"\", private"]).flags == [.noCache, .isPrivate, .isWhollyPrivate])
    }

    @Test func `max-stale without a number is any staleness`() {
        #expect(CacheDirectives(["max-stale"]).maxStale == .max)
        #expect(CacheDirectives(["max-stale=10"]).maxStale == 10)
        #expect(CacheDirectives(["max-stale=x"]).maxStale == nil)
    }

    @Test func `what is not well-formed is passed over`() {
        for text in ["", ",", "=", "\"", "=\"", "max-age\"=5", "\\", "a=\"\\", ";max-age=5"] {
            #expect(CacheDirectives([text]).maxAge == nil, "\(text)")
        }
    }

    @Test func `a long value takes time in proportion to its length`() {
        let text = String(repeating: "no-store=\"\\\\\\\"\", ", count: 20_000) + "max-age=7"
        #expect(CacheDirectives([text]).maxAge == 7)
    }
}
