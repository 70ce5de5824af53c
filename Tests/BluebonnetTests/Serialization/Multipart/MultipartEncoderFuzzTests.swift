import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// Random forms from random sources are parsed back unchanged.
struct MultipartEncoderFuzzTests {
    private static let boundary = "B-0"

    /// Parts of delimiters, so that texts that look like a delimiter are frequent.
    private static let fragments = [
        "\r\n", "--", "-", "B", "-0", "\r", "\n", "B-1", "\r\n--B-", "--\r\n", "x", "\u{0}", "é",
    ]

    private static func content(_ generator: inout SeededGenerator) -> [UInt8] {
        if Int.random(in: 0..<8, using: &generator) == 0 {
            // Sizes around those at which the encoder works differently.
            let sizes = [65_535, 65_536, 262_143, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577, 2_097_152]
            let size = sizes.randomElement(using: &generator) ?? 0
            return [UInt8](repeating: 0x2D, count: size)
        }
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            bytes += Array((fragments.randomElement(using: &generator) ?? "").utf8)
        }
        return bytes
    }

    private static func occurs(in content: [UInt8]) -> Bool {
        String(decoding: content, as: UTF8.self).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .contains { String($0).hasPrefix("--\(boundary)") }
    }

    /// Contents, and for each of them whether it is in memory (0), a file (1), or a stream with (2)
    /// or without length (3).
    private static func form(_ generator: inout SeededGenerator) -> [(kind: Int, content: [UInt8])] {
        (0..<Int.random(in: 0...9, using: &generator)).map { _ in
            var content = content(&generator)
            while content.count < 1000, occurs(in: content) { content = self.content(&generator) }
            return (Int.random(in: 0...3, using: &generator), content)
        }
    }

    private static func part(_ kind: Int, _ content: [UInt8], number: Int) -> MultipartPart {
        let head = ByteBuffer(string: "N: \(number)\r\n\r\n")
        guard kind > 0 else {
            return MultipartPart(head: head, content: .bytes(Data(content)))
        }
        let source = MultipartSource(length: kind == 3 ? nil : content.count, isReplayable: true, isFile: kind == 1) {
            throw Pieces.Broken()
        }
        return MultipartPart(head: head, content: .source(source))
    }

    /// Drives the encoder, with pieces of random sizes from the sources.
    private static func encode(
        _ form: [(kind: Int, content: [UInt8])],
        _ parts: [MultipartPart],
        _ generator: inout SeededGenerator
    ) throws -> [UInt8] {
        var encoder = MultipartEncoder(boundary: try MultipartBoundary(chosen: boundary), parts: parts)
        var rests = form.map { $0.kind == 0 ? [] : $0.content[...] }
        var output: [UInt8] = []
        while true {
            switch encoder.next() {
            case .emit(let piece):
                #expect(piece.readableBytes > 0)
                output += Array(piece.readableBytesView)
            case .read(let part, let limit):
                #expect(limit > 0 && encoder.currentSource == part)
                let isFile = form[part].kind == 1
                // A file may give fewer bytes than asked for, before its end. A stream may give
                // none, or more.
                let most = isFile ? min(limit, rests[part].count) : rests[part].count
                let small = Bool.random(using: &generator) ? most : min(most, 7)
                let count = Int.random(in: min(isFile ? 1 : 0, small)...small, using: &generator)
                if rests[part].isEmpty {
                    try encoder.endSource()
                } else {
                    try encoder.receive(ByteBuffer(bytes: rests[part].prefix(count)))
                    rests[part] = rests[part].dropFirst(count)
                }
            case .finished:
                #expect(rests.allSatisfy { $0.isEmpty })
                return output
            }
        }
    }

    @Test(arguments: 0..<8) func `random multipart forms from random sources are parsed back`(seed: UInt64) async throws
    {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            await Task.yield()
            let form = Self.form(&generator)
            let parts = form.enumerated().map { Self.part($1.kind, $1.content, number: $0) }
            let output = try Self.encode(form, parts, &generator)
            let length = MultipartEncoder.length(boundary: try MultipartBoundary(chosen: Self.boundary), parts: parts)
            #expect(length == (form.contains { $0.kind == 3 } ? nil : output.count))
            guard !form.isEmpty else {
                #expect(output == Array("--\(Self.boundary)--\r\n".utf8))
                continue
            }
            let parsed = try ParsedMultipart(output, boundary: Self.boundary)
            #expect(parsed.parts.map(\.headers) == form.indices.map { ["N: \($0)"] })
            #expect(parsed.parts.map(\.content) == form.map(\.content))
        }
    }
}
