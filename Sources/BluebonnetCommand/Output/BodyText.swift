import Bluebonnet
import FoundationEssentials

/// Bodies as text for people.
struct BodyText {
    let style: OutputStyle

    private var paint: Paint { Paint(style) }

    /// A whole body as text, without a line end behind it.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - kind: Its kind; JSON is also looked for in texts.
    ///   - contentType: The value of `Content-Type`.
    ///   - type: The media type.
    /// - Returns: The text; nil for bytes that are not text in their charset.
    func render(_ data: Data, kind: BodyKind, _ contentType: String?, _ type: String?) -> String? {
        if kind == .json || kind.mayBeJSON(data), style.formats || style.colors,
            let document = json(data, contentType, type)
        {
            return json(document.text(of: document.root), isPicked: false)
        }
        guard let text = decoded(data, contentType, type).map(TerminalText.harmless) else { return nil }
        guard style.formats || style.colors else { return text }
        switch kind {
        case .xml: return MarkupText.render(text, isHTML: false, formats: style.formats, paint: paint)
        case .html: return MarkupText.render(text, isHTML: true, formats: style.formats, paint: paint)
        case .form: return form(text)
        default: return text
        }
    }

    /// The JSON of a body. A charset that is named counts where the body is not UTF-8, UTF-16 or
    /// UTF-32, which JSON may be.
    func json(_ data: Data, _ contentType: String?, _ type: String?) -> JSONDocument? {
        if let document = try? JSONDocument(parsing: Array(data)) { return document }
        guard String(validating: data, as: UTF8.self) == nil, let text = decoded(data, contentType, type) else {
            return nil
        }
        return try? JSONDocument(parsing: Array(text.utf8))
    }

    /// JSON in the style.
    ///
    /// - Parameters:
    ///   - json: The text.
    ///   - isPicked: Whether it is a part of a body, which has one line where it is not formatted.
    /// - Returns: The text without a line end behind it.
    func json(_ json: ArraySlice<UInt8>, isPicked: Bool) -> String {
        let layout: JSONText.Layout = style.formats ? .formatted : isPicked ? .compact : .asWritten
        return JSONText.render(json, layout: layout, paint: paint)
    }

    /// A line of server-sent events whose data is not JSON.
    func event(_ line: String) -> String {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return plain(line) }
        // A line that begins with a colon is a comment (HTML Standard §9.2.5).
        if colon == line.startIndex { return paint(plain(line), .faint) }
        return eventName(String(line[..<colon])) + plain(String(line[line.utf8.index(after: colon)...]))
    }

    /// The name of a field of an event, and its colon.
    func eventName(_ name: String) -> String { paint(plain(name), .name) + ":" }

    /// Text without a syntax.
    func plain(_ text: String) -> String { style.isTerminal ? TerminalText.harmless(text) : text }

    /// One line for each pair of a form; the `&` begins it.
    private func form(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            let value = pair[name.endIndex...].dropFirst()
            let sign = name.endIndex == pair.endIndex ? "" : "="
            return paint(String(name), .key) + sign + paint(String(value), .string)
        }
        .joined(separator: style.formats ? "\n&" : "&")
    }

    // MARK: Charsets

    /// Whether bytes are not text in their charset, and would say nothing on a terminal.
    ///
    /// - Parameters:
    ///   - start: The beginning of the body.
    ///   - kind: The kind of body.
    ///   - contentType: The value of `Content-Type`.
    ///   - type: The media type.
    /// - Returns: Whether they are not.
    func isBinary(_ start: Data, _ kind: BodyKind, _ contentType: String?, _ type: String?) -> Bool {
        // What says that it is JSON may be in UTF-16 without a mark, too (RFC 4627 §3).
        if kind == .json { return false }
        guard !isUTF8(start, contentType, type), let text = decoded(start, contentType, type) else {
            return TerminalText.isBinary(start, kind)
        }
        // In UTF-16 every other byte of a text is a NUL. Without a type, a mark of the byte order
        // may be one by chance.
        return TerminalText.isBinary(text.utf8, kind) || kind == .unknown && text.dropLast().contains("\u{FFFD}")
    }

    /// Whether the body can be shown piece by piece: it is UTF-8, which US-ASCII is a part of.
    func isUTF8(_ start: Data, _ contentType: String?, _ type: String?) -> Bool {
        let charset = charset(start, contentType, type)
        return charset == .utf8 || charset == .ascii
    }

    /// Whether a charset is one that bodies are shown in: those of the Encoding Standard.
    static func knows(charset: String) -> Bool {
        let contentType = "text/plain; charset=\(charset)"
        let label = DocumentCharset.label(of: Data(), contentType: contentType, mediaType: "text/plain")
        return Charset(charset) != nil && Charset(charset) == Charset(label)
    }

    private func charset(_ data: Data, _ contentType: String?, _ type: String?) -> Charset {
        Charset(DocumentCharset.label(of: data, contentType: contentType, mediaType: type ?? "")) ?? .utf8
    }

    private func decoded(_ data: Data, _ contentType: String?, _ type: String?) -> String? {
        try? charset(data, contentType, type).decode(data, fallback: .replace)
    }
}

extension BodyKind {
    /// Whether the body may be JSON although its type does not say so.
    func mayBeJSON(_ start: Data) -> Bool {
        guard self == .text || self == .unknown else { return false }
        let first = start.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
