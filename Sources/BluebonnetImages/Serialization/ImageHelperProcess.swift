#if Images
    public import FoundationEssentials

    /// A process that decodes images in place of this one, so that a fault in a loader of the system
    /// cannot take the program with it.
    ///
    /// No counterpart in AFNetworking.
    public struct ImageHelperProcess: Sendable, Hashable {
        /// The executable that is started; nil for that of the present process. Default: nil.
        public var executable: URL?

        /// Makes a helper process with the default limits.
        public init() {}
    }
#endif
