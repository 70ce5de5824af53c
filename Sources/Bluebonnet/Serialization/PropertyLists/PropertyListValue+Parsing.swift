public import FoundationEssentials

extension PropertyListValue {
    /// How deep dictionaries and arrays may be nested by default: 512.
    public static var defaultMaximumDepth: Int { 512 }

    /// Parses a property list in its XML or its binary form.
    ///
    /// The old text form of OpenStep is refused: almost any text is a property list in it. A binary
    /// list is refused when its objects overlap, when a dictionary has a key twice, and when
    /// objects that are shared make more than four values for each of its bytes. How deep a list is
    /// does not matter for the stack.
    ///
    /// - Parameters:
    ///   - bytes: The property list.
    ///   - maximumDepth: How deep dictionaries and arrays may be nested. Default: 512; at
    ///     most 2048.
    /// - Throws: ``PropertyListParsingError``.
    public init(
        parsing bytes: Data,
        maximumDepth: Int = Self.defaultMaximumDepth
    ) throws(PropertyListParsingError) {
        let depth = min(maximumDepth, 2048)
        if bytes.starts(with: Array("bplist".utf8)) {
            var parser = try BinaryPropertyListParser(bytes, maximumDepth: depth)
            self = try parser.value()
        } else {
            var parser = XMLPropertyListParser(bytes, maximumDepth: depth)
            self = try parser.value()
        }
    }
}

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
