import HTTPTypes
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// A body that is produced while it is sent is produced only as fast as the server reads it, and
/// only as far as the server wants it.
@Suite(.timeLimit(.minutes(5)))
struct RequestUploadTests {
    private static let pieceSize = 65_536

    /// Pieces of 64 KiB, counted as they are asked for; without a limit they never end.
    private static func pieces(_ counter: Counter, limit: Int = .max) -> AsyncStream<[UInt8]> {
        AsyncStream(unfolding: {
            guard !Task.isCancelled, counter.increment() <= limit else { return nil }
            return [UInt8](repeating: 7, count: Self.pieceSize)
        })
    }

    @Test func `a server that does not read holds the producer back`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readHead, .stopReading, .hold(gate), .startReading, .readRequest, .respond(body: "ok"),
        ]
        let limit = 512
        try await FaultServer.run(script, options: .init(receiveBuffer: 65_536)) { server in
            try await withSession { session in
                let counter = Counter()
                let body = RequestBody.stream(Self.pieces(counter, limit: limit))
                let task = try session.dataTask(for: Request(.post, to: server.baseURL, body: body))
                task.resume()
                try await until("the production began") { counter.value > 0 }
                let produced = try await settled { counter.value }
                #expect(produced < limit / 2)
                #expect(task.state == .running)
                gate.open()
                let value = try await task.value
                #expect(value == Data("ok".utf8))
                #expect(server.requests.first?.body.count == limit * Self.pieceSize)
                #expect(task.currentProgress.upload.completed == limit * Self.pieceSize)
            }
        }
    }

    @Test func `an early response ends an upload and is delivered`() async throws {
        let script: FaultServer.Script = [.readHead, .respond(413, body: "too big")]
        try await FaultServer.run(script) { server in
            try await withEngine { session, engine in
                let counter = Counter()
                let request = try Request(.post, to: server.baseURL, body: .stream(Self.pieces(counter)))
                let response = try await session.data(for: request)
                #expect(response.status.code == 413)
                #expect(response.value == Data("too big".utf8))
                try await server.waitUntilClientClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
                // This never settles if the production goes on.
                _ = try await settled { counter.value }
                #expect(session.tasks.isEmpty)
            }
        }
    }

    @Test(arguments: [0, 6])
    func `a request body is complete at its declared length although its source does not end`(length: Int) async throws
    {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession { session in
                for _ in 0..<3 {
                    let source = AsyncStream<[UInt8]>.makeStream()
                    let ended = Counter()
                    source.continuation.onTermination = { _ in _ = ended.increment() }
                    source.continuation.yield(Array("onetwo".utf8.prefix(length)))
                    let body = RequestBody.stream(source.stream, length: length)
                    let response = try await session.data(for: Request(.put, to: server.baseURL, body: body))
                    #expect(response.value == Data("ok".utf8))
                    try await until("the source is told of its end") { ended.value == 1 }
                }
                #expect(server.requests.map(\.body.count) == [length, length, length])
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a response that begins during the upload is read before the upload ends`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nearly"), .hold(gate), .readRequest,
            .send("-late"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let body = AsyncStream<[UInt8]>.makeStream()
                body.continuation.yield([1, 2, 3])
                let request = try Request(.post, to: server.baseURL, body: .stream(body.stream))
                let response = try await session.open(request)
                #expect(response.head.status.code == 200)
                gate.open()
                body.continuation.finish()
                let value = try await response.body.collect()
                #expect(value == Data("early-late".utf8))
                #expect(server.requests.first?.body == [1, 2, 3])
            }
        }
    }

    @Test func `cancelling ends an upload that the server does not read`() async throws {
        try await FaultServer.run([.readHead, .stopReading]) { server in
            try await withEngine { session, engine in
                let counter = Counter()
                let body = RequestBody.stream(Self.pieces(counter))
                let task = try session.dataTask(for: Request(.post, to: server.baseURL, body: body))
                task.resume()
                try await until("the production began") { counter.value > 0 }
                _ = try await settled { counter.value }
                task.cancel()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled, "\(error)")
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
            }
        }
    }

    @Test(arguments: [FaultStep.close, .reset])
    func `a server that closes in the middle of an upload ends it`(end: FaultStep) async throws {
        try await FaultServer.run([.readBytes(200_000), end]) { server in
            try await withEngine { session, engine in
                let request = try Request(.post, to: server.baseURL, body: .stream(Self.pieces(Counter())))
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .connectionLost, "\(error)")
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
                #expect(session.tasks.isEmpty)
            }
        }
    }

    @Test func `a streamed upload to a server that stops reading ends with the between-bytes timeout`() async throws {
        try await FaultServer.run([.readHead, .stopReading]) { server in
            try await withSession { session in
                let request = try Request(
                    .post,
                    to: server.baseURL,
                    body: .stream(Self.pieces(Counter())),
                    timeouts: Timeouts(betweenBytes: .milliseconds(300))
                )
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .betweenBytesTimeout, "\(error)")
            }
        }
    }

    // MARK: The end of the source

    /// A sequence whose pieces take this time each, also after a cancellation.
    private struct SlowPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
        typealias Element = [UInt8]

        let time: Duration
        let begun: Counter
        let ended: Counter

        func makeAsyncIterator() -> Self { self }

        func next() async -> [UInt8]? {
            begun.increment()
            defer { ended.increment() }
            let time = time
            // Like a read from a disk, this does not end with a cancellation.
            await Task.detached { try? await Task.sleep(for: time) }.value
            return [1, 2, 3]
        }
    }

    @Test func `a cancelled upload ends when its body source has returned`() async throws {
        try await FaultServer.run([.readHead]) { server in
            try await withSession { session in
                let pieces = SlowPieces(time: .milliseconds(200), begun: Counter(), ended: Counter())
                let task = try session.dataTask(for: Request(.post, to: server.baseURL, body: .stream(pieces)))
                task.resume()
                try await until("the second piece is asked for") { pieces.begun.value == 2 }
                task.cancel()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled, "\(error)")
                #expect(pieces.begun.value == pieces.ended.value)
                let begun = try await settled { pieces.begun.value }
                #expect(begun == pieces.ended.value)
            }
        }
    }

    @Test func `an early response is delivered when the body source has returned`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [.readHead, .hold(gate), .respond(413, body: "too big")]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let pieces = SlowPieces(time: .milliseconds(200), begun: Counter(), ended: Counter())
                let task = try session.dataTask(for: Request(.post, to: server.baseURL, body: .stream(pieces)))
                task.resume()
                try await until("the second piece is asked for") { pieces.begun.value == 2 }
                gate.open()
                let response = try await task.response
                #expect(response.status.code == 413)
                #expect(pieces.begun.value == pieces.ended.value)
            }
        }
    }

    @Test func `a body source that never returns delays the end of its request only briefly`() async throws {
        try await FaultServer.run([.readHead]) { server in
            try await withEngine { session, engine in
                let begun = Counter()
                let end = FaultGate()
                let body = RequestBody.stream(
                    AsyncStream<[UInt8]>(unfolding: {
                        begun.increment()
                        await withCheckedContinuation { continuation in end.whenOpen { continuation.resume() } }
                        return nil
                    })
                )
                let task = try session.dataTask(for: Request(.post, to: server.baseURL, body: body))
                task.resume()
                try await until("the first piece is asked for") { begun.value == 1 }
                task.cancel()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled, "\(error)")
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
                end.open()
            }
        }
    }
}
