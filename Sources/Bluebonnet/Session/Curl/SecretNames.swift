import HTTPTypes

/// Which header fields, query parameters and members of a body are secrets, by their names.
enum SecretNames {
    /// What stands in place of a secret.
    static let replacement = "REDACTED"

    private static let fields: Set = ["authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie"]

    private static let parts = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential",
        "signature", "authorization", "session",
    ]

    private static let words: Set = ["pass", "pwd", "pw", "pin", "key", "sig", "auth", "jwt", "otp", "sid"]

    /// Whether a name is that of a secret: `api_key`, `X-Auth-Token`, `clientSecret`, `pw`.
    static func contains(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        if fields.contains(lowercased) { return true }
        let letters = lowercased.filter { $0.isLetter || $0.isNumber }
        return words.contains(letters) || parts.contains { letters.contains($0) }
    }

    /// A field's value without its secret; the scheme of credentials stays (RFC 9110 §11.4).
    static func redacted(_ field: HTTPField) -> String {
        guard contains(field.name.canonicalName) else { return field.value }
        guard field.name == .authorization || field.name == .proxyAuthorization,
            let blank = field.value.firstIndex(of: " ")
        else { return replacement }
        return field.value[...blank] + replacement
    }

    /// A query or form without the values of secrets; everything else byte for byte.
    static func redacted(pairs: Substring) -> String {
        pairs.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let name = String(pair[..<equals])
            return contains(name) ? "\(name)=\(replacement)" : String(pair)
        }
        .joined(separator: "&")
    }

    /// A value without the members that are secrets; nil when there are none.
    static func redacted(_ value: JSONValue) -> JSONValue? {
        var hasSecrets = false
        let result = redacted(value, &hasSecrets)
        // Not `? result : nil`, where nil would be the JSON null.
        guard hasSecrets else { return .none }
        return result
    }

    private static func redacted(_ value: JSONValue, _ hasSecrets: inout Bool) -> JSONValue {
        switch value {
        case .object(let object):
            var copy = JSONObject()
            for (key, member) in object {
                if contains(key) {
                    hasSecrets = true
                    copy[key] = .string(replacement)
                } else {
                    copy[key] = redacted(member, &hasSecrets)
                }
            }
            return .object(copy)
        case .array(let elements):
            var copy: [JSONValue] = []
            for element in elements { copy.append(redacted(element, &hasSecrets)) }
            return .array(copy)
        default: return value
        }
    }
}
