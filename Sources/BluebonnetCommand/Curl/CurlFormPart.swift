/// A part of a form in curl's syntax: `name=value`, `name=@file;type=image/png`, `name=<file`.
enum CurlFormPart {
    /// Reads the value of `-F`.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - option: The option as it is written, for messages.
    /// - Returns: The item that makes the same part.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    static func item(_ text: String, option: String) throws(CommandFailure) -> RequestItem {
        let (name, written) = try split(text, option: option)
        let isFile = written.first == "@"
        let isText = written.first == "<"
        var parts = try fields(of: isFile || isText ? written.dropFirst() : written)
        let content = parts.isEmpty ? "" : parts.removeFirst()
        let value = isFile || isText ? HomeFolder.literal(content) : content
        var type: String?
        var fileName: String?
        for part in parts {
            let (key, rest) = pair(part)
            switch key {
            case "type": type = rest
            case "filename": fileName = rest
            case "headers", "encoder": throw .usage("\(option) with ;\(key)= is not supported here.")
            default:
                // The parameters of a type come behind it.
                guard let known = type else {
                    throw .usage("\(option): curl takes what is behind “;” for a parameter; write the value in quotes.")
                }
                type = "\(known);\(part)"
            }
        }
        guard isFile else {
            guard fileName == nil else { throw .usage("\(option) with ;filename= is supported here for files only.") }
            return .part(name: name, value: isText ? .file(value) : .text(value), type: type)
        }
        if value.contains(","), !written.dropFirst().hasPrefix("\"") {
            throw .usage("\(option) with several files in one part is not supported here.")
        }
        let typed = type ?? Self.type(ofFileNamed: fileName ?? value)
        return .file(name: name, file: RequestItem.PartFile(path: value, type: typed, name: fileName))
    }

    /// Reads the value of `--form-string`.
    static func plainItem(_ text: String, option: String) throws(CommandFailure) -> RequestItem {
        let (name, content) = try split(text, option: option)
        return .part(name: name, value: .text(String(content)), type: nil)
    }

    private static func split(_ text: String, option: String) throws(CommandFailure) -> (String, Substring) {
        guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw .usage("\(option): “\(text)” has no “=” behind a name.")
        }
        return (String(text[..<sign]), text[text.utf8.index(after: sign)...])
    }

    private static func pair(_ part: String) -> (key: String, value: String) {
        let parts = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].drop { $0 == " " }.lowercased(), parts.count == 2 ? String(parts[1]) : "")
    }

    /// The texts between semicolons, without quotation marks; a semicolon between them is text.
    private static func fields(of content: Substring) throws(CommandFailure) -> [String] {
        var fields = [String.UnicodeScalarView()]
        var isQuoted = false
        var rest = content.unicodeScalars
        // Only a quotation mark at the beginning of a value is one.
        var isBeginning = true
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted: isQuoted = false
            case "\"" where isBeginning: isQuoted = true
            case "\\" where isQuoted:
                if let next = rest.first, next == "\"" || next == "\\" {
                    rest.removeFirst()
                    fields[fields.count - 1].append(next)
                } else {
                    fields[fields.count - 1].append(scalar)
                }
            case ";" where !isQuoted:
                fields.append(String.UnicodeScalarView())
                isBeginning = true
                continue
            default: fields[fields.count - 1].append(scalar)
            }
            isBeginning = scalar == "="
        }
        guard !isQuoted else { throw .usage("“\(content)” has a quotation mark that is not closed.") }
        return fields.map { String($0) }
    }

    /// The type that curl gives a file by its name.
    private static func type(ofFileNamed name: String) -> String {
        let types = [
            ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
            ".svg": "image/svg+xml", ".txt": "text/plain", ".htm": "text/html", ".html": "text/html",
            ".pdf": "application/pdf", ".xml": "application/xml",
        ]
        return types.first { name.lowercased().hasSuffix($0.key) }?.value ?? "application/octet-stream"
    }
}
