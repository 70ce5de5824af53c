/// What one call of a ``Decompressor`` did.
struct DecompressionStep {
    /// How many bytes were taken from the input.
    var consumed: Int
    /// How many bytes were written to the output.
    var produced: Int
    /// The data, or this member or frame of it, is complete.
    var isAtEnd: Bool
}
