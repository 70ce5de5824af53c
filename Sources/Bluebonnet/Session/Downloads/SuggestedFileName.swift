public import FoundationEssentials
import HTTPTypes

extension ResponseHead {
    /// The name that the server suggests for the body as a file: of `Content-Disposition` the
    /// parameter `filename*` (RFC 8187), then `filename` (RFC 6266 §4.3), otherwise the last part
    /// of the path of the URL; `download` where there is none.
    ///
    /// It is the name of one file and not hidden, whatever the server sent: what is before a slash
    /// or backslash, control characters, characters that change the direction of text, and points
    /// and spaces at its ends are left out, and it is at most 200 bytes long.
    ///
    /// Counterpart of `suggestedFilename` of `NSURLResponse`.
    ///
    /// - Parameter url: The URL of the response.
    /// - Returns: The name.
    public func suggestedFileName(for url: URL) -> String {
        let suggested = values(for: .contentDisposition).lazy.compactMap { ContentDisposition($0).fileName }
        let candidates = Array(suggested.prefix(1)) + [url.lastPathComponent]
        return candidates.lazy.map(FileName.harmless).first { !$0.isEmpty } ?? "download"
    }
}

/// Names of files that somebody else chose.
enum FileName {
    /// The most bytes of a name. With the suffix of a partial file, or a number, it has to be
    /// within ``longestOfSystem``.
    static let longest = 200
    /// The most bytes of a name that the system takes (NAME_MAX).
    static let longestOfSystem = 255

    /// The name without what makes it more than the name of a visible file.
    static func harmless(_ name: String) -> String {
        // By scalars: a character may be a slash with an accent.
        let last = name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var scalars = String.UnicodeScalarView(last ?? "".unicodeScalars[...])
        scalars.removeAll(where: isUnwanted)
        // A cut can leave a point or a space at the end.
        return trimmed(shortened(trimmed(String(scalars)), to: longest))
    }

    /// The name without points and spaces at its ends.
    private static func trimmed(_ name: String) -> String {
        let scalars = name.unicodeScalars
        let isEdge: (Unicode.Scalar) -> Bool = { $0 == "." || $0.properties.isWhitespace }
        let start = scalars.firstIndex { !isEdge($0) } ?? scalars.endIndex
        let end = scalars.lastIndex { !isEdge($0) }.map(scalars.index(after:)) ?? start
        return String(scalars[start..<end])
    }

    /// Controls, marks of direction that make `exe.jpg` of `gpj.exe`, characters without a width,
    /// and the replacement of bytes that were no text. The two joiners belong to words and emoji.
    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: scalar == "\u{FFFD}"
        }
    }

    /// The name cut to a number of bytes, before its extension, and between characters unless the
    /// first one is longer.
    static func shortened(_ name: String, to most: Int) -> String {
        guard name.utf8.count > most else { return name }
        var (stem, ending) = parts(of: name)
        if ending.utf8.count > most / 2 { (stem, ending) = (name[...], "") }
        let room = most - ending.utf8.count
        // Something of the stem has to stay: without it, the extension would be a hidden name.
        var scalars = stem.unicodeScalars
        while stem.utf8.count > room { stem.removeLast() }
        guard stem.isEmpty else { return String(stem + ending) }
        while Substring(scalars).utf8.count > room { scalars.removeLast() }
        return String(Substring(scalars) + ending)
    }

    /// The name with a number before its extension: `name 2.iso`. A name that would be too long is
    /// cut before the number.
    static func numbered(_ name: String, _ number: Int) -> String {
        let space = longestOfSystem - " \(number)".utf8.count
        let (stem, ending) = parts(of: shortened(name, to: space))
        return "\(stem) \(number)\(ending)"
    }

    /// The name up to its extension, and the extension with its point.
    private static func parts(of name: String) -> (stem: Substring, ending: Substring) {
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return (name[...], "") }
        return (name[..<point], name[point...])
    }
}

/// The value of `Content-Disposition` (RFC 6266 §4.1), as far as the name of a file, or that of a
/// part of a form, is in it.
struct ContentDisposition: Equatable {
    /// The name of a part of a form (RFC 7578 §4.2), as it was sent; nil for none.
    private(set) var name: String?

    /// The name, of whatever type the disposition is; nil for none.
    private(set) var fileName: String?

    init(_ value: String) {
        var names: [Substring: String] = [:]
        // What is before the first semicolon is the type.
        var rest = value[...].drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let value = Self.value(&rest)
            let key = name.lowercased()[...].trimmed
            // Of two parameters with one name, the first counts.
            if names[key] == nil { names[key] = value }
            rest = rest.drop { $0 != ";" }
        }
        // §4.3: the extended one is preferred.
        fileName = names["filename*"].flatMap(Self.extended) ?? names["filename"]
        name = names["name"]
    }

    /// Takes a token or a quoted string (RFC 9110 §5.6.4) off the front.
    private static func value(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" }
            rest = rest[token.endIndex...]
            return String(token.trimmed)
        }
        var value = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars.dropFirst()
        while let scalar = scalars.popFirst(), scalar != "\"" {
            // A backslash before anything but a quotation mark or a backslash is one of a path, as
            // some servers send it, which ends before the name.
            let isEscape = scalar == "\\" && (scalars.first == "\"" || scalars.first == "\\")
            value.append(isEscape ? scalars.removeFirst() : scalar)
        }
        rest = Substring(scalars)
        return String(value)
    }

    /// Decodes `UTF-8'en'na%C3%AFve` (RFC 8187 §3.2); nil for another charset than the RFC's and
    /// ISO-8859-1, and for bytes that are not of the charset.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var bytes: [UInt8] = []
        var input = parts[2].utf8[...]
        while let byte = input.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = input.popFirst().flatMap(ASCII.hexDigit),
                let low = input.popFirst().flatMap(ASCII.hexDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
