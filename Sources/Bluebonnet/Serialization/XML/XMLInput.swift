import FoundationEssentials

/// The text of an XML document in UTF-8, and a position in it.
struct XMLInput: Sendable {
    private var bytes: [UInt8] = []
    private(set) var position = 0
    /// A position with its line and column, so that those of later positions are not counted from
    /// the beginning.
    private(set) var marked = (position: 0, line: 1, column: 1)

    /// An empty text.
    init() {}

    init(_ document: Data, charset: Charset?) throws(XMLParsingError) {
        var known = Charset.marked(document)?.charset ?? charset
        if known == nil { known = try Self.declaredCharset(document) }
        let charset = known ?? .utf8
        do throws(CharsetError) {
            if charset == .utf8 {
                let text = document.starts(with: [0xEF, 0xBB, 0xBF]) ? document.dropFirst(3) : document
                bytes = Array(text)
                guard String(validating: bytes, as: UTF8.self) != nil else {
                    _ = try charset.decode(document)
                    return
                }
            } else {
                bytes = Array(try charset.decode(document).utf8)
            }
        } catch {
            if let offset = error.offset { bytes = Array(document.prefix(offset)) }
            let (line, column) = charset == .utf8 ? location(of: bytes.count) : (1, 1)
            throw XMLParsingError(code: .encoding, message: error.description, line: line, column: column)
        }
    }

    /// The charset in the XML declaration (XML 1.0 appendix F), which is ASCII or wide characters.
    private static func declaredCharset(_ document: Data) throws(XMLParsingError) -> Charset {
        let first = Array(document.prefix(4))
        if first == [0, 0x3C, 0, 0x3F] { return .utf16BigEndian }
        if first == [0x3C, 0, 0x3F, 0] { return .utf16LittleEndian }
        if first == [0, 0, 0, 0x3C] { return .utf32BigEndian }
        if first == [0x3C, 0, 0, 0] { return .utf32LittleEndian }
        let head = String(latin1: document.prefix(256))
        guard head.hasPrefix("<?xml"), let end = head.utf8.firstIndex(of: UInt8(ascii: ">")) else { return .utf8 }
        let words = head[..<end].split {
            $0 == " " || $0 == "=" || $0 == "\t" || $0 == "\n" || $0 == "\r\n" || $0 == "?"
        }
        guard let index = words.firstIndex(of: "encoding"), index + 1 < words.count else { return .utf8 }
        let label = words[index + 1].filter { $0 != "\"" && $0 != "'" }
        guard let charset = Charset(label) else {
            let message = CharsetError.unknown(label).description
            throw XMLParsingError(code: .encoding, message: message, line: 1, column: 1)
        }
        // A declaration that could be read as ASCII is not in wide characters, even if it names
        // them.
        switch charset.scheme {
        case .utf16, .utf32: return .utf8
        default: return charset
        }
    }

    // MARK: Reading without moving

    var isAtEnd: Bool { position >= bytes.count }

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    func byte(after distance: Int) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    func has(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard count <= bytes.count - position else { return false }
        // The buffer of a static string is always valid, and the comparison stays inside it.
        return word.withUTF8Buffer { unsafe bytes[position..<position + count].elementsEqual($0) }
    }

    func location(of place: Int) -> (line: Int, column: Int) {
        let start = place < marked.position ? (position: 0, line: 1, column: 1) : marked
        var (_, line, column) = start
        for byte in bytes[start.position..<min(place, bytes.count)] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }

    /// Marks the position with its line and column.
    mutating func mark() {
        let (line, column) = location(of: position)
        marked = (position, line, column)
    }

    func error(_ code: XMLParsingError.Code, _ message: String, at place: Int? = nil) -> XMLParsingError {
        let (line, column) = location(of: place ?? position)
        return XMLParsingError(code: code, message: message, line: line, column: column)
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether XML allows a character (XML 1.0 §2.2).
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    // MARK: Reading

    mutating func advance() { position += 1 }

    mutating func take(_ word: StaticString) -> Bool {
        guard has(word) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    mutating func expect(_ word: StaticString, _ place: @autoclosure () -> String) throws(XMLParsingError) {
        guard take(word) else { throw error(.malformed, "Expected “\(word)” \(place())") }
    }

    @discardableResult
    mutating func skipBlanks() -> Bool {
        let start = position
        while position < bytes.count, Self.isBlank(bytes[position]) { position += 1 }
        return position > start
    }

    /// Takes the bytes of one character, a line end of any kind as `\n` (XML 1.0 §2.11).
    mutating func character(into text: inout [UInt8]) throws(XMLParsingError) {
        let byte = bytes[position]
        switch byte {
        case 0x20..<0x80, 0x09, 0x0A: text.append(byte)
        case 0x0D:
            text.append(0x0A)
            if self.byte(after: 1) == 0x0A { position += 1 }
        case 0x80...:
            // U+FFFE and U+FFFF are not characters.
            if byte == 0xEF, self.byte(after: 1) == 0xBF, self.byte(after: 2).map({ $0 >= 0xBE }) == true {
                throw error(.malformed, "U+FFFE and U+FFFF are not allowed")
            }
            text.append(byte)
        default: throw error(.malformed, "The control character \(byte) is not allowed")
        }
        position += 1
    }

    /// Reads the text up to a word, and the word.
    mutating func text(upTo end: StaticString, of what: String) throws(XMLParsingError) -> String {
        let start = position
        var text: [UInt8] = []
        while !take(end) {
            guard !isAtEnd else { throw error(.malformed, "The \(what) has no end", at: start) }
            try character(into: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the name of a reference and its semicolon; the `#` of a character reference is part of
    /// the name.
    mutating func referenceName(at place: Int) throws(XMLParsingError) -> String {
        guard peek == UInt8(ascii: "#") else {
            let name = try self.name()
            try expect(";", "after the reference “&\(name.shortened)”")
            return name
        }
        let start = position
        while let byte = peek, byte != UInt8(ascii: ";"), position - start < 16 { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard take(";") else { throw error(.malformed, "Expected “;” after a character reference", at: place) }
        return name
    }

    /// Reads a name (XML 1.0 §2.3).
    mutating func name() throws(XMLParsingError) -> String {
        let start = position
        while let byte = peek, byte >= 0x80 || Self.isNameByte(byte) { position += 1 }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard Self.isName(name) else {
            position = start
            throw error(.malformed, "Expected a name")
        }
        return name
    }

    /// Whether a text is a name (XML 1.0 §2.3).
    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
        return text.utf8.allSatisfy(isNameByte) || text.unicodeScalars.allSatisfy(isNameCharacter)
    }

    /// A name without a colon (Namespaces in XML §2.1, `NCName`).
    static func isUncolonizedName(_ text: String) -> Bool {
        isName(text) && !text.utf8.contains(UInt8(ascii: ":"))
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D,
            0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF,
            0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    private static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isNameStart(scalar)
        }
    }
}
