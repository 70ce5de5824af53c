import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads that are continued in a session with a cache, over sockets.
@Suite(.timeLimit(.minutes(5)))
struct CachedDownloadTests {
    @Test(arguments: [false, true])
    func `a download is continued with the bytes of one version, and completes the stored part`(
        _ changes: Bool
    ) async throws {
        let headers = [(name: "Cache-Control", value: "max-age=600")]
        let responses = Mutex(RangeResponses(bytes: RangeResponses.bytes(300_000), headers: headers, cut: 120_000))
        let cache = HTTPCache()
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL, SessionConfiguration { $0.cache = cache }) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let error = try await networkingError { try await api.download("a", to: file) }
                    let resumeData = try #require(error.resumeData)
                    #expect(try await cache.records().map { $0.part?.lowerBound } == [0])
                    responses.withLock { responses in
                        responses.cut = nil
                        guard changes else { return }
                        (responses.bytes, responses.tag) = (RangeResponses.bytes(300_000, seed: 2), "\"v2\"")
                    }
                    try await api.download("a", to: file, resuming: resumeData)
                    let bytes = Data(responses.withLock(\.bytes))
                    #expect(try Data(contentsOf: file) == bytes)
                    #expect(server.requests.last?.value(of: "If-Range") == "\"v1\"")
                    let stored = try await api.session.data(for: Request(to: server.baseURL + "/a"))
                    #expect(stored.value == bytes && stored.isFromCache)
                    #expect(server.requests.count == 2)
                }
            }
        }
    }

    @Test func `a server without ranges sends the whole again`() async throws {
        let bytes = RangeResponses.bytes(300_000)
        let headers = [(name: "Cache-Control", value: "max-age=600")]
        let responses = Mutex(RangeResponses(bytes: bytes, headers: headers, cut: 120_000))
        let cache = HTTPCache()
        // It knows ranges without an end alone, and passes over others.
        let script = FaultServer.Script.requests { request in responses.withLock { $0.steps(request) } }
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration { $0.cache = cache }) { session in
                let request = try Request(to: server.baseURL + "/a")
                _ = try await networkingError { try await session.data(for: request) }
                #expect(try await cache.records().count == 1)
                responses.withLock { $0.cut = nil }
                #expect(try await session.data(for: request).value == Data(bytes))
                #expect(server.requests.last?.value(of: "Range")?.hasSuffix("-299999") == true)
                #expect(try await session.data(for: request).isFromCache)
            }
        }
    }
}
