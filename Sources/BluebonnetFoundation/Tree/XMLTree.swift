public import Bluebonnet
public import Foundation

/// An XML document as a tree that does not change: a value that can be sent to any task, and
/// searched with XPath.
///
/// Text, CDATA, comments and instructions are nodes like the elements; white space between elements
/// is kept, too, as XPath needs it. Foundation's `XMLDocument`, which AFNetworking returned, ends
/// the process on Linux at a document that is not well-formed and at an XPath expression with an
/// unknown prefix; `XMLTree` has errors for both.
///
/// Counterpart in AFNetworking: the `NSXMLDocument` of `AFXMLDocumentResponseSerializer`.
public struct XMLTree: Sendable {
    let storage: XMLTreeStorage

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - document: The bytes.
    ///   - charset: The charset that is known from outside. Default: nil.
    ///   - limits: The limits of the document. Default: the default limits.
    /// - Throws: `XMLParsingError`.
    public init(_ document: Data, charset: Charset? = nil, limits: XMLLimits = XMLLimits()) throws(XMLParsingError) {
        try self.init(XMLEventReader(document, charset: charset, limits: limits))
    }

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - document: The text.
    ///   - limits: The limits of the document. Default: the default limits.
    /// - Throws: `XMLParsingError`.
    public init(_ document: String, limits: XMLLimits = XMLLimits()) throws(XMLParsingError) {
        try self.init(XMLEventReader(document, limits: limits))
    }

    /// Reads a document from its beginning to its end.
    ///
    /// - Parameter reader: A reader from which nothing has been read.
    /// - Throws: `XMLParsingError`.
    public init(_ reader: XMLEventReader) throws(XMLParsingError) {
        storage = try XMLTreeStorage(reader)
    }

    /// The document itself: the parent of the root element.
    public var document: XMLTreeNode { XMLTreeNode(storage: storage, index: 0) }

    /// The root element.
    public var root: XMLTreeNode { XMLTreeNode(storage: storage, index: storage.rootIndex) }

    /// Finds nodes with an XPath expression, which is evaluated at the document.
    ///
    /// - Parameters:
    ///   - xpath: An XPath 1.0 expression, `//item[@id = '3']/title` for example.
    ///   - namespaces: The namespaces of the prefixes in the expression. Default: those
    ///     that the root element declares with a prefix.
    /// - Returns: The nodes in the order of the document.
    /// - Throws: ``XPathError``.
    public func nodes(
        atXPath xpath: String,
        namespaces: [String: String]? = nil
    ) throws(XPathError) -> [XMLTreeNode] {
        try document.nodes(atXPath: xpath, namespaces: namespaces)
    }

    /// The value of an XPath expression, which is evaluated at the document.
    ///
    /// - Parameters:
    ///   - xpath: An XPath 1.0 expression, `count(//item)` for example.
    ///   - namespaces: The namespaces of the prefixes in the expression. Default: those
    ///     that the root element declares with a prefix.
    /// - Returns: The value.
    /// - Throws: ``XPathError``.
    public func value(
        ofXPath xpath: String,
        namespaces: [String: String]? = nil
    ) throws(XPathError) -> XPathValue {
        try document.value(ofXPath: xpath, namespaces: namespaces)
    }
}
