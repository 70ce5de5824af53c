import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// One element of `multipart`: a value, or a file by its path, and the type and the file name that
/// it is sent with.
struct BatchPart: Equatable, Sendable {
    enum Content: Equatable, Sendable {
        case value(String)
        case file(String)
    }

    var name: String
    var content: Content
    /// The value of its `Content-Type`; nil is that of the file name, and none for a value.
    var type: String?
    /// The file name; nil is that of the file, and none for a value.
    var fileName: String?

    /// Reads the parts of a line.
    ///
    /// - Parameter value: The value of `multipart`.
    /// - Returns: The parts in their order.
    /// - Throws: ``BatchError``.
    static func parts(_ value: JSONValue) throws(BatchError) -> [BatchPart] {
        guard let elements = value.array else {
            throw .invalidLine("“multipart” must be an array of parts, not \(value.kindWithArticle).")
        }
        var parts: [BatchPart] = []
        for element in elements { parts.append(try BatchPart(element)) }
        return parts
    }

    private init(_ element: JSONValue) throws(BatchError) {
        guard let members = element.object else {
            throw .invalidLine("A part of “multipart” must be an object, not \(element.kindWithArticle).")
        }
        var texts: [String: String] = [:]
        for (name, value) in members {
            guard ["name", "value", "file", "type", "filename"].contains(name) else {
                throw .invalidLine("“\(name)” is not a known member of a part of “multipart”.")
            }
            if value.isNull { continue }
            guard let text = value.string else {
                throw .invalidLine("“multipart.\(name)” must be a string, not \(value.kindWithArticle).")
            }
            texts[name] = text
        }
        guard let name = texts["name"] else { throw .invalidLine("A part of “multipart” has no “name”.") }
        self.name = name
        (type, fileName) = (texts["type"], texts["filename"])
        switch (texts["value"], texts["file"]) {
        case (let value?, nil): content = .value(value)
        case (nil, let path?):
            guard !path.isEmpty, !path.utf8.contains(0) else {
                throw .invalidLine("“multipart.file” must be a path: it is empty or has a NUL in it.")
            }
            content = .file(path)
        default: throw .invalidLine("A part of “multipart” must have either a “value” or a “file”.")
        }
    }
}

extension Request {
    /// Makes the parts the body. A `Content-Type` that names a boundary is sent as it was given,
    /// and its boundary is used.
    mutating func setBody(_ parts: [BatchPart]) throws(NetworkingError) {
        var form = MultipartFormData()
        let given = headerFields[.contentType].flatMap(Self.boundary)
        if let given { form = try MultipartFormData(boundary: given) }
        for part in parts {
            switch part.content {
            case .value(let value):
                form.append(value, name: part.name, fileName: part.fileName, mimeType: part.type)
            case .file(let path):
                let file = HomeFolder.file(path)
                try form.append(fileURL: file, name: part.name, fileName: part.fileName, mimeType: part.type)
            }
        }
        let contentType = headerFields[.contentType]
        try setBody(multipart: form)
        if given != nil { headerFields[.contentType] = contentType }
    }

    /// The boundary of a type such as `multipart/form-data; boundary=…` (RFC 2046 §5.1.1), with or
    /// without quotes.
    static func boundary(of contentType: String) -> String? {
        let parts = parts(ofField: contentType).map { HeaderValue.trimmed(String(decoding: $0, as: UTF8.self)) }
        guard parts.first?.lowercased().hasPrefix("multipart/") == true else { return nil }
        let name = "boundary="
        guard let part = parts.dropFirst().first(where: { $0.lowercased().utf8.starts(with: name.utf8) }) else {
            return nil
        }
        var value = Array(part.utf8.dropFirst(name.utf8.count))
        let quote = UInt8(ascii: "\"")
        if value.count > 1, value.first == quote, value.last == quote { value = Array(value.dropFirst().dropLast()) }
        return String(decoding: value, as: UTF8.self)
    }

    /// The texts between the semicolons; a semicolon in a quoted string does not separate (RFC 9110
    /// §5.6.4, §5.6.6).
    private static func parts(ofField value: String) -> [[UInt8]] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            parts[parts.count - 1].append(byte)
        }
        return parts
    }
}
