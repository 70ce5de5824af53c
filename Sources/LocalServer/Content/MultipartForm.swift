/// A `multipart/form-data` body (RFC 7578), parsed only as far as its echo needs.
struct MultipartForm {
    /// The parts without a file name.
    var fields: [(name: String, value: String)] = []

    /// The parts with a file name, as text or as a data URL.
    var files: [(name: String, value: String)] = []

    /// Reads a body; returns `nil` when the content type names no boundary.
    init?(contentType: String, body: [UInt8]) {
        guard let boundary = MultipartForm.parameter("boundary", of: contentType) else { return nil }
        for part in MultipartForm.split(body, at: Array("--\(boundary)".utf8)) {
            guard let end = part.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: part[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let content = Array(part[end.upperBound...])
            let type = lines.first { $0.lowercased().hasPrefix("content-type:") }
            guard let disposition = lines.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
                let name = MultipartForm.parameter("name", of: disposition)
            else { continue }
            if MultipartForm.parameter("filename", of: disposition) != nil {
                let type = type.map { String($0.drop { $0 != ":" }.dropFirst().drop { $0 == " " }) }
                files.append((name, DataText.echo(content, contentType: type)))
            } else {
                fields.append((name, String(decoding: content, as: UTF8.self)))
            }
        }
    }

    /// The parts between the delimiter lines (RFC 2046 §5.1.1), without the line ends that belong
    /// to the delimiters.
    private static func split(_ body: [UInt8], at delimiter: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = body[...]
        var isFirst = true
        let inner = Array("\r\n".utf8) + delimiter
        while let range = rest.firstRange(of: isFirst ? delimiter : inner) {
            if !isFirst {
                parts.append(rest[..<range.lowerBound])
            }
            isFirst = false
            rest = rest[range.upperBound...]
            guard !rest.starts(with: Array("--".utf8)) else { break }
            rest = rest.dropFirst(2)
        }
        return parts
    }

    /// A parameter of a field value, quoted or not.
    private static func parameter(_ name: String, of value: some StringProtocol) -> String? {
        for parameter in value.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }).lowercased() == name else { continue }
            let text = parts[1]
            return text.hasPrefix("\"") ? String(text.dropFirst().prefix { $0 != "\"" }) : String(text)
        }
        return nil
    }
}
