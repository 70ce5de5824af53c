/// XML and HTML as text for people, with colours. XML is broken into lines as well, where that
/// does not change its content: white space is added only in elements that have no text.
struct MarkupText {
    /// A part of the text.
    private struct Part {
        enum Kind {
            case open, close, empty, text, other
        }

        var kind: Kind
        var range: Range<Int>
        /// For `open`: whether the element has text of its own, which must stay as it is.
        var hasText = false
    }

    /// The bytes of text behind which lines are not indented any more.
    static let mostIndented = 16 << 20

    private let bytes: [UInt8]
    private let paint: Paint
    private let isHTML: Bool
    private var parts: [Part] = []
    /// Whether each element that is opened is closed, in the right order, and no text is outside.
    private var isWellFormed = true

    /// Writes a text.
    ///
    /// - Parameters:
    ///   - text: XML or HTML, which need not be valid.
    ///   - isHTML: Whether it is HTML, which is not formatted.
    ///   - formats: Whether XML is broken into lines.
    ///   - paint: The colours.
    /// - Returns: The text without a line end behind it.
    static func render(_ text: String, isHTML: Bool, formats: Bool, paint: Paint) -> String {
        var markup = MarkupText(bytes: Array(text.utf8), paint: paint, isHTML: isHTML)
        markup.cut()
        guard formats, !isHTML, markup.isWellFormed else { return markup.parts.map(markup.shown).joined() }
        return markup.formatted()
    }

    private init(bytes: [UInt8], paint: Paint, isHTML: Bool) {
        (self.bytes, self.paint, self.isHTML) = (bytes, paint, isHTML)
    }

    // MARK: Parts

    private mutating func cut() {
        var position = 0
        var open: [Int] = []
        while position < bytes.count {
            let part = part(at: position)
            position = part.range.upperBound
            switch part.kind {
            case .open:
                open.append(parts.count)
            case .close:
                guard let start = open.popLast(), name(of: parts[start]) == name(of: part) else {
                    isWellFormed = false
                    break
                }
            case .text where !isBlank(part.range):
                if let parent = open.last { parts[parent].hasText = true } else { isWellFormed = false }
            case .other where starts(with: "<![CDATA[", at: part.range.lowerBound):
                if let parent = open.last { parts[parent].hasText = true }
            default: break
            }
            parts.append(part)
            if isHTML, part.kind == .open, let end = endOfRawText(after: part) {
                if end > position { parts.append(Part(kind: .text, range: position..<end)) }
                position = end
            }
        }
        if !open.isEmpty { isWellFormed = false }
    }

    private func part(at position: Int) -> Part {
        guard bytes[position] == UInt8(ascii: "<"), position + 1 < bytes.count else { return text(from: position) }
        for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
        where starts(with: start, at: position) {
            return Part(kind: .other, range: position..<self.end(of: end, from: position + start.utf8.count))
        }
        let next = bytes[position + 1]
        let isClosing = next == UInt8(ascii: "/")
        guard isClosing || Self.isLetter(next) else { return text(from: position) }
        let end = endOfTag(from: position + 1)
        let isEmpty = end - position > 2 && bytes[end - 2] == UInt8(ascii: "/")
        return Part(kind: isClosing ? .close : isEmpty ? .empty : .open, range: position..<end)
    }

    private func text(from position: Int) -> Part {
        let end = bytes[(position + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        return Part(kind: .text, range: position..<end)
    }

    private func endOfTag(from position: Int) -> Int {
        var quote: UInt8?
        for index in position..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index + 1
            }
        }
        return bytes.count
    }

    /// The end of a script or a style sheet, in which `<` begins no tag.
    private func endOfRawText(after part: Part) -> Int? {
        let name = name(of: part).lowercased()
        guard name == "script" || name == "style" else { return nil }
        var position = part.range.upperBound
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if starts(with: "</\(name)", at: start) { return start }
            position = start + 1
        }
        return bytes.count
    }

    private func end(of text: String, from position: Int) -> Int {
        var position = position
        while position < bytes.count {
            if starts(with: text, at: position) { return position + text.utf8.count }
            position += 1
        }
        return bytes.count
    }

    private func starts(with text: String, at position: Int) -> Bool {
        bytes[position...].starts(with: text.utf8) { isHTML ? $0 | 0x20 == $1 | 0x20 : $0 == $1 }
    }

    private func name(of part: Part) -> String {
        let name = bytes[part.range].drop { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "/") }
            .prefix { !Self.isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        return String(decoding: name, as: UTF8.self)
    }

    private func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy(Self.isSpace) }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":") || byte >= 0x80
    }

    // MARK: Text

    private func formatted() -> String {
        var result = ""
        var depth = 0
        var index = 0
        func add(_ text: String) {
            if index > 0, !result.isEmpty { result += "\n" }
            // Each level of a deep document costs its depth in spaces.
            if result.utf8.count < Self.mostIndented { result += String(repeating: "  ", count: depth) }
            result += text
        }
        while index < parts.count {
            let part = parts[index]
            switch part.kind {
            case .open where part.hasText || isClosed(at: index + 1):
                // An element with text stays as it is, and an empty one on its line.
                let end = endOfElement(at: index)
                add(parts[index...end].map(shown).joined())
                index = end
            case .open:
                add(shown(part))
                depth += 1
            case .close:
                depth = max(0, depth - 1)
                add(shown(part))
            case .empty, .other: add(shown(part))
            case .text: if !isBlank(part.range) { add(shown(part)) }
            }
            index += 1
        }
        return result
    }

    private func isClosed(at index: Int) -> Bool { index < parts.count && parts[index].kind == .close }

    /// The index of the part that closes an element.
    private func endOfElement(at start: Int) -> Int {
        var depth = 0
        for index in start..<parts.count {
            if parts[index].kind == .open { depth += 1 }
            if parts[index].kind == .close { depth -= 1 }
            if depth == 0 { return index }
        }
        return parts.count - 1
    }

    private func shown(_ part: Part) -> String {
        let text = String(decoding: bytes[part.range], as: UTF8.self)
        switch part.kind {
        case .text: return text
        case .other: return paint(text, .faint)
        case .open, .close, .empty: return paint.isOn ? coloured(tag: text) : text
        }
    }

    /// A tag whose name, names of attributes, and values have colours.
    private func coloured(tag: String) -> String {
        var result = ""
        var rest = tag[...]
        let start = rest.prefix { $0 == "<" || $0 == "/" }
        let name = rest[start.endIndex...].prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        result += paint("\(start)\(name)", .key)
        rest = rest[name.endIndex...]
        while let first = rest.first {
            if first == "\"" || first == "'" {
                let end = rest.dropFirst().firstIndex(of: first).map { rest.index(after: $0) } ?? rest.endIndex
                result += paint(String(rest[..<end]), .string)
                rest = rest[end...]
            } else if first.isWhitespace || first == "=" {
                result.append(first)
                rest = rest.dropFirst()
            } else if first == ">" || first == "/" {
                result += paint(String(first), .key)
                rest = rest.dropFirst()
            } else {
                let word = rest.prefix { !$0.isWhitespace && !"=>/\"'".contains($0) }
                result += paint(String(word), .name)
                rest = rest[word.endIndex...]
            }
        }
        return result
    }
}
