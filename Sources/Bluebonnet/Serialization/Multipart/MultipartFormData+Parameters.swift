/// Parameters as parts.
extension MultipartFormData {
    /// Puts parameters in front of the parts: one part for each value, by the rules of
    /// ``ParameterEncoding/standard``, with names that are not escaped (`a[b]`, `a[]`). Null makes
    /// an empty part, and `Data` is the content as it is.
    mutating func prepend(_ parameters: Parameters) throws(NetworkingError) {
        let pairs = try URLEncodedFormEncoder.afNetworking.pairs(of: parameters)
        parts.insert(
            contentsOf: try pairs.map { (name, content) throws(NetworkingError) in
                try Self.part(name, nil, nil, .bytes(content))
            },
            at: 0
        )
    }
}
