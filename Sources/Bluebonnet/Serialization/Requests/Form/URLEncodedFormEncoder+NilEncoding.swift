extension URLEncodedFormEncoder {
    /// How nil and null are written: properties that are nil, elements of arrays, nulls of a `JSONValue`.
    ///
    /// A property is seen when its type encodes it with `encode`, `encodeNil` or `encodeIfPresent`, as types do whose
    /// conformance the compiler wrote.
    public enum NilEncoding: Sendable {
        /// Not at all.
        case dropKey
        /// A name without value: `a=`.
        case dropValue
        /// The word: `a=null`.
        case null
        /// A name without `=`, as AFNetworking wrote it: `a`.
        case bareKey
        /// What the closure returns is the value, which is then escaped; nil drops the key.
        case custom(@Sendable () -> String?)
    }
}
