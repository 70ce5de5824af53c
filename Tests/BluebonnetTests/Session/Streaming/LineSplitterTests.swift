import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct LineSplitterTests {
    private static func lines(
        _ pieces: [[UInt8]],
        limit: Int = 100,
        endingWith lineEnd: LineSplitter.LineEnd = .lineFeed
    ) throws -> [String] {
        var splitter = LineSplitter(limit: limit, lineEnd: lineEnd)
        var lines: [String] = []
        for piece in pieces {
            splitter.push(ByteBuffer(bytes: piece))
            while let line = try splitter.next() { lines.append(String(buffer: line)) }
        }
        if let last = try splitter.finish() { lines.append(String(buffer: last)) }
        #expect(splitter.count == lines.count)
        return lines
    }

    private static let samples: [(String, LineSplitter.LineEnd, [String])] =
        linesEndedByLineFeed.map { ($0, .lineFeed, $1) } + linesEndedByAny.map { ($0, .any, $1) }

    /// The standard of server-sent events lets a line end with CR alone, too.
    private static let linesEndedByAny: [(String, [String])] = [
        ("a\rb\nc\r\nd", ["a", "b", "c", "d"]),
        ("\r\r\n\n\r", ["", "", "", ""]),
        ("a\r", ["a"]),
        ("\u{e9}\r\n\r", ["\u{e9}", ""]),
    ]

    private static let linesEndedByLineFeed: [(String, [String])] = [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("\n", [""]),
        ("\r\n\r\n", ["", ""]),
        ("a\nb\r\n\nc", ["a", "b", "", "c"]),
        ("a\rb\n", ["a\rb"]),
        ("a\r\r\nb\r", ["a\r", "b"]),
        ("ünï\ncödé\n", ["ünï", "cödé"]),
    ]

    @Test(arguments: samples)
    func `lines are the same however the bytes are split`(
        _ text: String,
        _ lineEnd: LineSplitter.LineEnd,
        _ expected: [String]
    ) throws {
        let bytes = Array(text.utf8)
        #expect(try Self.lines([bytes], endingWith: lineEnd) == expected)
        #expect(try Self.lines(bytes.map { [$0] }, endingWith: lineEnd) == expected)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
                try #require(try Self.lines(pieces, endingWith: lineEnd) == expected)
            }
        }
    }

    @Test(arguments: ["ok\n123456\n", "ok\n123456", "ok\n123456\r\n"])
    func `the error about a line beyond the limit has its number`(_ text: String) throws {
        let bytes = Array(text.utf8)
        for pieces in [[bytes], bytes.map { [$0] }] {
            let error = #expect(throws: LineSplitter.LineTooLong.self) { try Self.lines(pieces, limit: 5) }
            #expect(error?.number == 2)
            #expect(try Self.lines(pieces, limit: 6) == ["ok", "123456"])
        }
    }

    @Test(arguments: [Int.max, 1 << 40])
    func `no limit of a line is too large`(limit: Int) throws {
        #expect(try Self.lines([Array("a".utf8), Array("b\nc".utf8)], limit: limit) == ["ab", "c"])
    }

    /// A longer line would end the process in place of failing.
    @Test(arguments: [Int.max, 1 << 40, 1 << 31])
    func `the limit of a line is at most the largest size of a buffer`(limit: Int) {
        var splitter = LineSplitter(limit: limit)
        #expect(splitter.limit == Int(Int32.max))
        splitter.limit = 7
        #expect(splitter.limit == 7)
        splitter.limit = limit
        #expect(splitter.limit == Int(Int32.max))
    }

    @Test(arguments: [0, -1, Int.min])
    func `with a limit of zero bytes every line but an empty one is too long`(limit: Int) throws {
        for text in ["a", "a\n"] {
            #expect(throws: LineSplitter.LineTooLong.self) { try Self.lines([Array(text.utf8)], limit: limit) }
        }
    }

    @Test(arguments: [1, 100, .max], [1, 7, .max])
    func `line splitting work grows linearly with the size, however it is split`(piece: Int, line: Int) throws {
        for end: UInt8 in [0x0A, 0x0D] { try expectLinearWork(piece: piece, line: line, end: end) }
    }

    private func expectLinearWork(piece: Int, line: Int, end: UInt8) throws {
        let steps = try [4_000, 8_000, 16_000].map { size in
            var splitter = LineSplitter(limit: .max, lineEnd: .any)
            var bytes = ByteBuffer(bytes: (0..<size).map { $0 % min(line, size) == line - 1 ? end : 0x61 })
            while bytes.readableBytes > 0, let next = bytes.readSlice(length: min(piece, bytes.readableBytes)) {
                splitter.push(next)
                while try splitter.next() != nil {}
            }
            _ = try splitter.finish()
            #expect(splitter.examined <= 3 * size)
            return splitter.examined
        }
        for (less, more) in zip(steps, steps.dropFirst()) { #expect(more < less * 9 / 4) }
    }

    @Test func `an endless line is not collected beyond the limit`() throws {
        var splitter = LineSplitter(limit: 1000)
        for _ in 0..<10 {
            splitter.push(ByteBuffer(repeating: 0x61, count: 100))
            #expect(try splitter.next() == nil)
        }
        splitter.push(ByteBuffer(repeating: 0x61, count: 100))
        #expect(throws: LineSplitter.LineTooLong.self) { try splitter.next() }
    }
}
