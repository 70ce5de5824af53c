/// One piece of an XML document, which ``XMLEventReader`` reads.
///
/// Counterpart of the methods of `NSXMLParserDelegate`, to which the parser of
/// `AFXMLParserResponseSerializer` reports.
public enum XMLEvent: Sendable, Hashable {
    /// The start tag of an element, or an empty-element tag, which is followed by its
    /// ``endElement(_:)`` at once.
    case startElement(XMLStartElement)
    /// The end tag of an element.
    case endElement(XMLName)
    /// Text with entities and character references resolved, line ends as `\n`. Never empty;
    /// neighbours are one event.
    case characters(String)
    /// The text of a CDATA section.
    case cdata(String)
    /// The text of a comment.
    case comment(String)
    /// A processing instruction, but not the XML declaration.
    case processingInstruction(target: String, data: String)
}

/// A start tag: its name, attributes and namespaces.
///
/// Counterpart of the arguments of `parser:didStartElement:namespaceURI:qualifiedName:attributes:`
/// of `NSXMLParserDelegate`.
public struct XMLStartElement: Sendable, Hashable {
    /// The name.
    public var name: XMLName
    /// The attributes in their order, without the declarations of namespaces.
    public var attributes: [XMLAttribute]
    /// The namespaces that are declared here, by their prefix; the default one has the empty
    /// prefix.
    public var namespaces: [String: String]

    /// Makes a start tag.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - attributes: The attributes. Default: none.
    ///   - namespaces: The namespaces that are declared here. Default: none.
    public init(name: XMLName, attributes: [XMLAttribute] = [], namespaces: [String: String] = [:]) {
        self.name = name
        self.attributes = attributes
        self.namespaces = namespaces
    }

    /// The value of the attribute with a qualified name, `href` or `xlink:href`; nil without one.
    public subscript(qualifiedName: String) -> String? {
        attributes.first { $0.name.qualified.isSameName(as: qualifiedName) }?.value
    }
}

/// An attribute of an element.
///
/// Counterpart of a key and a value of the dictionary of attributes that a delegate of
/// `NSXMLParser` gets.
public struct XMLAttribute: Sendable, Hashable {
    /// The name.
    public var name: XMLName
    /// The value with references resolved, each line end and tab as a space (XML 1.0 §3.3.3). Types
    /// that a DTD declares are ignored: every value is treated as one of the type CDATA, so that
    /// blanks at its ends and double ones stay.
    public var value: String

    /// Makes an attribute.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: XMLName, value: String) {
        self.name = name
        self.value = value
    }
}
