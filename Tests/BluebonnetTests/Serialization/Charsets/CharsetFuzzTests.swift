import Foundation
import Testing

@testable import Bluebonnet

@Suite struct CharsetFuzzTests {
    /// More rounds with the environment variable `BLUEBONNET_FUZZ_SECONDS`.
    static var rounds: FuzzRounds { FuzzRounds(300) }

    @Test func `random charset labels do not crash`() {
        var generator = SeededGenerator(seed: 42)
        let alphabet = Array("abcdeiostuw0123456789-_/.: ,\u{0}ü")
        for _ in Self.rounds {
            let label = String(
                (0..<Int.random(in: 0...20, using: &generator)).compactMap { _ in
                    alphabet.randomElement(using: &generator)
                }
            )
            if let charset = Charset(label) { #expect((try? charset.encode("a")) != nil) }
        }
    }
}
