import Testing

@testable import BluebonnetCommand

@Suite struct LineCutterTests {
    private func lines(_ blocks: [String], limit: Int = 4) -> [LineCutter.Line] {
        var cutter = LineCutter(limit: limit)
        var lines = blocks.flatMap { cutter.push(Array($0.utf8)) }
        if let last = cutter.finish() { lines.append(last) }
        return lines
    }

    private func line(_ text: String) -> LineCutter.Line { .bytes(Array(text.utf8)) }

    @Test(
        arguments: [
            ([], []), (["a\nb\n"], ["a", "b"]), (["a", "b\nc"], ["ab", "c"]), (["a\r\n\r\n\n"], ["a", "", ""]),
            (["a\r", "\nb"], ["a", "b"]), (["abcd\r", "\n"], ["abcd"]), (["a\r"], ["a"]), (["\n"], [""]),
        ] as [([String], [String])]
    )
    func `lines end in LF or CRLF wherever the blocks are cut`(blocks: [String], expected: [String]) {
        #expect(lines(blocks) == expected.map(line))
    }

    @Test(arguments: [
        ["abcde\nx"], ["abc", "de\nx"], ["abcd", "efgh", "ijk\n", "x\n"], ["abcde\r\nx"], ["abcd\r", "e\nx"],
    ])
    func `a line that is too long keeps its place, and the next one is read`(blocks: [String]) {
        #expect(lines(blocks) == [.tooLong(limit: 4), line("x")])
    }

    @Test func `a line that becomes too long is returned before its end is there`() {
        var cutter = LineCutter(limit: 4)
        #expect(cutter.push(Array("abcde".utf8)) == [.tooLong(limit: 4)])
        #expect(cutter.push(Array("fgh".utf8)) == [])
        #expect(cutter.finish() == nil)
    }
}
