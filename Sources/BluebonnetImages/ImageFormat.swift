#if Images
    /// A format of images, by the name that its loader has.
    public struct ImageFormat: Hashable, Sendable {
        /// The name, such as `png`.
        public let name: String
    }
#endif
