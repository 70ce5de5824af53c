import FoundationEssentials

/// Parameters as parts.
extension MultipartFormData {
    /// Puts parameters in front of the parts: one part for each value, by the rules of
    /// ``QueryString``, with names that are not escaped (`a[b]`, `a[]`); null makes an empty part.
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
        QueryString.forEachPair(of: object) { name, value in
            pairs.append((String(decoding: name, as: UTF8.self), value ?? ""))
        }
        let first = try pairs.map { (name, value) throws(NetworkingError) in
            try Self.part(name, nil, nil, .bytes(Data(value.utf8)))
        }
        parts = first + parts
    }
}
