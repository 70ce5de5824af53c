import FoundationEssentials

/// Parameters as parts.
extension MultipartFormData {
    /// Puts parameters in front of the parts: one part for each value, by the rules of ``QueryString``, with names that are
    /// not escaped (`a[b]`, `a[]`); null makes an empty part.
    mutating func prepend(_ parameters: JSONValue) throws(NetworkingError) {
        let object: JSONObject
        switch parameters {
        case .null: return
        case .object(let value): object = value
        case .array, .bool, .number, .string:
            throw NetworkingError(
                .requestSerializationFailed,
                "The parameters of a form must be an object, so that every value has a name."
            )
        }
        var pairs: [(name: String, value: String)] = []
        Self.flatten(object, name: "", into: &pairs)
        var first: [MultipartPart] = []
        for (name, value) in pairs {
            first.append(try Self.part(name, nil, nil, .bytes(Data(value.utf8))))
        }
        parts = first + parts
    }

    private static func flatten(_ object: JSONObject, name: String, into pairs: inout [(name: String, value: String)]) {
        for (key, value) in object.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
            flatten(value, name: name.isEmpty ? key : "\(name)[\(key)]", into: &pairs)
        }
    }

    private static func flatten(_ value: JSONValue, name: String, into pairs: inout [(name: String, value: String)]) {
        switch value {
        case .object(let object): flatten(object, name: name, into: &pairs)
        case .array(let array):
            for element in array { flatten(element, name: "\(name)[]", into: &pairs) }
        case .null: pairs.append((name, ""))
        case .bool(let value): pairs.append((name, value ? "1" : "0"))
        case .string(let text): pairs.append((name, text))
        case .number(let number):
            // `NSNumber` describes the double one as `1`, not as `1.0`.
            let text = number.description
            pairs.append((name, text.hasSuffix(".0") ? String(text.dropLast(2)) : text))
        }
    }
}
