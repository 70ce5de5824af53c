extension URLEncodedFormEncoder {
    /// How a space is written, in names and in values.
    public enum SpaceEncoding: Sendable, Hashable {
        /// As `%20`.
        case percentEscaped
        /// As `+`; a plus sign is then always `%2B`.
        case plusReplaced
    }
}
