import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// What a recorder of HTTP archives keeps in memory.
@Suite(.timeLimit(.minutes(5)))
struct HARLimitsTests {
    /// What a body was made of: it is there as long as the body.
    private final class Source: Sendable {}

    /// Makes bodies, and tells how many of them somebody still holds.
    private final class Bodies {
        private struct Weak { weak var source: Source? }

        private var made: [Weak] = []

        func body(_ count: Int) -> RequestBody {
            let source = Source()
            made.append(Weak(source: source))
            return RequestBody(.bytes(ByteBuffer(repeating: 7, count: count)), madeOf: source)
        }

        /// For each of them, whether it is held.
        var held: [Bool] { made.map { $0.source != nil } }
    }

    private static let echo: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]

    @Test func `a body that is not recorded is not kept`() async throws {
        var options = HAROptions()
        options.bodyLimit = 4
        let (recorder, bodies) = (HARRecorder(options: options), Bodies())
        try await FaultServer.run(Self.echo) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                for count in [5, 4] {
                    _ = try await session.data(for: Request(.post, to: server.baseURL, body: bodies.body(count)))
                }
            }
        }
        let entries = try #require(recorder.log.json["log"]?["entries"]?.array)
        #expect(bodies.held.first == false)
        #expect(entries.map { $0["request"]?["bodySize"]?.int } == [5, 4])
        #expect(entries.map { $0["request"]?["postData"]?["text"]?.string?.isEmpty } == [true, false])
    }

    @Test func `neither is that of a request that failed`() async throws {
        var options = HAROptions()
        options.bodyLimit = 4
        let (recorder, bodies) = (HARRecorder(options: options), Bodies())
        try await FaultServer.run([.readRequest, .close]) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                let request = try Request(.post, to: server.baseURL, body: bodies.body(5))
                _ = try? await session.data(for: request)
            }
        }
        #expect(recorder.log.entryCount == 1)
        #expect(bodies.held == [false])
        #expect(recorder.log.json["log"]?["entries"]?[0]?["response"]?["_error"]?.string == "connection-lost")
    }

    @Test func `a task that is forgotten is released at once`() async throws {
        var options = HAROptions()
        options.entryLimit = 3
        let (recorder, bodies) = (HARRecorder(options: options), Bodies())
        try await FaultServer.run(Self.echo) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                for count in 1...5 {
                    _ = try await session.data(for: Request(.post, to: server.baseURL, body: bodies.body(count)))
                }
            }
        }
        #expect(recorder.log.entryCount == 3)
        #expect(bodies.held.prefix(2) == [false, false])
    }

    @Test func `a body that was sent again counts once`() async throws {
        var options = HAROptions()
        options.byteLimit = 25_000
        let (recorder, bodies) = (HARRecorder(options: options), Bodies())
        let script = FaultServer.Script.requests { request in
            request.target == "/a" ? [.respond(307, headers: [("Location", "/b")])] : [.respond()]
        }
        try await FaultServer.run(script) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                for _ in 0..<2 {
                    let request = try Request(.post, to: server.baseURL + "/a", body: bodies.body(10_000))
                    _ = try await session.data(for: request)
                }
            }
        }
        #expect(recorder.log.entryCount == 4)
    }

    @Test func `the oldest tasks are forgotten beyond the limit of bytes, but never the last one`() async throws {
        var options = HAROptions()
        options.byteLimit = 25_000
        let (recorder, bodies) = (HARRecorder(options: options), Bodies())
        try await FaultServer.run(Self.echo) { server in
            try await withSession(SessionConfiguration { $0.observers = [recorder] }) { session in
                for _ in 0..<4 {
                    _ = try await session.data(for: Request(.post, to: server.baseURL, body: bodies.body(10_000)))
                }
                #expect(recorder.log.entryCount == 2)
                _ = try await session.data(for: Request(.post, to: server.baseURL, body: bodies.body(30_000)))
            }
        }
        #expect(recorder.log.entryCount == 1)
        #expect(recorder.log.json["log"]?["entries"]?[0]?["request"]?["bodySize"]?.int == 30_000)
        recorder.removeAll()
        #expect(recorder.log.entryCount == 0)
    }
}
