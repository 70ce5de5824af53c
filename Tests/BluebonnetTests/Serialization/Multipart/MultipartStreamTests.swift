import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// Parts produced while they are sent.
struct MultipartStreamTests {
    @Test func `form streams with lengths make a body with a length`() async throws {
        var form = try MultipartFormData(boundary: "B")
        form.append(stream: Pieces(["ab", "", "c"]), name: "s", fileName: "s.txt", length: 3)
        form.append("end", name: "t")
        let body = try form.makeBody()
        #expect(!body.isReplayable && !form.isReplayable)
        let bytes = try await body.bytes()
        #expect(body.length == bytes.count)
        let parsed = try ParsedMultipart(bytes, boundary: "B")
        #expect(parsed.parts.map { String(decoding: $0.content, as: UTF8.self) } == ["abc", "end"])
        #expect(
            parsed.parts.first?.headers == [
                "Content-Disposition: form-data; name=\"s\"; filename=\"s.txt\"", "Content-Type: text/plain",
            ]
        )
    }

    @Test func `a form stream without a length makes a body without one`() async throws {
        var form = try MultipartFormData(boundary: "B")
        form.append(stream: Pieces(["abc"]), name: "s")
        #expect(form.contentLength == nil)
        let body = try form.makeBody()
        #expect(body.length == nil)
        #expect(try ParsedMultipart(try await body.bytes(), boundary: "B").parts.map(\.content) == [Array("abc".utf8)])
    }

    @Test func `a form stream that can be made again is sent again`() async throws {
        var form = MultipartFormData()
        form.append(name: "s", length: 2) { Pieces(["ab"]) }
        let body = try form.makeBody()
        #expect(body.isReplayable)
        let first = try await body.bytes()
        #expect(try await body.bytes() == first)
    }

    @Test func `a form stream that can be read once fails the second time, in every copy`() async throws {
        var form = MultipartFormData()
        form.append(stream: Pieces(["ab"]), name: "only once", length: 2)
        let copy = form
        _ = try await form.makeBody().bytes()
        let error = try await networkingError { _ = try await copy.makeBody().bytes() }
        #expect(error.code == .requestBodyNotReplayable)
        #expect(error.message.contains("only once"))
    }

    @Test(arguments: [nil, 3_000_000]) func `a long piece of a form stream is copied in blocks`(length: Int?)
        async throws
    {
        let piece = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var form = MultipartFormData()
        form.append(name: "s", length: length) {
            AsyncStream<[UInt8]> {
                $0.yield(piece); $0.finish()
            }
        }
        let sizes = Mutex<[Int]>([])
        try await form.makeBody().read { bytes in sizes.withLock { $0.append(bytes.count) } }
        #expect(sizes.withLock { $0.max() ?? 0 } <= MultipartEncoder.blockSize)
        let parsed = try ParsedMultipart(try await form.makeBody().bytes(), boundary: form.boundary)
        #expect(parsed.parts.map { $0.content == piece } == [true])
    }

    @Test(arguments: [(["abc"], 2), (["abc"], 4), ([], 1), (["a", "b"], 0)])
    func `a form stream of another length than declared stops the body`(pieces: [String], length: Int) async throws {
        var form = MultipartFormData()
        form.append(stream: Pieces(pieces), name: "s", length: length)
        let body = try form.makeBody()
        let error = try await networkingError { _ = try await body.bytes() }
        #expect(error.code == .requestBodyLengthMismatch)
    }

    @Test func `a form stream that throws stops the body, with its error as the underlying one`() async throws {
        var form = MultipartFormData()
        form.append(stream: Pieces(["abc"], error: Pieces.Broken()), name: "s", length: 3)
        let body = try form.makeBody()
        let error = try await networkingError { _ = try await body.bytes() }
        #expect(error.code == .requestBodyFailed)
        #expect(error.underlying is Pieces.Broken)
    }

    @Test func `impossible lengths of form streams are refused`() throws {
        var negative = MultipartFormData()
        negative.append(stream: Pieces([String]()), name: "s", length: -1)
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try negative.makeBody() }
        var huge = MultipartFormData()
        huge.append(stream: Pieces([String]()), name: "s", length: .max)
        #expect(throws: NetworkingError(.requestSerializationFailed, "")) { try huge.makeBody() }
    }
}
