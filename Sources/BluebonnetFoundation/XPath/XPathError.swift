/// Why an XPath expression has no value: it is not XPath 1.0, or it costs too much in this document. It may look at every
/// node some 50 times and read all texts some 16 times.
public struct XPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
