/// What a document declares an entity to be.
enum XMLEntity: Sendable {
    /// A text in UTF-8, its character references resolved and its entity references not.
    case text([UInt8])
    /// Something that would have to be loaded.
    case external
}
