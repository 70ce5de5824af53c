import Foundation
import Testing

@testable import Bluebonnet

/// The calls of the system's converter for a text, and the size of the result, are proportional to
/// the bytes of the text.
@Suite struct CharsetCostTests {
    enum Hostile: CaseIterable {
        /// In this order: no byte is valid; every second byte is valid; only halves of UTF-16
        /// characters; escapes that change the set of characters and nothing else; lead bytes; a
        /// symbol of Big5 that the library decodes without the converter.
        case invalid, mixed, zeros, escapes, leads, symbols

        func bytes(_ count: Int) -> Data {
            let piece: [UInt8]
            switch self {
            case .invalid: piece = [0xFF, 0xFF, 0xFF, 0xFF]
            case .mixed: piece = [0xFF, 0x61, 0x80, 0x61]
            case .zeros: piece = [0, 0xDC, 0xD8, 0]
            case .escapes: piece = [0x1B, 0x24, 0x42, 0x1B, 0x28, 0x42]
            case .leads: piece = [0x81, 0x30, 0x81, 0x20]
            case .symbols: piece = [0xA4, 0xA4, 0xA1, 0x45]
            }
            return Data((0..<count).flatMap { _ in piece })
        }
    }

    private static let systemLabels = CharsetTests.samples.map(\.label).filter { label in
        if case .system = Charset(label)?.scheme { true } else { false }
    }

    @Test(arguments: systemLabels + ["big5"], Hostile.allCases)
    func `charset converter calls grow linearly with the bytes`(label: String, hostile: Hostile) throws {
        let charset = try #require(Charset(label))
        let name = if case .system(let name) = charset.scheme { name } else { "BIG5-HKSCS" }
        let costs = try [250, 500, 1_000].map { count in
            var converter = try CharsetConverter(from: name, to: "UTF-8", for: charset)
            let bytes = hostile.bytes(count)
            let text = try converter.convert(bytes, replacement: Array("\u{FFFD}".utf8))
            // An invalid byte takes one call and becomes three bytes; valid bytes are converted in
            // whole blocks.
            #expect(converter.calls <= bytes.count + 8)
            #expect(text.count <= 4 * bytes.count)
            return converter.calls
        }
        for (less, more) in zip(costs, costs.dropFirst()) { #expect(more <= less * 9 / 4 + 4, "\(costs)") }
    }

    @Test func `valid text is converted to its charset by the block`() throws {
        for (label, text, _) in CharsetTests.samples where Self.systemLabels.contains(label) {
            let charset = try #require(Charset(label))
            guard case .system(let name) = charset.scheme else { continue }
            let bytes = try charset.encode(String(repeating: text, count: 2_000))
            var converter = try CharsetConverter(from: name, to: "UTF-8", for: charset)
            let decoded = try converter.convert(bytes, replacement: nil)
            // Blocks of 4,096 bytes, of which the converter may fill no more than a part.
            #expect(converter.calls <= decoded.count / 1_024 + 8, "\(label)")
        }
    }

    /// The standard library reads these in one pass, so only the size of the result is checked.
    @Test(
        arguments: ["utf-8", "us-ascii", "latin1", "utf-16", "utf-16le", "utf-32", "utf-32le", "big5"],
        Hostile.allCases
    )
    func `a converted text is not longer than its bytes allow`(label: String, hostile: Hostile) throws {
        let charset = try #require(Charset(label))
        for count in [250, 500, 1_000] {
            let bytes = hostile.bytes(count)
            let text = try charset.decode(bytes, fallback: .replace)
            #expect(text.utf8.count <= 3 * bytes.count + 3)
        }
    }
}
