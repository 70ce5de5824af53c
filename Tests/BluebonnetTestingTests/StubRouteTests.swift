import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct StubRouteTests {
    private static let table: [(StubRoute, HTTPRequest.Method, String, Bool)] = [
        (.get("/a"), .get, "http://x/a", true),
        (.get("/a"), .post, "http://x/a", false),
        (.any("/a"), .post, "http://y:81/a", true),
        (.get("/a"), .get, "http://x/a?b=1", true),
        (.get("/a"), .get, "http://x/a/", false),
        (.get("/a?b=1"), .get, "http://x/a?b=1", true),
        (.get("/a?b=1"), .get, "http://x/a?b=2", false),
        (.get("/a?b=1"), .get, "http://x/a", false),
        (.get("a"), .get, "http://x/a", true),
        (.get("/"), .get, "http://x", true),
        (.get("/a%20b"), .get, "http://x/a%20b", true),
    ]

    @Test(arguments: table)
    func `a stub route matches by method, path and query`(
        route: StubRoute,
        method: HTTPRequest.Method,
        url: String,
        isMatch: Bool
    ) throws {
        let request = Request(method: method, url: try #require(URL(string: url)))
        #expect(route.matches(request) == isMatch)
    }

    @Test func `the description of a stub route is its method and path`() {
        let routes: [StubRoute] = [
            .get("/a"), .head("a"), .post("/"), .put("/b"), .patch("/c"), .delete("/d?e"), .any("/f"),
        ]
        #expect(
            routes.map(\.description) == ["GET /a", "HEAD /a", "POST /", "PUT /b", "PATCH /c", "DELETE /d?e", "/f"]
        )
    }
}
