/// Why bytes are not a property list, and where.
public struct PropertyListParsingError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and where: a line and column in XML, a byte in the binary form.
    public let description: String

    /// The fault of the XML below, when that is what is wrong.
    public let underlying: XMLParsingError?

    init(_ description: String, underlying: XMLParsingError? = nil) {
        self.description = description
        self.underlying = underlying
    }
}
