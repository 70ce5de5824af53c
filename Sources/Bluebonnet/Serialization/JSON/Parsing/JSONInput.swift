/// A copy of the text in UTF-8 with padding, for the parser.
///
/// JSON between systems is UTF-8 (RFC 8259 §8.1). UTF-16 and UTF-32 are recognized by their
/// byte-order mark or by the zeros among the first four bytes (RFC 4627 §3), and transcoded. A
/// byte-order mark is skipped.
struct JSONInput {
    private(set) var bytes: [UInt8]
    /// The bytes without the padding.
    private(set) var count: Int

    init(_ text: some Collection<UInt8>) throws(JSONParsingError) {
        bytes = []
        count = 0
        let length = text.count
        try checkSize(length)
        let start = Array(text.prefix(4))
        // JSON starts with an ASCII character: other bytes are a byte-order mark or a wide
        // encoding.
        let isPlain = length < 2 || start[0] != 0 && start[1] != 0 && start[0] < 0x80
        let (encoding, mark) = isPlain ? (.utf8, 0) : Self.encoding(of: start)
        switch encoding {
        case .utf8:
            bytes.reserveCapacity(length + JSONTape.padding)
            bytes.append(contentsOf: mark == 0 ? text[...] : text.dropFirst(mark))
        case .utf16(let isBigEndian):
            let units = Units<_, UInt16>(text.dropFirst(mark).makeIterator(), isBigEndian)
            try transcode(units, length - mark, UTF16.self)
        case .utf32(let isBigEndian):
            let units = Units<_, UInt32>(text.dropFirst(mark).makeIterator(), isBigEndian)
            try transcode(units, length - mark, UTF32.self)
        }
        count = bytes.count
        try checkSize(count)
        bytes.append(contentsOf: repeatElement(0, count: JSONTape.padding))
    }

    /// Throws for a text that is too large: the tape counts bytes with 32 bits.
    private mutating func checkSize(_ size: Int) throws(JSONParsingError) {
        guard size >= Int(UInt32.max) - JSONTape.padding else { return }
        count = 0
        bytes = []
        throw JSONParsingError(JSONScanFailure(.tooLarge, at: 0), input: self, words: [])
    }

    private enum Encoding {
        case utf8
        case utf16(isBigEndian: Bool)
        case utf32(isBigEndian: Bool)
    }

    /// The encoding and the length of the byte-order mark.
    private static func encoding(of start: [UInt8]) -> (Encoding, mark: Int) {
        let first = (0..<4).map { $0 < start.count ? start[$0] : 0xAA }
        switch (first[0], first[1], first[2], first[3]) {
        case (0xEF, 0xBB, 0xBF, _): return (.utf8, 3)
        case (0xFF, 0xFE, 0, 0): return (.utf32(isBigEndian: false), 4)
        case (0, 0, 0xFE, 0xFF): return (.utf32(isBigEndian: true), 4)
        case (0xFF, 0xFE, _, _): return (.utf16(isBigEndian: false), 2)
        case (0xFE, 0xFF, _, _): return (.utf16(isBigEndian: true), 2)
        case (0, 0, 0, 1...): return (.utf32(isBigEndian: true), 0)
        case (1..., 0, 0, 0): return (.utf32(isBigEndian: false), 0)
        case (0, 1..., _, _): return (.utf16(isBigEndian: true), 0)
        case (1..., 0, _, _): return (.utf16(isBigEndian: false), 0)
        default: return (.utf8, 0)
        }
    }

    /// The code units of a wide encoding, read as they are needed.
    private struct Units<Bytes: IteratorProtocol<UInt8>, Unit: FixedWidthInteger & UnsignedInteger>: IteratorProtocol {
        private var bytes: Bytes
        private let isBigEndian: Bool

        init(_ bytes: Bytes, _ isBigEndian: Bool) {
            self.bytes = bytes
            self.isBigEndian = isBigEndian
        }

        mutating func next() -> Unit? {
            var unit: Unit = 0
            for position in 0..<(Unit.bitWidth / 8) {
                guard let byte = bytes.next() else { return nil }
                unit |= Unit(byte) << Unit(8 * (isBigEndian ? Unit.bitWidth / 8 - 1 - position : position))
            }
            return unit
        }
    }

    private mutating func transcode<Bytes, Codec: UnicodeCodec>(
        _ units: Units<Bytes, Codec.CodeUnit>,
        _ length: Int,
        _ codec: Codec.Type
    ) throws(JSONParsingError) {
        let size = Codec.CodeUnit.bitWidth / 8
        var transcoded: [UInt8] = []
        var hasFailed = length % size != 0
        if !hasFailed {
            // Most characters are ASCII, one byte each.
            transcoded.reserveCapacity(length / size + JSONTape.padding)
            hasFailed = Swift.transcode(
                units,
                from: codec,
                to: UTF8.self,
                stoppingOnError: true,
                into: { transcoded.append($0) }
            )
        }
        bytes = transcoded
        count = bytes.count
        if hasFailed { throw JSONParsingError(JSONScanFailure(.encoding, at: count), input: self, words: []) }
    }
}
