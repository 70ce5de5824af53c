/// How JSON is written.
///
/// The default is compact, keys in their order, slashes as they are.
public struct JSONWritingOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates options from bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Every element and key on a line of its own, indented by two spaces for each level.
    public static let prettyPrinted = JSONWritingOptions(rawValue: 1 << 0)
    /// Keys in the order of their Unicode scalars instead of their own order.
    public static let sortedKeys = JSONWritingOptions(rawValue: 1 << 1)
    /// `/` written as `\/`, as Foundation does unless told otherwise; both mean the same to every reader.
    public static let escapingSlashes = JSONWritingOptions(rawValue: 1 << 2)
    /// No option at all, since slashes are not escaped by default; here for those who bring the name from Foundation.
    public static let withoutEscapingSlashes: JSONWritingOptions = []
}
