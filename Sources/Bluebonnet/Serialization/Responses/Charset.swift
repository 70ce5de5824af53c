#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A charset that text can be decoded from.
enum Charset: String, Sendable {
    case utf8 = "UTF-8"
    case ascii = "US-ASCII"
    case latin1 = "ISO-8859-1"
    /// Big-endian unless a byte-order mark says otherwise (RFC 2781 §4.3).
    case utf16 = "UTF-16"
    case utf16BigEndian = "UTF-16BE"
    case utf16LittleEndian = "UTF-16LE"
    /// Big-endian unless a byte-order mark says otherwise.
    case utf32 = "UTF-32"
    case utf32BigEndian = "UTF-32BE"
    case utf32LittleEndian = "UTF-32LE"

    /// Finds a charset by its name or an alias, in any case.
    init?(name: String) {
        switch name.lowercased() {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us": self = .ascii
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1": self = .latin1
        case "utf-16", "utf16": self = .utf16
        case "utf-16be": self = .utf16BigEndian
        case "utf-16le": self = .utf16LittleEndian
        case "utf-32", "utf32": self = .utf32
        case "utf-32be": self = .utf32BigEndian
        case "utf-32le": self = .utf32LittleEndian
        default: return nil
        }
    }

    /// The charset that a byte-order mark tells; UTF-8 without one.
    init(byteOrderMarkOf body: Data) {
        switch Array(body.prefix(4)) {
        case let bytes where bytes.starts(with: [0xFF, 0xFE, 0, 0]): self = .utf32LittleEndian
        case [0, 0, 0xFE, 0xFF]: self = .utf32BigEndian
        case let bytes where bytes.starts(with: [0xFF, 0xFE]): self = .utf16LittleEndian
        case let bytes where bytes.starts(with: [0xFE, 0xFF]): self = .utf16BigEndian
        default: self = .utf8
        }
    }

    /// The `charset` parameter of a `Content-Type` (RFC 9110 §8.3.2), quotes removed; nil without one.
    static func name(ofContentType contentType: String) -> String? {
        for parameter in contentType.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .dropFirst()
        {
            let bytes = parameter.filter { !HTTP1Bytes.isBlank($0) && $0 != UInt8(ascii: "\"") }
            let parts = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, parts[0].map(HTTP1Bytes.lowercased) == Array("charset".utf8) else { continue }
            return String(decoding: parts[1], as: UTF8.self)
        }
        return nil
    }

    /// The text, nil when the bytes are not valid.
    func decode(_ body: Data) -> String? {
        switch self {
        case .utf8:
            String(validating: body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body, as: UTF8.self)
        case .ascii:
            body.allSatisfy { $0 < 0x80 } ? String(decoding: body, as: UTF8.self) : nil
        case .latin1:
            String(latin1: body)
        case .utf16:
            body.starts(with: [0xFF, 0xFE])
                ? Self.decode(body, as: UTF16.self, isBigEndian: false)
                : Self.decode(body, as: UTF16.self, isBigEndian: true)
        case .utf16BigEndian: Self.decode(body, as: UTF16.self, isBigEndian: true)
        case .utf16LittleEndian: Self.decode(body, as: UTF16.self, isBigEndian: false)
        case .utf32:
            body.starts(with: [0xFF, 0xFE, 0, 0])
                ? Self.decode(body, as: UTF32.self, isBigEndian: false)
                : Self.decode(body, as: UTF32.self, isBigEndian: true)
        case .utf32BigEndian: Self.decode(body, as: UTF32.self, isBigEndian: true)
        case .utf32LittleEndian: Self.decode(body, as: UTF32.self, isBigEndian: false)
        }
    }

    private static func decode<Encoding: Unicode.Encoding>(
        _ body: Data,
        as encoding: Encoding.Type,
        isBigEndian: Bool
    ) -> String? {
        let width = Encoding.CodeUnit.bitWidth / 8
        guard body.count % width == 0 else { return nil }
        var units: [Encoding.CodeUnit] = []
        units.reserveCapacity(body.count / width)
        var unit: Encoding.CodeUnit = 0
        for (position, byte) in body.enumerated() {
            let place = position % width
            if place == 0 { unit = 0 }
            unit |= Encoding.CodeUnit(byte) << ((isBigEndian ? width - 1 - place : place) * 8)
            if place == width - 1 { units.append(unit) }
        }
        let hasMark = units.first == 0xFEFF
        return String(validating: hasMark ? units[1...] : units[...], as: encoding)
    }
}
