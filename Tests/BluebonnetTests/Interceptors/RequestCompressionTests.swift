import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(5)))
struct RequestCompressionTests {
    private static let text = (0..<30_000).map { "line \($0 % 977)\n" }.joined()

    private static func sequence() -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                continuation.yield(Array(rest.prefix(10_000)))
                rest = rest.dropFirst(10_000)
            }
            continuation.finish()
        }
    }

    private static func request(_ body: RequestBody?, headerFields: HTTPFields = [:]) throws -> Request {
        try Request(.post, to: "http://example.com/", headerFields: headerFields, body: body)
    }

    private func inflated(_ bytes: [UInt8], _ coding: RequestCompression.Coding) throws -> String {
        let decoder = ContentDecoder(
            try #require(try ContentCoding(contentEncoding: coding.description)),
            limits: Limits(decodingRatio: .max)
        )
        decoder.push(ByteBuffer(bytes: bytes))
        var result = ByteBuffer()
        while var block = try decoder.nextBlock() { result.writeBuffer(&block) }
        try decoder.finish()
        return String(buffer: result)
    }

    /// The request that a server receives when its body is compressed while it is sent.
    private func sent(
        _ body: RequestBody,
        _ compression: RequestCompression = RequestCompression(),
        expecting status: Int = 200
    ) async throws -> FaultServer.Request {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok")] }) { server in
            try await withSession { session in
                var request = try Request(.put, to: server.baseURL, body: body)
                request.interceptors = [compression]
                _ = try await session.data(for: request)
                return try #require(server.requests.first)
            }
        }
    }

    // MARK: What is sent

    @Test(arguments: [RequestCompression.Coding.gzip, .deflate])
    func `a compressed body in memory has a length`(coding: RequestCompression.Coding) async throws {
        let seen = try await sent(.string(Self.text), RequestCompression(coding))
        #expect(seen.values(of: "content-encoding") == [coding.description])
        #expect(seen.value(of: "content-length") == String(seen.body.count))
        #expect(seen.body.count < Self.text.utf8.count / 5)
        #expect(try inflated(seen.body, coding) == Self.text)
    }

    @Test func `a sequence is compressed while it is sent in chunks`() async throws {
        for length in [nil, Self.text.utf8.count] {
            let seen = try await sent(.stream(Self.sequence(), length: length), RequestCompression(.deflate))
            #expect(seen.value(of: "transfer-encoding") == "chunked" && seen.value(of: "content-length") == nil)
            #expect(try inflated(seen.body, .deflate) == Self.text)
        }
    }

    @Test func `a file is compressed while it is sent, and gunzip undoes it`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "body")
            try Data(Self.text.utf8).write(to: file)
            let seen = try await sent(.file(file))
            #expect(seen.value(of: "content-encoding") == "gzip")
            let encoded = directory.appending(path: "seen.gz")
            try Data(seen.body).write(to: encoded)
            let gunzip = Process()
            gunzip.executableURL = URL(filePath: "/usr/bin/env")
            gunzip.arguments = ["gzip", "--decompress", encoded.path(percentEncoded: false)]
            try gunzip.run()
            gunzip.waitUntilExit()
            #expect(gunzip.terminationStatus == 0)
            #expect(try Data(contentsOf: directory.appending(path: "seen")) == Data(Self.text.utf8))
        }
    }

    @Test func `a body that can be sent again is compressed again after a redirect`() async throws {
        let script = FaultServer.Script.requests { request in
            request.target == "/there" ? [.respond(body: "ok")] : [.respond(308, headers: [("Location", "/there")])]
        }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                var request = try Request(.post, to: server.baseURL, body: .stream { Self.sequence() })
                request.interceptors = [RequestCompression()]
                _ = try await session.data(for: request)
                #expect(server.requests.count == 2)
                for seen in server.requests {
                    #expect(seen.values(of: "content-encoding") == ["gzip"])
                    #expect(try inflated(seen.body, .gzip) == Self.text)
                }
            }
        }
    }

    @Test(arguments: [10, 1_000_000])
    func `a compressed sequence of another length than declared fails`(length: Int) async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession { session in
                var request = try Request(.post, to: server.baseURL, body: .stream(Self.sequence(), length: length))
                request.interceptors = [RequestCompression()]
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.code == .requestBodyLengthMismatch, "\(error)")
            }
        }
    }

    @Test func `large bodies are compressed off the event loop`() async throws {
        let text = String(repeating: Self.text, count: 20_000_000 / Self.text.utf8.count)
        let request = try Self.request(.string(text))
        let turns = try await loopTurns {
            let compressed = try await RequestCompression(level: 9).compress(request)
            let length = try #require(compressed.body?.length)
            #expect(length > 0 && length < text.utf8.count)
        }
        #expect(turns > 0)
    }

    // MARK: What is compressed

    private func isCompressed(_ request: Request, _ compression: RequestCompression) async throws -> Bool {
        try await compression.compress(request).headerFields.contains(.contentEncoding)
    }

    @Test func `the compression threshold is the size of the smallest body that is compressed`() async throws {
        let compression = RequestCompression()
        #expect(compression.threshold == 1024 && compression.coding == .gzip)
        let below = try Self.request(.string(String(repeating: "a", count: 1023)))
        let at = try Self.request(.string(String(repeating: "a", count: 1024)))
        let sequence = try Self.request(.stream(Self.sequence()))
        #expect(try await !isCompressed(below, compression))
        #expect(try await isCompressed(at, compression))
        #expect(try await isCompressed(sequence, compression))
    }

    @Test func `a request without a body is not compressed`() async throws {
        let compression = RequestCompression(threshold: 0)
        #expect(try await !isCompressed(Self.request(nil), compression))
        #expect(try await !isCompressed(Self.request(.string("")), compression))
        #expect(try await isCompressed(Self.request(.string("a")), compression))
    }

    @Test func `a closure decides whether a request is compressed`() async throws {
        let compression = RequestCompression(threshold: 0) { $0.headerFields[.contentType] != "image/png" }
        #expect(
            try await !isCompressed(Self.request(.string("a"), headerFields: [.contentType: "image/png"]), compression)
        )
        #expect(try await isCompressed(Self.request(.string("a")), compression))
    }

    @Test func `a Content-Length set by the user is removed when the body is compressed`() async throws {
        let request = try Self.request(.string("a"), headerFields: [.contentLength: "1"])
        let compressed = try await RequestCompression(threshold: 0).compress(request)
        #expect(!compressed.headerFields.contains(.contentLength))
    }

    @Test func `an existing Content-Encoding is an error, is replaced or is left alone`() async throws {
        let request = try Self.request(.string("a"), headerFields: [.contentEncoding: "br"])
        var compression = RequestCompression(threshold: 0)
        let error = try await networkingError { try await compression.compress(request) }
        #expect(error.code == .requestAdaptationFailed && error.request?.url == request.url)
        compression.duplicateHeaderPolicy = .replace
        let replaced = try await compression.compress(request)
        #expect(replaced.headerFields[values: .contentEncoding] == ["gzip"])
        #expect(replaced.body?.data != Data("a".utf8))
        compression.duplicateHeaderPolicy = .skip
        let skipped = try await compression.compress(request)
        #expect(skipped.headerFields[values: .contentEncoding] == ["br"])
        #expect(skipped.body?.data == Data("a".utf8))
    }

    @Test func `a request that cannot be compressed fails and is not sent`() async throws {
        let transport = StubTransport { _ in .text("ok") }
        var configuration = SessionConfiguration()
        configuration.interceptors = [RequestCompression(threshold: 0)]
        try await withSession(configuration, transport: transport) { session in
            let request = try Self.request(.string("a"), headerFields: [.contentEncoding: "br"])
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == .requestAdaptationFailed && transport.requests.isEmpty)
        }
    }
}
