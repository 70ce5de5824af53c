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
            #expect(page.contains("<a href=\"/fault/truncate/5\"><code>/fault/truncate/:bytes?chunked</code></a>"))
            #expect(page.contains("numbytes=10&amp;duration=2&amp;delay=0"))
            #expect(page.contains("<td>POST</td><td><code>/post</code></td>"))
        }
    }
}
