/// The reason why a text is not the expected XML, and the place.
///
/// Counterpart of the `parserError` of the `NSXMLParser` that `AFXMLParserResponseSerializer`
/// returns.
public struct XMLParsingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault.
    public struct Code: Sendable, Hashable {
        enum Value: Sendable {
            case malformed, mismatchedTag, undefinedEntity, externalEntity, undeclaredPrefix, limit, encoding
        }

        let value: Value

        /// The text breaks the grammar of XML 1.0.
        public static let malformed = Code(value: .malformed)
        /// An end tag closes another element than the one that is open, or the text ends inside an
        /// element.
        public static let mismatchedTag = Code(value: .mismatchedTag)
        /// A reference to an entity that is not declared.
        public static let undefinedEntity = Code(value: .undefinedEntity)
        /// A reference to something outside the text, to a parameter entity, or to an entity with
        /// markup in it; none of them is ever expanded.
        public static let externalEntity = Code(value: .externalEntity)
        /// A prefix without a declared namespace.
        public static let undeclaredPrefix = Code(value: .undeclaredPrefix)
        /// The document exceeds one of ``XMLLimits``.
        public static let limitExceeded = Code(value: .limit)
        /// The bytes are not valid in their charset, or it is not known.
        public static let encoding = Code(value: .encoding)
    }

    /// The kind of fault.
    public let code: Code
    /// The error without the place.
    public let message: String
    /// The line, counted from 1.
    public let line: Int
    /// The column in Unicode scalars, counted from 1.
    public let column: Int

    /// The sentence and the place: `Expected “>” in the tag of “a” (line 2, column 7)`.
    public var description: String { "\(message) (line \(line), column \(column))" }
}

/// The limits of a document.
///
/// No counterpart in AFNetworking or Alamofire.
public struct XMLLimits: Sendable, Hashable {
    /// The greatest depth of elements. Default: 512.
    public var depth = 512

    /// The number of bytes to which all entities of the document may expand together. Default: 1
    /// MiB.
    ///
    /// The five entities of XML itself and character references do not count. Zero refuses
    /// documents that use entities they declare.
    public var entityExpansion = 1 << 20

    /// The largest number of attributes of an element. Default: 10,000.
    public var attributes = 10_000

    /// Makes the default limits.
    public init() {}
}
