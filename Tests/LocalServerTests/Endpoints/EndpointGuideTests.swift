import Foundation
import Testing

@testable import LocalServer

@Suite(.timeLimit(.minutes(5)))
struct EndpointGuideTests {
    private var entries: [EndpointGuide.Entry] { EndpointGuide.sections.flatMap(\.entries) }

    @Test func `each endpoint is on the page at the root, and nothing else is`() {
        let paths = EndpointRouter.standard().paths
        #expect(Set(entries.map(\.path)) == paths)
    }

    @Test func `each example of the page leads to an endpoint`() {
        for entry in entries {
            let target = entry.example ?? entry.path
            let path = target.prefix { $0 != "?" }.split(separator: "/").map(String.init)
            let endpoint = Endpoint(entry.path) { _ in .text("") }
            #expect(endpoint.match(path) != nil, "\(target)")
            #expect(entry.example != nil || !entry.path.contains(":"), "\(entry.path) needs an example")
        }
    }

    @Test func `the page shows methods, parameters and links`() async throws {
        try await LocalServer.run { server in
            let page = try await RawResponse.fetch("/", from: server).text
            #expect(
                page.contains(
                    "<a href=\"/fault/truncate/5\"><code>/fault<wbr>/truncate<wbr>/<var>:bytes</var><wbr><i>?chunked</i>"
                )
            )
            #expect(page.contains("<i>?numbytes=10<wbr>&amp;duration=2<wbr>&amp;delay=0<wbr>&amp;code=200</i>"))
            #expect(page.contains("<b class=\"post\">POST</b>"))
            #expect(page.contains("<a href=\"/post\" data-method=\"POST\" data-body=\"name=Ada\">"))
        }
    }

    @Test func `each example of the page has the response of its endpoint`() async throws {
        // Those that take seconds, and those that fail on purpose, have tests of their own.
        let slow: Set = ["delay/:seconds", "drip", "sse"]
        try await LocalServer.run { server in
            for entry in entries where !slow.contains(entry.path) && !entry.path.hasPrefix("fault/") {
                let method = entry.method?.split(separator: ",").first.map(String.init) ?? "GET"
                let target = "/" + (entry.example ?? entry.path + (entry.query.map { "?" + $0 } ?? ""))
                let type = entry.body?.hasPrefix("{") == true ? "application/json" : "application/x-www-form-urlencoded"
                let response = try await RawResponse.fetch(
                    target,
                    method: method,
                    headers: entry.body.map { _ in [("Content-Type", type)] } ?? [],
                    body: Array((entry.body ?? "").utf8),
                    from: server
                )
                #expect(
                    [200, 302, 307, 401].contains(response.status) || Self.others[entry.path] == response.status,
                    "\(target): \(response.status)"
                )
            }
        }
    }

    private static let others = ["status/:codes": 418, "hidden-basic-auth/:user/:password": 404, "websocket": 426]

    @Test func `the page needs nothing from another place`() {
        for part in ["src=", "@import", "url("] { #expect(!EndpointGuide.page.contains(part)) }
    }
}
