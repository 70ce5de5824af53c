extension URLEncodedFormEncoder {
    /// How booleans are written.
    public enum BoolEncoding: Sendable, Hashable {
        /// The digits `1` and `0`.
        case numeric
        /// The words `true` and `false`.
        case literal

        func text(of value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }
}
