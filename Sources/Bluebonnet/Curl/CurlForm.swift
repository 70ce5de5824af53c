import FoundationEssentials
import HTTPTypes

/// A multipart form as words for curl, which makes the boundary and the delimiters itself.
enum CurlForm {
    /// An option and its word for each part, or nil when curl has no words for one of them: bytes
    /// that are not text, a stream, fields of its own.
    static func words(for form: MultipartFormData, redacting: Bool) -> [String]? {
        guard !form.isEmpty else { return nil }
        var words: [String] = []
        for part in form.parts {
            guard let word = word(for: part, redacting: redacting) else { return nil }
            words.append(word)
        }
        return words
    }

    /// The form with another content for parts that are secrets by their names. Of a part whose
    /// header section the caller made, the values of fields are left out too where they are
    /// secrets, and the content where no name is found.
    static func redacted(
        _ form: MultipartFormData,
        isSecret: (String) -> Bool = SecretNames.contains
    ) -> MultipartFormData {
        var copy = form
        copy.parts = form.parts.map { part in
            guard let name = part.disposition?.name else { return redactedWithFields(part, isSecret) }
            return isSecret(name) ? part.with(replacement) : part
        }
        return copy
    }

    private static let replacement = Data(SecretNames.replacement.utf8)

    private static func redactedWithFields(_ part: MultipartPart, _ isSecret: (String) -> Bool) -> MultipartPart {
        let fields = part.headerFields
        let names = fields[values: .contentDisposition].map { ContentDisposition($0).name }
        let isHidden = names.isEmpty || names.contains { $0.map(isSecret) ?? true }
        guard isHidden || fields.contains(where: { isSecret($0.name.rawName) }) else { return part }
        var shown = HTTPFields()
        for field in fields {
            let isHidden = isSecret(field.name.rawName)
            shown.append(isHidden ? HTTPField(name: field.name, value: SecretNames.replacement) : field)
        }
        let redacted = MultipartPart(head: MultipartPartHead.bytes(shown), content: part.content)
        return isHidden ? redacted.with(replacement) : redacted
    }

    private static func isSecret(_ part: MultipartPart) -> Bool {
        part.disposition.map { SecretNames.contains($0.name) } ?? false
    }

    private static func word(for part: MultipartPart, redacting: Bool) -> String? {
        guard let disposition = part.disposition, let options = options(disposition) else { return nil }
        let name = disposition.name
        // Curl takes the text before the first equals sign for the name.
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "=")), !name.utf8.contains(0) else { return nil }
        switch part.content {
        case .bytes(let bytes):
            let isSecret = redacting && isSecret(part)
            guard
                let text = isSecret
                    ? SecretNames.replacement : String(validating: bytes, as: UTF8.self),
                !text.utf8.contains(0)
            else { return nil }
            guard !options.isEmpty else { return "--form-string \(ShellWord("\(name)=\(text)").text)" }
            return "--form \(ShellWord("\(name)=\(quoted(text))\(options)").text)"
        case .source(let source):
            guard let file = source.path else { return nil }
            // `-` is the standard input to curl.
            let path = file.utf8.first == UInt8(ascii: "/") ? file : "./" + file
            let sign = disposition.fileName == nil ? "<" : "@"
            return "--form \(ShellWord("\(name)=\(sign)\(quoted(path))\(options)").text)"
        }
    }

    /// The type and the name of the file; nil where curl would take a part of them for something
    /// else.
    private static func options(_ disposition: MultipartPart.Disposition) -> String? {
        var options = ""
        if let type = disposition.mimeType {
            // Curl wants two names of at most 127 bytes.
            let names = type.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
            guard
                type.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }),
                names.count == 2, names.allSatisfy({ (1...127).contains($0.count) })
            else { return nil }
            options += ";type=\(type)"
        }
        if let fileName = disposition.fileName {
            options += ";filename=\(quoted(fileName))"
        }
        return options
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        return "\"\(escaped.joined())\""
    }
}

extension MultipartPart {
    fileprivate func with(_ content: Data) -> MultipartPart {
        var part = self
        part.content = .bytes(content)
        return part
    }
}
