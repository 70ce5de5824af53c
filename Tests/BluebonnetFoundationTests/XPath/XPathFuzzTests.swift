import Bluebonnet
import BluebonnetFoundation
import Foundation
import Testing

@Suite struct XPathFuzzTests {
    private static let words = [
        "a", "b", "//", "/", "[", "]", "(", ")", "@", "*", "1", "'x'", "..", ".", "::", "child", "ancestor", "count",
        "|", "+", "-", "=", "<",
        "and", "or", "div", "mod", "text()", "node()", "position()", "last()", "string", ",", "p:a",
        "following-sibling::*", "not", "concat",
    ]

    /// Random numbers that are the same in every run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 29) ^ (state &* 0x9E37_79B9_7F4A_7C15)
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random expressions have a value or an error`(_ seed: UInt64) throws {
        let tree = try XMLTree("<a x='1'><b>1</b><b><a/>t</b><!--c--></a>")
        var generator = Generator(state: seed)
        let seconds = ProcessInfo.processInfo.environment["BLUEBONNET_FUZZ_SECONDS"].flatMap(Int.init)
        let end = ContinuousClock.now + .seconds(seconds ?? 0)
        var count = 0
        var round = 0
        while seconds == nil ? round < 3_000 : ContinuousClock.now < end {
            round += 1
            let length = Int.random(in: 1...12, using: &generator)
            let xpath = (0..<length).compactMap { _ in Self.words.randomElement(using: &generator) }.joined()
            guard let value = try? tree.value(ofXPath: xpath) else { continue }
            count += 1
            #expect(value.string.utf8.count < 1_000_000)
        }
        #expect(count > 0)
    }
}
