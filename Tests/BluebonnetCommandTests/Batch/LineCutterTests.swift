import Testing

@testable import BluebonnetCommand

@Suite struct LineCutterTests {
    @Test(
        arguments: [
            ([], []), (["a\nb\n"], ["a", "b"]), (["a", "b\nc", "d"], ["ab", "cd"]), (["\n\n"], ["", ""]),
            (["a\r\n"], ["a\r"]), (["a", "\n", "b", "\n"], ["a", "b"]), (["", "x"], ["x"]),
        ] as [([String], [String])]
    )
    func `blocks of batch input are cut at line ends wherever they begin`(blocks: [String], lines: [String]) {
        var cutter = LineCutter()
        var result: [[UInt8]] = []
        for block in blocks { result += cutter.cut(Array(block.utf8)) }
        result += cutter.finish()
        #expect(result.map { String(decoding: $0, as: UTF8.self) } == lines)
    }
}
