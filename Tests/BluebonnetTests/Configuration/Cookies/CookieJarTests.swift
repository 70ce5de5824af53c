import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// A jar in memory: reading, changing, observing.
@Suite(.timeLimit(.minutes(5)))
struct CookieJarTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `what a server sets is sent back to it`() throws {
        let jar = CookieJar()
        #expect(jar.set("id=1; Path=/; HttpOnly", from: try url("https://example.com/login")))
        #expect(jar.set("theme=dark; Domain=example.com; Path=/", from: try url("https://www.example.com/")))
        #expect(jar.header(for: try url("https://example.com/x")) == "id=1; theme=dark")
        #expect(jar.header(for: try url("https://api.example.com/")) == "theme=dark")
        #expect(jar.header(for: try url("https://example.org/")) == nil)
        #expect(jar.cookies.map(\.name) == ["id", "theme"])
    }

    @Test func `a cookie without a name is sent as its value`() throws {
        let jar = CookieJar()
        #expect(jar.set("value", from: try url("https://example.com/")))
        #expect(jar.header(for: try url("https://example.com/")) == "value")
    }

    @Test func `http neither changes nor hides a secure cookie`() throws {
        let jar = CookieJar()
        #expect(jar.set("id=1; Secure; Path=/", from: try url("https://example.com/")))
        for text in ["id=2; Path=/", "id=2; Path=/; Domain=example.com", "id=2; Path=/x", "id=; Max-Age=0; Path=/"] {
            #expect(!jar.set(text, from: try url("http://example.com/")), "\(text)")
        }
        // It would hide it for no request, but the rule is about domains alone.
        #expect(!jar.set("id=2; Path=/", from: try url("http://www.example.com/")))
        #expect(jar.set("id=2; Path=/", from: try url("http://example.org/")))
        #expect(jar.header(for: try url("https://example.com/x")) == "id=1")
        #expect(jar.set("id=3; Path=/", from: try url("https://example.com/")))
        #expect(jar.header(for: try url("http://example.com/x")) == "id=3")
    }

    @Test(arguments: [
        Cookie(name: "", value: "", domain: "example.com"), Cookie(name: "a", value: "b\n", domain: "example.com"),
        Cookie(name: "a;b", value: "c", domain: "example.com"), Cookie(name: "a=b", value: "c", domain: "example.com"),
        Cookie(name: "a", value: "b;c", domain: "example.com"), Cookie(name: "a", value: "b", domain: ""),
        Cookie(name: "a", value: "b", domain: "exa mple.com"), Cookie(name: "a", value: "b", domain: "bücher.example"),
        Cookie(name: "a", value: "b", domain: "co.uk"), Cookie(name: "__Secure-a", value: "b", domain: "example.com"),
        Cookie(name: "__Host-a", value: "b", domain: "example.com", isSecure: true),
        Cookie(name: "a", value: String(repeating: "x", count: 4_096), domain: "example.com"),
        Cookie(name: "a", value: "b", domain: "example.com", path: "/\r\nx"),
        Cookie(name: "a", value: "b", domain: "example.com", path: "/" + String(repeating: "x", count: 1_024)),
    ])
    func `a cookie that could not be sent is refused`(_ cookie: Cookie) {
        let jar = CookieJar()
        #expect(!jar.set(cookie) && jar.cookies.isEmpty)
        jar.replace(with: [cookie])
        #expect(jar.cookies.isEmpty)
    }

    @Test func `the owner sets cookies for any host, and removes them`() throws {
        let jar = CookieJar()
        let cookie = Cookie(name: "a", value: "b", domain: ".Example.com", isSecure: true)
        #expect(jar.set(cookie))
        #expect(try jar.cookies(for: url("https://x.example.com/")).map(\.identity) == [cookie.identity])
        #expect(jar.set(Cookie(name: "b", value: "c", domain: "localhost", isHostOnly: true)))
        #expect(jar.remove(cookie.identity)?.value == "b" && jar.remove(cookie.identity) == nil)
        #expect(jar.cookies.map(\.name) == ["b"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty && "\(jar)" == "CookieJar with 0 cookies")
    }

    @Test func `the path of a request may have a semicolon, and is no longer than an attribute`() throws {
        let jar = CookieJar()
        #expect(jar.set("a=b", from: try url("https://example.com/x;v=1/y")))
        #expect(jar.cookies.first.map { $0.path == "/x;v=1" && $0.isAcceptable } == true)
        let long = try url("https://example.com/" + String(repeating: "x", count: 2_000) + "/y")
        #expect(!jar.set("c=d", from: long))
        #expect(jar.set("c=d; Path=/", from: long))
        #expect(jar.header(for: long) == "c=d")
    }

    @Test func `a cookie whose time is over is shown no more`() throws {
        let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        let jar = CookieJar { now.withLock { $0 } }
        jar.set("a=b; Max-Age=60; Path=/", from: try url("https://example.com/"))
        #expect(jar.cookies.count == 1)
        now.withLock { $0 += 60 }
        #expect(try jar.cookies.isEmpty && jar.header(for: url("https://example.com/")) == nil)
    }

    @Test func `replacing leaves none of the old cookies`() throws {
        let jar = CookieJar()
        jar.set("a=1; Path=/", from: try url("https://example.com/"))
        jar.set("b=1; Path=/", from: try url("https://example.org/"))
        jar.replace(with: [Cookie(name: "c", value: "1", domain: "example.com")])
        #expect(jar.cookies.map(\.name) == ["c"])
    }

    @Test func `the cookies of the session are removed alone`() throws {
        let jar = CookieJar()
        jar.set("a=1", from: try url("https://example.com/"))
        jar.set("b=1; Max-Age=60", from: try url("https://example.com/"))
        jar.removeSessionCookies()
        #expect(jar.cookies.map(\.name) == ["b"])
    }

    @Test func `one response sets no more cookies than a domain can have`() throws {
        let jar = CookieJar(limits: CookieJar.Limits(cookiesPerDomain: 3))
        let source = try CookieSource.of("https://www.example.com/")
        let taken = jar.receive(
            (0..<9).map { "a\($0)=b; Domain=\($0 % 2 == 0 ? "www." : "")example.com" },
            from: source
        )
        #expect(taken == 3 && jar.cookies.map(\.name) == ["a0", "a1", "a2"])
    }

    @Test func `each of several values is a cookie, also with commas in it`() throws {
        let jar = CookieJar()
        let source = try CookieSource.of("https://example.com/")
        jar.receive(["a=1, b=2; Path=/", "c=3; Expires=Fri, 31 Dec 2100 23:59:59 GMT"], from: source)
        #expect(jar.cookies.map(\.pair) == ["a=1, b=2", "c=3"])
    }

    @Test func `observers hear all changes in their order`() async throws {
        let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        var jar: CookieJar? = CookieJar(limits: .init(cookiesPerDomain: 1)) { now.withLock { $0 } }
        let changes = try #require(jar?.changes())
        let source = try url("https://example.com/")
        for text in ["a=1", "a=2", "a=2", "a=; Max-Age=0", "b=1; Max-Age=9", "c=1"] { jar?.set(text, from: source) }
        now.withLock { $0 += 10 }
        jar?.removeAll()
        jar = nil
        var heard: [String] = []
        for await change in changes { heard.append("\(change.kind.rawValue) \(change.cookie.pair)") }
        let expected = [
            "added a=1", "changed a=2", "removed a=2", "added b=1", "added c=1", "evicted b=1", "removed c=1",
        ]
        #expect(heard == expected)
    }

    @Test func `an observer that does not read loses the oldest changes, and may leave`() async throws {
        let jar = CookieJar()
        do {
            var changes = jar.changes(bufferingNewest: 2).makeAsyncIterator()
            for name in ["a", "b", "c"] { jar.set(Cookie(name: name, value: "1", domain: "example.com")) }
            #expect(await changes.next()?.cookie.name == "b")
            #expect(await changes.next()?.cookie.name == "c")
        }
        #expect(jar.state.withLock { $0.observers.isEmpty })
    }

    @Test func `a jar can be used from many threads`() async throws {
        let jar = CookieJar()
        let source = try url("https://example.com/")
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for index in 0..<100 {
                        jar.set("c\(number)=\(index); Path=/", from: source)
                        _ = jar.header(for: source)
                    }
                }
            }
        }
        #expect(jar.cookies.count == 8 && jar.cookies.allSatisfy { $0.value == "99" })
    }
}
