public import FoundationEssentials

extension Charset {
    /// The text of bytes. A byte-order mark at the beginning is not part of it.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - fallback: The way to treat bytes that are not valid. Default: fail.
    /// - Returns: The text.
    /// - Throws: ``CharsetError`` for bytes that are not valid in the charset.
    public func decode(_ bytes: Data, fallback: Fallback = .fail) throws(CharsetError) -> String {
        switch scheme {
        case .utf8:
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
            if let valid = String(validating: text, as: UTF8.self) { return valid }
            guard fallback == .replace else {
                throw .invalid(self, at: Self.validPrefix(of: text) + bytes.count - text.count)
            }
            return String(decoding: text, as: UTF8.self)
        case .ascii:
            guard let wrong = bytes.firstIndex(where: { $0 >= 0x80 }) else {
                return String(decoding: bytes, as: UTF8.self)
            }
            guard fallback == .replace else { throw .invalid(self, at: wrong - bytes.startIndex) }
            var text = ""
            text.unicodeScalars.append(contentsOf: bytes.map { $0 < 0x80 ? Unicode.Scalar($0) : "\u{FFFD}" })
            return text
        case .latin1:
            return String(latin1: bytes)
        case .utf16(let isBigEndian):
            let isBig = isBigEndian ?? !bytes.starts(with: [0xFF, 0xFE])
            return try decode(bytes, as: UTF16.self, isBigEndian: isBig, fallback)
        case .utf32(let isBigEndian):
            let isBig = isBigEndian ?? !bytes.starts(with: [0xFF, 0xFE, 0, 0])
            return try decode(bytes, as: UTF32.self, isBigEndian: isBig, fallback)
        case .big5:
            return try Big5.decode(bytes, for: self, replacement: fallback == .replace ? Array("\u{FFFD}".utf8) : nil)
        case .system(let name):
            var converter = try CharsetConverter(from: name, to: "UTF-8", for: self)
            let text = try converter.convert(bytes, replacement: fallback == .replace ? Array("\u{FFFD}".utf8) : nil)
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// The bytes of a text. There is no byte-order mark before it, except in ``utf16`` and
    /// ``utf32`` where the text begins with a character that would be taken for one (RFC 2781
    /// §4.3).
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - fallback: The way to treat characters that the charset has no bytes for. Default: fail.
    /// - Returns: The bytes.
    /// - Throws: ``CharsetError`` for a character that cannot be written.
    public func encode(_ text: String, fallback: Fallback = .fail) throws(CharsetError) -> Data {
        switch scheme {
        case .utf8: return Data(text.utf8)
        case .ascii: return try encode(text, below: 0x80, fallback)
        case .latin1: return try encode(text, below: 0x100, fallback)
        case .utf16(let isBigEndian):
            let mark: [UInt16] = isBigEndian == nil && beginsLikeMark(text) ? [0xFEFF] : []
            return Self.bytes(of: mark + text.utf16, isBigEndian: isBigEndian ?? true)
        case .utf32(let isBigEndian):
            let mark: [UInt32] = isBigEndian == nil && beginsLikeMark(text) ? [0xFEFF] : []
            return Self.bytes(of: mark + text.unicodeScalars.map(\.value), isBigEndian: isBigEndian ?? true)
        case .big5: return try encode(text, "BIG5", fallback)
        case .system(let name):
            return try encode(name.hasPrefix("ISO-2022") ? withoutControls(text, fallback) : text, name, fallback)
        }
    }

    /// Whether the first character is a mark, or one whose bytes are a mark in the other byte
    /// order.
    private func beginsLikeMark(_ text: String) -> Bool {
        text.unicodeScalars.first.map { ["\u{FEFF}", "\u{FFFE}"].contains($0) } ?? false
    }

    private static func bytes<Unit: FixedWidthInteger>(of units: [Unit], isBigEndian: Bool) -> Data {
        let places = stride(from: 0, to: Unit.bitWidth, by: 8)
        let order = isBigEndian ? places.reversed() : Array(places)
        return Data(units.flatMap { unit in order.map { UInt8(truncatingIfNeeded: unit >> $0) } })
    }

    private func encode(_ text: String, _ systemName: String, _ fallback: Fallback) throws(CharsetError) -> Data {
        var converter = try CharsetConverter(from: "UTF-8", to: systemName, for: self)
        return Data(try converter.convert(Array(text.utf8), replacement: fallback == .replace ? [0x3F] : nil))
    }

    /// The text without the three characters that would be read as a change of the character set.
    /// The ISO-2022-JP encoder of the Encoding Standard refuses them; `iconv` writes them as they
    /// are.
    private func withoutControls(_ text: String, _ fallback: Fallback) throws(CharsetError) -> String {
        let controls: Set<Unicode.Scalar> = ["\u{E}", "\u{F}", "\u{1B}"]
        guard let index = text.unicodeScalars.firstIndex(where: controls.contains) else { return text }
        guard fallback == .replace else {
            let place = text.utf8.distance(from: text.startIndex, to: index)
            throw .inexpressible(self, text.unicodeScalars[index], at: place)
        }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { controls.contains($0) ? "?" : $0 }))
    }

    private func encode(_ text: String, below limit: UInt32, _ fallback: Fallback) throws(CharsetError) -> Data {
        var bytes = Data()
        var place = 0
        for scalar in text.unicodeScalars {
            if scalar.value < limit {
                bytes.append(UInt8(scalar.value))
            } else if fallback == .replace {
                bytes.append(UInt8(ascii: "?"))
            } else {
                throw .inexpressible(self, scalar, at: place)
            }
            place += UTF8.width(scalar)
        }
        return bytes
    }

    private func decode<Encoding: Unicode.Encoding>(
        _ bytes: Data,
        as encoding: Encoding.Type,
        isBigEndian: Bool,
        _ fallback: Fallback
    ) throws(CharsetError) -> String {
        let width = Encoding.CodeUnit.bitWidth / 8
        let isCut = bytes.count % width != 0
        guard !isCut || fallback == .replace else { throw .invalid(self, at: bytes.count / width * width) }
        var units: [Encoding.CodeUnit] = []
        units.reserveCapacity(bytes.count / width)
        var unit: Encoding.CodeUnit = 0
        for (position, byte) in bytes.enumerated() {
            let place = position % width
            if place == 0 { unit = 0 }
            unit |= Encoding.CodeUnit(byte) << ((isBigEndian ? width - 1 - place : place) * 8)
            if place == width - 1 { units.append(unit) }
        }
        let text = units.first == 0xFEFF ? units[1...] : units[...]
        if !isCut, let valid = String(validating: text, as: encoding) { return valid }
        guard fallback == .replace else { throw .invalid(self, at: nil) }
        return String(decoding: text, as: encoding) + (isCut ? "\u{FFFD}" : "")
    }

    /// The number of bytes before the first that is not valid UTF-8.
    private static func validPrefix(of bytes: Data) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var count = 0
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) { count += scalar.count }
        return count
    }
}
