import Testing

@testable import BluebonnetCommand

@Suite struct DotSegmentsTests {
    @Test(arguments: [
        ("http://a/b/../c", "http://a/c"), ("http://a/./../../etc/x", "http://a/etc/x"), ("http://a/b/..", "http://a/"),
        ("http://a/b/.", "http://a/b/"), ("http://a/..", "http://a/"), ("http://a/b//../c", "http://a/b/c"),
        ("http://a/b/../c?d=/../e#/../f", "http://a/c?d=/../e#/../f"), ("http://a?b=/../c", "http://a?b=/../c"),
        ("http://a#/../c", "http://a#/../c"), ("http://a", "http://a"), ("http://a/b/", "http://a/b/"),
        ("http://a/.b/c.", "http://a/.b/c."), ("http://a/...", "http://a/..."), ("http://../b", "http://../b"),
        ("a/../b", "a/../b"), ("http://a/b\u{301}/../c", "http://a/c"),
    ])
    func `dot segments of the path lead where they say`(url: String, expected: String) {
        #expect(DotSegments.removed(from: url) == expected)
    }

    @Test(arguments: [("", ""), ("/", "/"), ("/a/./b", "/a/b"), ("/a/b/../..", "/"), ("/../a", "/a")])
    func `a path alone is resolved, too`(path: String, expected: String) {
        #expect(DotSegments.removed(fromPath: path) == expected)
    }
}
