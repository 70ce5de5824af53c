import NIOCore

@testable import Bluebonnet

extension HTTP2FieldSection {
    /// The section that a server sends with these fields.
    init(_ fields: [(String, String)], limit: Int = .max) throws {
        var encoder = HPACK.Encoder()
        var block = ByteBuffer()
        encoder.encode(fields.map { HTTP2Field($0.0, $0.1) }, to: &block)
        var decoder = HPACK.Decoder(limit: limit)
        self.init()
        try decoder.decode(block.readableBytesUInt8Span, into: &self)
    }

    /// The fields as texts.
    var fields: [String] {
        entries.map { entry in
            let name = String(decoding: bytes[Int(entry.nameStart)..<Int(entry.nameEnd)], as: UTF8.self)
            return name + "=" + String(decoding: bytes[entry.value], as: UTF8.self)
        }
    }
}

extension HPACK.Decoder {
    /// The fields of a block.
    mutating func fields(_ block: [UInt8]) throws(HTTP2Fault) -> [String] {
        var section = HTTP2FieldSection()
        try decode(block.span, into: &section)
        return section.fields
    }
}

/// The bytes of a text like `8286 8441`.
func hexBytes(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
