package import FoundationEssentials

/// The charset of a document that a browser shows, by the rules of the HTML Standard of WHATWG.
package enum DocumentCharset {
    /// The bytes at the beginning in which a document names its charset, as in the HTML Standard.
    private static let prescanLength = 1024

    /// The label of the charset: that of a byte-order mark, else that of the `Content-Type`, else
    /// the one that the document names: in a `<meta>` of HTML, in the declaration of XML. A label
    /// of a charset that browsers do not know counts as none.
    ///
    /// - Parameters:
    ///   - body: The bytes of the document.
    ///   - contentType: The `Content-Type` of the response, or nil.
    ///   - mediaType: The media type of the document in lower case.
    /// - Returns: The label; `UTF-8` where there is none.
    package static func label(of body: Data, contentType: String?, mediaType: String) -> String {
        // Browsers know no UTF-32: its little-endian mark begins with that of UTF-16.
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return "UTF-8" }
        if body.starts(with: [0xFF, 0xFE]) { return "UTF-16LE" }
        if body.starts(with: [0xFE, 0xFF]) { return "UTF-16BE" }
        if let label = contentType.flatMap(Charset.label(ofContentType:)), charset(label) != nil { return label }
        let beginning = Array(body.prefix(prescanLength))
        let named: String?
        switch mediaType {
        case "text/html":
            named = HTMLPrescan.charset(beginning)
        case "text/xml", "application/xml":
            named = xmlEncoding(beginning)
        case _ where mediaType.hasSuffix("+xml"):
            named = xmlEncoding(beginning)
        default:
            named = nil
        }
        return named ?? "UTF-8"
    }

    /// The charset of a label, if the Encoding Standard has it.
    fileprivate static func charset(_ label: String) -> Charset? {
        guard let charset = Charset(label) else { return nil }
        switch charset.scheme {
        case .utf8, .ascii, .latin1, .utf16, .big5: return charset
        case .utf32: return nil
        case .system(let name):
            let isKnown = systemNames.contains(name) || isoPrefixes.contains { name.hasPrefix($0) }
            return isKnown ? charset : nil
        }
    }

    /// The names for `iconv` of the charsets in the Encoding Standard, but those of ISO-8859.
    private static let systemNames = Set(
        [
            "GBK", "GB18030", "CP932", "EUC-JP-MS", "CP949", "ISO-2022-JP", "CP874", "KOI8-R", "KOI8-U", "CP866",
            "MACINTOSH", "MAC-CYRILLIC", "ARABIC", "CYRILLIC", "GREEK", "HEBREW",
        ] + (1250...1258).map { "CP\($0)" } + (2...6).flatMap { ["LATIN\($0)", "L\($0)"] }
    )

    private static let isoPrefixes = ["ISO-8859-", "ISO8859-", "ISO_8859-"]

    /// The encoding that the declaration of XML names (XML 1.0 §2.8), if it is known.
    private static func xmlEncoding(_ bytes: [UInt8]) -> String? {
        guard bytes.starts(with: "<?xml".utf8), let end = bytes.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let declaration = String(decoding: bytes[..<end], as: UTF8.self)
        guard let name = declaration.firstRange(of: "encoding") else { return nil }
        let value = declaration[name.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return HTMLPrescan.known(String(value.dropFirst().prefix { $0 != quote }))
    }
}

/// The prescan of HTML for a charset (HTML Standard §13.2.3.2).
struct HTMLPrescan {
    private var rest: ArraySlice<UInt8>

    private init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The label of the first `<meta>` that names a known charset; nil without one.
    static func charset(_ bytes: [UInt8]) -> String? {
        var scan = Self(bytes)
        return scan.charset()
    }

    /// The label of a charset that is known. A `<meta>` that could be read was not in UTF-16: the
    /// standard takes UTF-8 then.
    static func known(_ label: String) -> String? {
        guard let charset = DocumentCharset.charset(label) else { return nil }
        return [.utf16, .utf16BigEndian, .utf16LittleEndian].contains(charset) ? "UTF-8" : label
    }

