extension URLEncodedFormEncoder {
    /// How the key of a nested object is joined to the name of that object.
    public enum KeyPathEncoding: Sendable {
        /// In brackets: `a[b]=1`.
        case brackets
        /// After a dot: `a.b=1`.
        case dots
        /// What the closure makes of the inner key is appended to the name of the object, unescaped: `"[b]"` for `b`
        /// is the same as ``brackets``.
        case custom(@Sendable (_ key: String) -> String)
    }
}
