import Foundation
import Testing

@testable import Bluebonnet

@Suite struct XMLEventReaderFuzzTests {
    private static let seeds = [
        "<?xml version='1.0' encoding='UTF-8'?><!DOCTYPE a [<!ENTITY e 'x&#65;'><!ENTITY f '&e;&e;'>]><a b='1'>&f;<!--c--></a>",
        "<p:a xmlns:p='u' xmlns='v' p:q=\"&lt;\"><b/>text<![CDATA[x]]><?pi d?></p:a>",
        "<!DOCTYPE a PUBLIC 'x' 'y' [<!ELEMENT a ANY><!ATTLIST a b CDATA 'c'>]><a>\r\n<b>ü🦊</b></a>",
    ]
    private static let pieces = [
        "<", ">", "&", ";", "'", "\"", "]]>", "<!--", "--", "<?", "?>", "<![CDATA[", "&#", "<!ENTITY", "%", "/", "=",
        ":", "xmlns", "\u{FEFF}", "\r",
    ]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `broken documents end, and what is read makes a whole`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in FuzzRounds(400) {
            var bytes = Array((Self.seeds.randomElement(using: &generator) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
                case 2: bytes.removeSubrange(place..<min(bytes.count, place + 5))
                default: bytes.insert(contentsOf: Array(bytes.prefix(place).suffix(20)), at: place)
                }
                if bytes.isEmpty { bytes = [0x3C] }
            }
            var reader = XMLEventReader(Data(bytes))
            var depth = 0
            var count = 0
            do {
                while let event = try reader.next() {
                    count += 1
                    if case .startElement = event { depth += 1 }
                    if case .endElement = event { depth -= 1 }
                    #expect(depth >= 0 && count < 10_000)
                }
                #expect(depth == 0 && count >= 2)
            } catch {
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
    }
}