    private mutating func charset() -> String? {
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if begins("<!--") {
                // The dashes of the end may be those of the beginning.
                rest = rest.dropFirst(2)
                skip(past: "-->")
            } else if begins("<meta"), let next = rest.dropFirst(5).first, Self.isSpace(next) || next == slash {
                rest = rest.dropFirst(5)
                if let label = meta() { return label }
            } else if isTag {
                rest = rest.drop { !Self.isSpace($0) && $0 != close }
                while attribute() != nil {}
            } else if begins("<!") || begins("</") || begins("<?") {
                skip(past: ">")
            } else {
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    /// Reads the attributes of a `<meta>`; the label that it names, if it is known.
    private mutating func meta() -> String? {
        var values: [String: String] = [:]
        while let (name, value) = attribute() {
            // Of two attributes with one name, the first counts.
            if values[name] == nil { values[name] = value }
        }
        // The standard reads nothing of a tag that is cut.
        guard rest.first == close else { return nil }
        if let label = values["charset"] { return Self.known(label) }
        guard values["http-equiv"] == "content-type", let content = values["content"] else { return nil }
        return Self.charset(ofContent: content).flatMap(Self.known)
    }

    /// Reads an attribute (HTML Standard, "get an attribute"): name and value in lower case; nil at
    /// the end of the tag.
    private mutating func attribute() -> (name: String, value: String)? {
        rest = rest.drop { Self.isSpace($0) || $0 == slash }
        guard let first = rest.first, first != close else { return nil }
        // A name may begin with "=".
        let name = rest.prefix(1) + rest.dropFirst().prefix { !Self.isSpace($0) && !"/>=".utf8.contains($0) }
        rest = rest[name.endIndex...]
        let afterSpace = rest.drop(while: Self.isSpace)
        guard afterSpace.first == UInt8(ascii: "=") else { return (Self.text(name), "") }
        rest = afterSpace.dropFirst().drop(while: Self.isSpace)
        guard let quote = rest.first else { return nil }
        let value: ArraySlice<UInt8>
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            value = rest.dropFirst().prefix { $0 != quote }
            rest = rest[value.endIndex...]
            guard rest.popFirst() != nil else { return nil }
        } else {
            value = rest.prefix { !Self.isSpace($0) && $0 != close }
            rest = rest[value.endIndex...]
        }
        return (Self.text(name), Self.text(value))
    }

    /// The charset in the `content` of a `<meta>` (HTML Standard §2.6.5, "extracting a character
    /// encoding from a meta element").
    private static func charset(ofContent content: String) -> String? {
        var rest = content.utf8[...]
        while let found = rest.firstRange(of: "charset".utf8) {
            rest = rest[found.upperBound...].drop(while: isSpace)
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: isSpace)
            guard let quote = rest.first else { return nil }
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let inner = rest.dropFirst()
                return inner.firstIndex(of: quote).map { String(decoding: inner[..<$0], as: UTF8.self) }
            }
            let label = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: ";") }
            return String(decoding: label, as: UTF8.self)
        }
        return nil
    }

    private var slash: UInt8 { UInt8(ascii: "/") }
    private var close: UInt8 { UInt8(ascii: ">") }

    /// Whether a start tag or an end tag begins here.
    private var isTag: Bool {
        var name = rest.dropFirst()
        if name.first == slash { name = name.dropFirst() }
        guard let letter = name.first else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(ASCII.lowercased(letter))
    }

    private func begins(_ word: String) -> Bool {
        rest.prefix(word.utf8.count).map(ASCII.lowercased).elementsEqual(word.utf8)
    }

    /// Goes on behind a word; to the end, if it does not come.
    private mutating func skip(past word: String) {
        rest = rest.firstRange(of: word.utf8).map { rest[$0.upperBound...] } ?? rest[rest.endIndex...]
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map(ASCII.lowercased), as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte)
    }
}
