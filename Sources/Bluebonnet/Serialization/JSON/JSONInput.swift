/// A text copied once, in UTF-8 and with padding, ready to be scanned.
///
/// JSON between systems is UTF-8 (RFC 8259 §8.1). UTF-16 and UTF-32 are told by their byte-order mark or, as RFC 4627
/// §3 describes, by where the first four bytes are zero, and transcoded. A byte-order mark is skipped.
struct JSONInput {
    private(set) var bytes: [UInt8]
    /// The bytes without the padding.
    private(set) var count: Int

    init(_ text: some Collection<UInt8>) throws(JSONParsingError) {
        bytes = []
        bytes.reserveCapacity(text.count + JSONTape.padding)
        bytes.append(contentsOf: text)
        count = bytes.count
        guard count < Int(UInt32.max) - JSONTape.padding else {
            count = 0
            bytes = []
            throw JSONParsingError(JSONScanFailure(.tooLarge, at: 0), input: self, words: [])
        }
        // A JSON text starts with ASCII: only a byte-order mark or a wide encoding starts otherwise.
        if count >= 2, bytes[0] == 0 || bytes[1] == 0 || bytes[0] >= 0x80 { try transcode() }
        bytes.append(contentsOf: repeatElement(0, count: JSONTape.padding))
    }

    private enum Encoding {
        case utf8
        case utf16(isBigEndian: Bool)
        case utf32(isBigEndian: Bool)
    }

    /// The encoding and the length of the byte-order mark.
    private var encoding: (Encoding, mark: Int) {
        let first = (0..<4).map { $0 < count ? bytes[$0] : 0xAA }
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

    private mutating func transcode() throws(JSONParsingError) {
        let (encoding, mark) = encoding
        let body = bytes[mark...]
        switch encoding {
        case .utf8:
            if mark > 0 { bytes.removeFirst(mark) }
        case .utf16(let isBigEndian):
            let units = Self.units(body, size: 2, isBigEndian).map { $0.map(UInt16.init(truncatingIfNeeded:)) }
            try transcode(units, as: UTF16.self)
        case .utf32(let isBigEndian):
            try transcode(Self.units(body, size: 4, isBigEndian), as: UTF32.self)
        }
        count = bytes.count
    }

    /// The code units of a wide encoding, or nil when the last one is cut off.
    private static func units(_ body: ArraySlice<UInt8>, size: Int, _ isBigEndian: Bool) -> [UInt32]? {
        guard body.count % size == 0 else { return nil }
        return stride(from: body.startIndex, to: body.endIndex, by: size).map { start in
            let unit = body[start..<(start + size)]
            return isBigEndian
                ? unit.reduce(0) { $0 << 8 | UInt32($1) }
                : unit.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    private mutating func transcode<Codec: UnicodeCodec>(
        _ units: [Codec.CodeUnit]?,
        as codec: Codec.Type
    ) throws(JSONParsingError) {
        bytes = []
        var transcoded: [UInt8] = []
        let hasFailed =
            units.map { units in
                Swift.transcode(
                    units.makeIterator(),
                    from: codec,
                    to: UTF8.self,
                    stoppingOnError: true,
                    into: { transcoded.append($0) }
                )
            } ?? true
        bytes = transcoded
        count = bytes.count
        if hasFailed {
            let failure = JSONScanFailure(.encoding, at: count)
            throw JSONParsingError(failure, input: self, words: [])
        }
    }
}
