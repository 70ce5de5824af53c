import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// The cost of a text before its tape is read. It is counted in bytes and in words of the tape:
/// `JSONTapeParser` says why these are its steps.
@Suite struct JSONTapeCostTests {
    enum Hostile: CaseIterable {
        case numbers, arrays, deep, objects, strings, escapes, beyondASCII, spaces, digits

        func text(_ count: Int) -> String {
            func times(_ text: String) -> String { String(repeating: text, count: count) }
            return switch self {
            case .numbers: "[\(times("1,"))1]"
            case .arrays: "[\(times("[],"))1]"
            case .deep: "[\(times(String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + ","))1]"
            case .objects: "{\(times(#""":{"":1},"#))\"\":1}"
            case .strings: "[\(times(#""","#))1]"
            case .escapes: "[\"\(times(#"\uD83E\uDD8A\n"#))\"]"
            case .beyondASCII: "[\"\(times("ü名🦊"))\"]"
            case .spaces: "[\(times(" \n\t"))1]"
            case .digits: "[1.\(times("12"))e5]"
            }
        }
    }

    /// Bytes that count how often they are read.
    private struct Counted: RandomAccessCollection {
        let bytes: [UInt8]
        let reads = Reads()

        final class Reads: Sendable {
            let count = Atomic(0)
        }

        var startIndex: Int { 0 }
        var endIndex: Int { bytes.count }

        subscript(position: Int) -> UInt8 {
            reads.count.add(1, ordering: .relaxed)
            return bytes[position]
        }
    }

    @Test(arguments: Hostile.allCases, ["utf-8", "utf-16le", "utf-32"])
    func `JSON parsing reads a text once, and its tape grows linearly`(hostile: Hostile, charset: String) throws {
        let costs = try [500, 1_000, 2_000].map { count in
            let text = hostile.text(count)
            let bytes = Counted(bytes: Array(try #require(Charset(charset)).encode(text)))
            let tape = try JSONTape(parsing: bytes, maximumDepth: 512)
            let reads = bytes.reads.count.load(ordering: .relaxed)
            // The first four are read twice: they tell the encoding.
            #expect(reads <= bytes.count + 4)
            #expect(tape.bytes.count == text.utf8.count + JSONTape.padding)
            #expect(tape.words.count <= text.utf8.count / 2 + 2)
            return reads + tape.words.count
        }
        for (less, more) in zip(costs, costs.dropFirst()) { #expect(more <= less * 9 / 4, "\(costs)") }
    }

    #if DEBUG
        @Test func `the path to a fault deep inside JSON is found by passing each value once`() throws {
            let costs = try [1_000, 2_000, 4_000].map { count in
                // Each of the 250 nested arrays and objects has values before the next one.
                let values = String(repeating: "1,", count: count / 250)
                let keys = String(repeating: #""k":1,"#, count: count / 250)
                let text = String(repeating: "[\(values){\(keys)\"a\":", count: 250) + "?"
                let input = try JSONInput(text.utf8)
                var failure: JSONScanFailure?
                let capacity = JSONTapeParser.capacity(for: input.count, maximumDepth: 512)
                let words = [UInt64](capacity: capacity) { words in
                    do throws(JSONScanFailure) {
                        try JSONTapeParser.parse(input.bytes.span, count: input.count, maximumDepth: 512, into: &words)
                    } catch {
                        failure = error
                    }
                }
                let container = try #require(failure?.container)
                let tape = JSONTape(bytes: input.bytes, words: words)
                let path = tape.path(intoOpen: container)
                #expect(path.utf8.count < 400)
                let steps = tape.work.load(ordering: .relaxed)
                #expect(steps <= words.count)
                return steps
            }
            for (less, more) in zip(costs, costs.dropFirst()) { #expect(more <= less * 9 / 4, "\(costs)") }
        }
    #endif
}
