/// What a document may cost.
public struct XMLLimits: Sendable, Hashable {
    /// How deep elements may be nested. Default: 512.
    public var depth = 512

    /// How many bytes entities that the document declares may expand to, all in all. Default: 1 MiB.
    ///
    /// The five entities of XML itself and character references do not count. Zero refuses documents that use entities
    /// of their own.
    public var entityExpansion = 1 << 20

    /// How many attributes an element may have. Default: 10,000.
    public var attributes = 10_000

    /// Makes the default limits.
    public init() {}
}
