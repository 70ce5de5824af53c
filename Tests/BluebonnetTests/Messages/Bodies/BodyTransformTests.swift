import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// A body that is copied while it is read is still the body of its response.
@Suite(.timeLimit(.minutes(5)))
struct BodyTransformTests {
    /// The bytes that were copied so far.
    private final class Copy: Sendable {
        private let state = Mutex((bytes: [UInt8](), isComplete: false))
        /// Each piece waits here before it is passed on.
        let gate: FaultGate?

        init(gate: FaultGate? = nil) {
            self.gate = gate
        }

        var text: String { String(decoding: state.withLock { $0.bytes }, as: UTF8.self) }
        var count: Int { state.withLock { $0.bytes.count } }
        var isComplete: Bool { state.withLock { $0.isComplete } }

        func append(_ piece: ByteBuffer) {
            state.withLock { $0.bytes += piece.readableBytesView }
        }

        func complete() {
            state.withLock { $0.isComplete = true }
        }
    }

    /// Copies the pieces of a body, and passes them on.
    private final class CopyingTransform: BodyTransform {
        private let copy: Copy
        private var piece: ByteBuffer?

        init(_ copy: Copy) {
            self.copy = copy
        }

        func push(_ piece: ByteBuffer) {
            copy.append(piece)
            self.piece = piece
        }

        func next() async throws(NetworkingError) -> ByteBuffer? {
            defer { piece = nil }
            if piece != nil, let gate = copy.gate {
                await withCheckedContinuation { continuation in gate.whenOpen { continuation.resume() } }
            }
            return piece
        }

        func finish() {
            copy.complete()
        }
    }

    /// Copies every body as it is received, as a cache would: before content codings are undone.
    private struct CopyingTransport: Transport {
        let engine: Engine
        let copy: Copy

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            var response = try await engine.send(request, context: context)
            response.body = response.body.transformed { [copy] in CopyingTransform(copy) }
            return response
        }

