/// One piece of an XML document, as ``XMLEventReader`` brings it.
public enum XMLEvent: Sendable, Hashable {
    /// The start tag of an element, or an empty-element tag, which is followed by its ``endElement(_:)`` at once.
    case startElement(XMLStartElement)
    /// The end tag of an element.
    case endElement(XMLName)
    /// Text, entities and character references resolved, line ends as `\n`. Never empty; neighbours are one event.
    case characters(String)
    /// The text of a CDATA section.
    case cdata(String)
    /// The text of a comment.
    case comment(String)
    /// A processing instruction, but not the XML declaration.
    case processingInstruction(target: String, data: String)
}
