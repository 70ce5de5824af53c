import Foundation
import Testing

@testable import Bluebonnet

@Suite struct CharsetFuzzTests {
    /// More rounds by hand: `BLUEBONNET_FUZZ_SECONDS`.
    static var rounds: FuzzRounds { FuzzRounds(300) }

    @Test(arguments: CharsetTests.samples.map(\.label))
    func `random bytes neither crash nor hang, and what is read is written the same`(_ label: String) throws {
        let charset = try #require(Charset(label))
        var generator = SeededGenerator(seed: 41)
        for _ in Self.rounds {
            var bytes = Data(
                (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
                }
            )
            // Escapes matter to charsets with shifts.
            if Bool.random(using: &generator) { bytes.insert(0x1B, at: 0) }
            let lenient = try charset.decode(bytes, fallback: .replace)
            guard let strict = try? charset.decode(bytes) else { continue }
            #expect(strict == lenient)
            guard let written = try? charset.encode(strict) else { continue }
            #expect(try charset.decode(written) == strict)
        }
    }

    @Test func `random labels neither crash nor reach anything`() {
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