        func invalidate() {
            engine.invalidate()
        }
    }

    /// Runs the body with a session that copies what it receives.
    private func run(
        _ script: FaultServer.Script,
        copying copy: Copy,
        _ configuration: SessionConfiguration = SessionConfiguration(),
        _ body: (SessionManager, FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.run(script) { server in
            let engine = Engine(configuration: configuration)
            let transport = CopyingTransport(engine: engine, copy: copy)
            let session = SessionManager(configuration: configuration, transport: transport)
            let result: Result<Void, any Error>
            do { result = .success(try await body(session, server)) } catch { result = .failure(error) }
            session.invalidate()
            await engine.waitUntilClosed()
            try result.get()
        }
    }

    private static func gzip(_ bytes: ByteBuffer) throws -> ByteBuffer {
        let deflater = try Deflater(.gzip, level: 6)
        var encoded = try deflater.compress(bytes)
        var rest = try deflater.finish()
        encoded.writeBuffer(&rest)
        return encoded
    }

    // MARK: What a transform keeps

    @Test func `a body transform keeps trailers, the time of the last byte and the connection`() async throws {
        let sum = try #require(HTTPField.Name("X-Sum"))
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .hold(gate),
            .send("0\r\nX-Sum: 532\r\n\r\n"), .startOver,
        ]
        let copy = Copy()
        try await run(script, copying: copy) { session, server in
            let request = try Request(to: server.baseURL)
            let streamed = try await session.open(request)
            #expect(streamed.body.trailers.isEmpty && streamed.body.lastByteAt == nil)
            gate.open()
            #expect(try await streamed.body.collect() == Data("hello".utf8))
            #expect(streamed.body.trailers[sum] == "532")
            #expect(streamed.body.lastByteAt != nil)
            #expect(streamed.body.currentProgress.download.completed == 5)
            #expect(copy.text == "hello" && copy.isComplete)

            // A data task may be watched, so its head is delivered before its body.
            let task = session.dataTask(for: request)
            let collected = try await task.response
            #expect(collected.value == Data("hello".utf8))
            #expect(collected.trailers[sum] == "532")
            #expect(collected.timings.lastByte != nil)
            #expect(collected.timings.isConnectionReused)
            #expect(copy.text == "hellohello")
        }
    }

    @Test func `a body transform below content decoding sees the encoded bytes, and the reader the decoded ones`()
        async throws
    {
        let encoded = try Self.gzip(ByteBuffer(repeating: 0x61, count: 300_000))
        let script: FaultServer.Script = [
            .readRequest, .respond(headers: [("Content-Encoding", "gzip")], bytes: Array(encoded.readableBytesView)),
        ]
        let copy = Copy()
        try await run(script, copying: copy) { session, server in
            let request = try Request(to: server.baseURL)
            #expect(try await session.data(for: request).value == Data(repeating: 0x61, count: 300_000))
            #expect(copy.count == encoded.readableBytes && copy.isComplete)
        }
    }

    @Test func `a discarded body is not transformed, and its connection is used again`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"), .hold(gate), .send("-last"),
            .startOver,
        ]
        let copy = Copy()
        try await run(script, copying: copy) { session, server in
            let request = try Request(to: server.baseURL)
            let response = try await session.open(request)
            gate.open()
            await response.body.discard()
            #expect(response.body.lastByteAt != nil)
            #expect(copy.count == 0 && !copy.isComplete)
            #expect(try await session.data(for: request).timings.isConnectionReused)
            #expect(copy.text == "first-last" && copy.isComplete)
        }
    }

    @Test func `the task of a transformed stream is complete when its body is`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst"), .hold(gate), .send("-last"),
        ]
        try await run(script, copying: Copy()) { session, server in
            let response = try await session.open(Request(to: server.baseURL))
            var pieces = response.body.makeAsyncIterator()
            #expect(try await pieces.next() == Data("first".utf8))
            #expect(session.tasks.count == 1)
            gate.open()
            #expect(try await pieces.next() == Data("-last".utf8))
            #expect(try await pieces.next() == nil)
            try await until("the task is over") { session.tasks.isEmpty }
        }
    }

    // MARK: Failures, cancellation and limits

    @Test func `a truncated body ends a copying transform without completing the copy`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .hold(gate), .close,
        ]
        let copy = Copy()
        try await run(script, copying: copy) { session, server in
            let response = try await session.open(Request(to: server.baseURL))
            gate.open()
            let error = try await networkingError { _ = try await response.body.collect() }
            #expect(error.code == .truncatedResponse)
            #expect(error.body == Data("half".utf8))
            #expect(copy.text == "half" && !copy.isComplete)
        }
    }

    @Test func `cancelling a task ends the reader of its transformed body`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .stall,
        ]
        let copy = Copy()
        try await run(script, copying: copy) { session, server in
            let response = try await session.open(Request(to: server.baseURL))
            var pieces = response.body.makeAsyncIterator()
            #expect(try await pieces.next() == Data("half".utf8))
            session.tasks[0].cancel()
            let error = try await networkingError { _ = try await pieces.next() }
            #expect(error.code == .cancelled)
            #expect(!copy.isComplete)
            try await server.waitUntilClosed(connection: 0)
        }
    }

    private static let endless: FaultServer.Script = [
        .readRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .fill(0x61, count: .max),
    ]

    @Test(arguments: ResponseReading.allCases)
    func `the memory limit holds for a transformed body`(reading: ResponseReading) async throws {
        let configuration = SessionConfiguration { $0.limits.bodyInMemory = 5 << 20 }
        try await run(Self.endless, copying: Copy(), configuration) { session, server in
            let request = try Request(to: server.baseURL)
            let error = try await networkingError {
                switch reading {
                case .collected: _ = try await session.data(for: request)
                case .streamed: _ = try await session.open(request).body.collect(upTo: 5 << 20)
                }
            }
            #expect(error.code == .bodyTooLarge)
            try await server.waitUntilClosed(connection: 0)
        }
    }

    @Test func `the line limit holds for a transformed body`() async throws {
        let configuration = SessionConfiguration { $0.limits.line = 100 }
        try await run(Self.endless, copying: Copy(), configuration) { session, server in
            let response = try await session.open(Request(to: server.baseURL))
            let error = try await networkingError { for try await _ in response.body.lines {} }
            #expect(error.code == .lineTooLong)
        }
    }

    @Test func `the decoding limit holds for a transformed body`() async throws {
        let encoded = try Self.gzip(ByteBuffer(repeating: 0x61, count: 2 << 20))
        let script: FaultServer.Script = [
            .readRequest, .respond(headers: [("Content-Encoding", "gzip")], bytes: Array(encoded.readableBytesView)),
        ]
        let configuration = SessionConfiguration { $0.limits.decodedBody = 1 << 20 }
        try await run(script, copying: Copy(), configuration) { session, server in
            let request = try Request(to: server.baseURL)
            let error = try await networkingError { _ = try await session.data(for: request) }
            #expect(error.code == .contentDecodingLimitExceeded)
        }
    }

    // MARK: Back pressure

    @Test func `a slow body transform holds the server back`() async throws {
        let gate = FaultGate()
        let copy = Copy(gate: gate)
        try await run(Self.endless, copying: copy) { session, server in
            let request = try Request(to: server.baseURL)
            let reader = Task {
                var count = 0
                for try await piece in try await session.open(request).body {
                    count += piece.count
                    if count > 64 << 20 { return }
                }
            }
            // The buffers of the two kernels and of the client are far smaller than this.
            let bound = 48 << 20
            try await until("the copy has its first piece") { copy.count > 0 }
            #expect(try await settled { server.connections[0].bytesSent } < bound)
            gate.open()
            try await reader.value
            try await server.waitUntilClosed(connection: 0)
        }
    }

    // MARK: Several readers

    @Test func `a reader that changes a piece does not change another reader's body`() async throws {
        // Large enough to be handed over without a copy if it were not transformed.
        let bytes = Data(repeating: 0x61, count: 100_000)
        let original = ResponseBody.data(bytes)
        let body = original.transformed { CopyingTransform(Copy()) }
        var pieces = body.makeAsyncIterator()
        var piece = try #require(try await pieces.next())
        for index in piece.indices { piece[index] = 0x62 }
        var whole = try await body.collect()
        for index in whole.indices { whole[index] = 0x63 }
        #expect(try await original.collect() == bytes)
        #expect(try await body.collect() == bytes)
    }

    @Test func `body transforms run in order, each for one reading`() async throws {
        let (first, second) = (Copy(), Copy())
        let encoded = try Self.gzip(ByteBuffer(string: "text"))
        let coding = try #require(try ContentCoding(contentEncoding: "gzip"))
        let body = ResponseBody(.whole(encoded, trailers: [:]))
            .transformed { CopyingTransform(first) }
            .transformed { ContentDecoder(coding, limits: Limits()) }
            .transformed { CopyingTransform(second) }
        for count in 1...2 {
            #expect(try await body.collect() == Data("text".utf8))
            #expect(first.count == count * encoded.readableBytes)
            #expect(second.text == String(repeating: "text", count: count))
        }
    }
}
