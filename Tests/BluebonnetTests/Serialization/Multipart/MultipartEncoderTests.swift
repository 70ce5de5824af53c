import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// The state machine, without files and streams.
struct MultipartEncoderTests {
    private func part(_ source: MultipartSource) -> MultipartPart {
        MultipartPart(head: ByteBuffer(string: "H: v\r\n\r\n"), content: .source(source))
    }

    private func file(_ length: Int?) -> MultipartPart {
        part(MultipartSource(length: length, isReplayable: true, isFile: true) { throw Pieces.Broken() })
    }

    private func stream(_ length: Int?) -> MultipartPart {
        part(MultipartSource(length: length, isReplayable: true, isFile: false) { throw Pieces.Broken() })
    }

    private func memory(_ count: Int) -> MultipartPart {
        MultipartPart(
            head: ByteBuffer(string: "\r\n"),
            content: .bytes(Data(repeating: 7, count: count))
        )
    }

    private func encoder(_ parts: [MultipartPart]) throws -> MultipartEncoder {
        MultipartEncoder(boundary: try MultipartBoundary(chosen: "B"), parts: parts)
    }

    private func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 1, count: count) }

    private func text(_ action: MultipartEncoder.Action) -> String? {
        if case .emit(let piece) = action { String(buffer: piece) } else { nil }
    }

    @Test func `the part head of a stream is sent before the stream is read`() throws {
        var encoder = try encoder([stream(nil)])
        #expect(text(encoder.next()) == "--B\r\nH: v\r\n\r\n")
        #expect(encoder.next() == .read(part: 0, upTo: MultipartEncoder.blockSize))
        try encoder.receive(ByteBuffer(string: "x"))
        #expect(text(encoder.next()) == "x")
        #expect(encoder.next() == .read(part: 0, upTo: MultipartEncoder.blockSize))
        try encoder.endSource()
        #expect(text(encoder.next()) == "\r\n--B--\r\n")
        #expect(encoder.next() == .finished)
        #expect(encoder.next() == .finished)
    }

    @Test func `small files and part heads are gathered into one piece`() throws {
        var encoder = try encoder([file(3), memory(5), file(0)])
        // One byte more than declared, so that the short read shows the end.
        #expect(encoder.next() == .read(part: 0, upTo: 4))
        #expect(encoder.currentSource == 0)
        try encoder.receive(bytes(3))
        #expect(encoder.currentSource == nil)
        #expect(encoder.next() == .read(part: 2, upTo: 1))
        try encoder.endSource()
        guard case .emit(let piece) = encoder.next() else {
            Issue.record("a piece was expected")
            return
        }
        #expect(
            piece.readableBytes
                == MultipartEncoder.length(
                    boundary: try MultipartBoundary(chosen: "B"),
                    parts: [
                        file(3), memory(5), file(0),
                    ]
                )
        )
        #expect(encoder.next() == .finished)
    }

    @Test func `a large form file is read in blocks and not copied`() throws {
        let block = MultipartEncoder.blockSize
        var encoder = try encoder([file(2 * block)])
        #expect(text(encoder.next()) == "--B\r\nH: v\r\n\r\n")
        #expect(encoder.next() == .read(part: 0, upTo: block))
        let first = bytes(block)
        try encoder.receive(first)
        #expect(encoder.next() == .emit(first))
        // As much as is left, exactly one block: only another read shows that there is no more.
        #expect(encoder.next() == .read(part: 0, upTo: block))
        try encoder.receive(bytes(block))
        #expect(encoder.next() == .emit(bytes(block)))
        #expect(encoder.next() == .read(part: 0, upTo: 1))
        try encoder.endSource()
        #expect(text(encoder.next()) == "\r\n--B--\r\n")
    }

    @Test func `a part source that is sent by other means is skipped`() throws {
        var encoder = try encoder([file(MultipartEncoder.blockSize), memory(1)])
        #expect(text(encoder.next()) == "--B\r\nH: v\r\n\r\n")
        #expect(encoder.next() == .read(part: 0, upTo: MultipartEncoder.blockSize))
        encoder.skipSource()
        #expect(text(encoder.next()) == "\r\n--B\r\n\r\n\u{7}\r\n--B--\r\n")
        #expect(encoder.next() == .finished)
    }

    @Test func `a form file is read further after a short read in its middle`() throws {
        var encoder = try encoder([file(10)])
        #expect(encoder.next() == .read(part: 0, upTo: 11))
        try encoder.receive(bytes(4))
        #expect(encoder.next() == .read(part: 0, upTo: 7))
        try encoder.receive(bytes(6))
        #expect(text(encoder.next())?.hasSuffix("\r\n--B--\r\n") == true)
    }

    @Test func `large part content in memory is cut into pieces`() throws {
        var encoder = try encoder([memory(1_000_000)])
        var sizes: [Int] = []
        while case .emit(let piece) = encoder.next() { sizes.append(piece.readableBytes) }
        #expect(sizes.reduce(0, +) == 1_000_000 + "--B\r\n\r\n\r\n--B--\r\n".utf8.count)
        #expect(sizes.allSatisfy { $0 <= MultipartEncoder.gatheredSize })
    }

    @Test func `many small form parts make few pieces`() throws {
        var encoder = try encoder(Array(repeating: memory(100), count: 10_000))
        var sizes: [Int] = []
        while case .emit(let piece) = encoder.next() { sizes.append(piece.readableBytes) }
        #expect(sizes.count == 5)
        #expect(sizes.dropLast().allSatisfy { $0 >= MultipartEncoder.gatheredSize })
    }

    @Test(arguments: [true, false]) func `a form part longer than declared is an error at once`(isFile: Bool) throws {
        var encoder = try encoder([isFile ? file(5) : stream(5)])
        while case .emit = encoder.next() {}
        try encoder.receive(bytes(3))
        while case .emit = encoder.next() {}
        #expect(throws: MultipartEncoder.LengthMismatch(part: 0, declared: 5, received: nil)) {
            try encoder.receive(bytes(3))
        }
    }

    @Test(arguments: [true, false]) func `a form part shorter than declared is an error at its end`(isFile: Bool) throws
    {
        var encoder = try encoder([memory(1), isFile ? file(5) : stream(5)])
        while case .emit = encoder.next() {}
        try encoder.receive(bytes(3))
        while case .emit = encoder.next() {}
        #expect(throws: MultipartEncoder.LengthMismatch(part: 1, declared: 5, received: 3)) { try encoder.endSource() }
    }

    @Test func `the lengths of form parts add up, and are unknown where one is unknown or the sum overflows`() throws {
        let boundary = try MultipartBoundary(chosen: "B")
        let fixed = "--B\r\nH: v\r\n\r\n\r\n--B--\r\n".utf8.count
        #expect(MultipartEncoder.length(boundary: boundary, parts: [file(5_000_000_000)]) == 5_000_000_000 + fixed)
        #expect(MultipartEncoder.length(boundary: boundary, parts: [file(1), stream(nil)]) == nil)
        #expect(MultipartEncoder.length(boundary: boundary, parts: [stream(.max)]) == nil)
        #expect(MultipartEncoder.length(boundary: boundary, parts: [stream(.max / 2), stream(.max / 2)]) == nil)
        #expect(MultipartEncoder.length(boundary: boundary, parts: [stream(.max - fixed)]) == .max)
    }
}
