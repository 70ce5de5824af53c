import Foundation
import Testing

@testable import Bluebonnet

@Suite struct CharsetFuzzTests {
    /// More rounds with the environment variable `BLUEBONNET_FUZZ_SECONDS`.
    static var rounds: FuzzRounds { FuzzRounds(300) }

    private static let alphabet = Array("abcdeiostuw0123456789-_/.: ,\u{0}ü")

    /// A random text, or the label of a charset with at most two changes.
    private static func label(using generator: inout SeededGenerator) -> String {
        func character() -> Character { alphabet.randomElement(using: &generator) ?? "a" }
        guard Bool.random(using: &generator) else {
            return String((0..<Int.random(in: 0...20, using: &generator)).map { _ in character() })
        }
        var label = Array(CharsetTests.samples.randomElement(using: &generator)?.label ?? "")
        for _ in 0..<Int.random(in: 0...2, using: &generator) where !label.isEmpty {
            let place = Int.random(in: 0..<label.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: label[place] = character()
            case 1: label.insert(character(), at: place)
            default: label.remove(at: place)
            }
        }
        return String(label)
    }

    @Test func `random charset labels do not crash, and a charset that one names can be used`() throws {
        var generator = SeededGenerator(seed: 42)
        var (rounds, found) = (0, 0)
        for _ in Self.rounds {
            rounds += 1
            let label = Self.label(using: &generator)
            guard let charset = Charset(label) else { continue }
            found += 1
            // Digits, because KOI-7 has no small letters.
            #expect(try charset.decode(charset.encode("123")) == "123", "\(label.debugDescription)")
        }
        #expect(found > rounds / 10 && found < rounds * 9 / 10, "\(found) of \(rounds)")
    }
}
