import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PropertyListFuzzTests {
    @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary], [1, 2] as [UInt64])
    func `broken property lists neither crash nor hang, nor does Foundation at what is accepted`(
        _ format: PropertyListDecoder.PropertyListFormat,
        _ seed: UInt64
    ) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let whole = try encoder.encode(PropertyListBodyDecoderTests.Item())
        var generator = SeededGenerator(seed: seed)
        for _ in FuzzRounds(500) {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = bytes.startIndex + Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] = UInt8.random(in: 0...40, using: &generator)
                default: bytes.replaceSubrange(place..<min(place + 3, bytes.endIndex), with: [0xA1, 0xFF].prefix(1))
                }
            }
            guard (try? PropertyListValue(parsing: bytes)) != nil else { continue }
            // It must have an answer of some kind: which one is not compared.
            _ = try? PropertyListBodyDecoder().decode(PropertyListBodyDecoderTests.Item.self, from: bytes)
            _ = try? PropertyListDecoder().decode(PropertyListBodyDecoderTests.Item.self, from: bytes)
        }
    }
}
