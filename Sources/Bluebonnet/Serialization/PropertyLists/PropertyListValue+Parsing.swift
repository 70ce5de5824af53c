public import FoundationEssentials

extension PropertyListValue {
    /// The greatest depth of dictionaries and arrays by default: 512.
    public static var defaultMaximumDepth: Int { 512 }

    /// Parses a property list in its XML or its binary form.
    ///
    /// The old text form of OpenStep is refused, since almost any text is valid in it. A binary
    /// list is refused when its objects overlap, when a dictionary has a key twice, and when
    /// objects that are shared make more than four values for each of its bytes. The stack does not
    /// depend on the depth of a list.
    ///
    /// - Parameters:
    ///   - bytes: The property list.
    ///   - maximumDepth: The greatest depth of dictionaries and arrays. Default: 512; at most 2048.
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

/// The reason why bytes are not a property list, and the place.
///
/// Counterpart of the error of `NSPropertyListSerialization` (`NSCocoaErrorDomain`, 3840), which
/// AFNetworking passed on.
public struct PropertyListParsingError: Error, Sendable, CustomStringConvertible, DocumentParsingError {
    /// The error and its place: a line and column in XML, a byte in the binary form.
    public let description: String

    /// The error of the XML, when it is not well-formed.
    public let underlying: XMLParsingError?

    init(_ description: String, underlying: XMLParsingError? = nil) {
        self.description = description
        self.underlying = underlying
    }
}
