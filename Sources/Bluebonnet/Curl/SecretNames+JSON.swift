extension SecretNames {
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
