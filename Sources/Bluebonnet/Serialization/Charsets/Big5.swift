import FoundationEssentials

/// Reads Big5 as it is used on the web (the Big5 decoder of the Encoding Standard): the characters
/// of Hong Kong's supplement, but the symbols of Microsoft's code page 950 where the system's
/// converter for the supplement has others or none.
enum Big5 {
    private static let symbols: [UInt16: Unicode.Scalar] = [
        0xA145: "\u{2027}", 0xA14E: "\u{FE51}", 0xA15A: "\u{2574}", 0xA1C2: "\u{00AF}", 0xA1C3: "\u{FFE3}",
        0xA1C5: "\u{02CD}", 0xA1E3: "\u{FF5E}", 0xA1F2: "\u{2295}", 0xA1F3: "\u{2299}", 0xA1FE: "\u{FF0F}",
        0xA240: "\u{FF3C}", 0xA241: "\u{2215}", 0xA242: "\u{FE68}", 0xA244: "\u{FFE5}", 0xA246: "\u{FFE0}",
        0xA247: "\u{FFE1}", 0xA2CC: "\u{5341}", 0xA2CE: "\u{5345}", 0xA3E1: "\u{20AC}", 0xF9FE: "\u{2593}",
    ]

    static func decode(_ bytes: Data, for charset: Charset, replacement: [UInt8]?) throws(CharsetError) -> String {
        var converter = try CharsetConverter(from: "BIG5-HKSCS", to: "UTF-8", for: charset)
        let bytes = Array(bytes)
        var text = ""
        var start = 0
        var position = 0
        /// Converts the bytes up to the position with the system's converter.
        func convert() throws(CharsetError) {
            guard start < position else { return }
            do {
                text += String(
                    decoding: try converter.convert(bytes[start..<position], replacement: replacement),
                    as: UTF8.self
                )
            } catch {
                throw .invalid(charset, at: error.offset.map { start + $0 })
            }
        }
        while position < bytes.count {
            guard position + 1 < bytes.count, isLead(bytes[position]), isTrail(bytes[position + 1]) else {
                position += 1
                continue
            }
            if let symbol = symbols[UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])] {
                try convert()
                text.unicodeScalars.append(symbol)
                start = position + 2
            }
            position += 2
        }
        try convert()
        return text
    }

    private static func isLead(_ byte: UInt8) -> Bool { (0x81...0xFE).contains(byte) }

    private static func isTrail(_ byte: UInt8) -> Bool {
        (0x40...0x7E).contains(byte) || (0xA1...0xFE).contains(byte)
    }
}
