import FoundationEssentials
import HTTPTypes

/// Bodies without their secrets.
extension SecretNames {
    static let formType = "application/x-www-form-urlencoded"

    /// A body without its secrets, as far as its type says how to find them; nil where the type
    /// says that it may hold some and it cannot be read: compressed, or JSON that is not
    /// well-formed, as a script is that has a type of JSON.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - fields: The header fields of its message.
    ///   - isDecoded: Whether its content coding was undone. Default: false.
    ///   - isSecret: Whether a name is that of a secret. Default: ``contains(_:)``.
    /// - Returns: The body to show.
    static func redacted(
        _ body: Data,
        fields: HTTPFields,
        isDecoded: Bool = false,
        isSecret: (String) -> Bool = contains
    ) -> Data? {
        if !isDecoded, let coding = fields[.contentEncoding], coding.lowercased() != "identity" {
            return nil
        }
        let type = mediaType(fields[.contentType] ?? "")
        if type == formType { return Data(redacted(pairs: body, isSecret: isSecret)) }
        if lineTypes.contains(type) { return redacted(lines: body, isSecret: isSecret) }
        guard ResponseValidation.jsonContentTypes.contains(type) || type.hasSuffix("+json"), !body.isEmpty
        else { return body }
        return redacted(json: body, isSecret: isSecret)
    }

    /// The types of one JSON value for each line.
    private static let lineTypes: Set = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
        "application/jsonlines", "application/json-seq", "application/stream+json",
    ]

    private static func redacted(json: Data, isSecret: (String) -> Bool) -> Data? {
        guard let value = try? JSONValue(parsing: json) else { return nil }
        return redacted(value, isSecret: isSecret).flatMap { try? $0.string() }.map { Data($0.utf8) }
            ?? json
    }

    private static func redacted(lines: Data, isSecret: (String) -> Bool) -> Data? {
        var result = Data()
        for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.startIndex > lines.startIndex { result.append(UInt8(ascii: "\n")) }
            // RFC 7464 §2.2: a record begins with this character.
            let text = line.drop { $0 == 0x1E }
            result.append(line.prefix(line.count - text.count))
            guard !text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else {
                result.append(text)
                continue
            }
            guard let shown = redacted(json: Data(text), isSecret: isSecret) else { return nil }
            result.append(shown)
        }
        return result
    }

    /// The media type in a field, in lower case and without its parameters.
    static func mediaType(_ field: String) -> String {
        let name = field.utf8.prefix {
            $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
        }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    /// A value without the members that are secrets; nil when there are none.
    static func redacted(_ value: JSONValue, isSecret: (String) -> Bool = contains) -> JSONValue? {
        var hasSecrets = false
        let result = redacted(value, isSecret, &hasSecrets)
        // Not `? result : nil`, where nil would be the JSON null.
        guard hasSecrets else { return .none }
        return result
    }

    private static func redacted(
        _ value: JSONValue,
        _ isSecret: (String) -> Bool,
        _ hasSecrets: inout Bool
    ) -> JSONValue {
        switch value {
        case .object(let object):
            var copy = JSONObject()
            for (key, member) in object {
                if isSecret(key) {
                    hasSecrets = true
                    copy[key] = .string(replacement)
                } else {
                    copy[key] = redacted(member, isSecret, &hasSecrets)
                }
            }
            return .object(copy)
        case .array(let elements):
            var copy: [JSONValue] = []
            for element in elements { copy.append(redacted(element, isSecret, &hasSecrets)) }
            return .array(copy)
        default: return value
        }
    }
}
