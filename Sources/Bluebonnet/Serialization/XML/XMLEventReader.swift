#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads an XML document piece by piece, as fast as it is asked: `while let event = try reader.next() { … }`.
///
/// A value: it can be sent to another task, and a copy reads on from where it was copied. What it accepts is well-formed
/// XML 1.0 with namespaces; everything else is an ``XMLParsingError`` with line and column. Nothing outside the text is
/// ever loaded: neither a DTD nor an entity. Entities that the document declares itself are expanded, within
/// ``XMLLimits/entityExpansion`` and unless there is markup in them. Declarations of elements and attributes are
/// skipped, so attributes have no default values.
///
/// The encoding is that of the byte-order mark, else the one given, else that of the XML declaration, else UTF-8
/// (RFC 7303 §3).
///
/// AFNetworking: the `NSXMLParser` of `AFXMLParserResponseSerializer`. Foundation's own is in `BluebonnetFoundation`;
/// on Linux it accepts documents that end too early.
public struct XMLEventReader: Sendable {
    var input: XMLInput
    let limits: XMLLimits
    var entities: [String: XMLEntity] = [:]
    var expansionLeft: Int
    private var open: [XMLName] = []
    /// The namespaces in force; one dictionary for each element that declares some.
    private var scopes: [(depth: Int, namespaces: [String: String])] = []
    var hasDocumentType = false
    private var phase = Phase.start
    /// The end of an empty element, which has been read already.
    private var pendingEnd: XMLName?

    private enum Phase: Sendable { case start, prolog, content, epilog, ended, failed(XMLParsingError) }

    /// Makes a reader at the beginning of a document.
    ///
    /// - Parameters:
    ///   - document: The bytes.
    ///   - charset: The charset that was told from outside, by a `Content-Type` for example. Default: nil.
    ///   - limits: What the document may cost. Default: the default limits.
    public init(_ document: Data, charset: Charset? = nil, limits: XMLLimits = XMLLimits()) {
        self.limits = limits
        expansionLeft = limits.entityExpansion
        do {
            input = try XMLInput(document, charset: charset)
        } catch {
            input = XMLInput()
            phase = .failed(error)
        }
    }

    /// Makes a reader at the beginning of a document.
    ///
    /// - Parameters:
    ///   - document: The text. What its XML declaration says of its encoding does not matter.
    ///   - limits: What the document may cost. Default: the default limits.
    public init(_ document: String, limits: XMLLimits = XMLLimits()) {
        self.init(Data(document.utf8), charset: .utf8, limits: limits)
    }

    /// How many elements are open.
    public var depth: Int { open.count }

    /// The line and the column of what comes next, counted from 1.
    public var location: (line: Int, column: Int) { input.location(of: input.position) }

    /// Reads the next event.
    ///
    /// - Returns: The event; nil at the end of the document.
    /// - Throws: ``XMLParsingError``, from then on the same.
    public mutating func next() throws(XMLParsingError) -> XMLEvent? {
        do throws(XMLParsingError) {
            while true {
                switch phase {
                case .failed(let error): throw error
                case .ended: return nil
                case .start:
                    try readDeclaration()
                    phase = .prolog
                case .prolog, .epilog:
                    if let event = try outside() { return event }
                case .content:
                    if let event = try inside() { return event }
                }
            }
        } catch {
            phase = .failed(error)
            throw error
        }
    }

    /// Reads all that is left.
    ///
    /// - Returns: The events.
    /// - Throws: ``XMLParsingError``.
    public mutating func remainingEvents() throws(XMLParsingError) -> [XMLEvent] {
        var events: [XMLEvent] = []
        while let event = try next() { events.append(event) }
        return events
    }

    // MARK: Outside the root element

    private mutating func outside() throws(XMLParsingError) -> XMLEvent? {
        input.skipBlanks()
        guard !input.isAtEnd else {
            guard case .epilog = phase else { throw input.error(.malformed, "The document has no element") }
            phase = .ended
            return nil
        }
        if input.take("<!--") { return .comment(try readComment()) }
        if input.take("<?") { return try readInstruction() }
        if case .prolog = phase {
            if input.take("<!DOCTYPE") {
                try readDocumentType()
                return nil
            }
            if input.take("<") {
                phase = .content
                return try readStartTag()
            }
        }
        guard case .epilog = phase else { throw input.error(.malformed, "Expected an element") }
        throw input.error(.malformed, "There is something after the root element")
    }

    // MARK: Inside

    private mutating func inside() throws(XMLParsingError) -> XMLEvent? {
        if let name = pendingEnd {
            pendingEnd = nil
            return end(name)
        }
        guard input.peek == UInt8(ascii: "<") else {
            let text = try readText()
            if !text.isEmpty { return .characters(text) }
            guard !input.isAtEnd else {
                throw input.error(.mismatchedTag, "The document ends inside “\(open.last?.qualified ?? "")”")
            }
            return nil
        }
        if input.take("</") { return try readEndTag() }
        if input.take("<!--") { return .comment(try readComment()) }
        if input.take("<![CDATA[") { return .cdata(try input.text(upTo: "]]>", of: "CDATA section")) }
        if input.take("<?") { return try readInstruction() }
        input.advance()
        return try readStartTag()
    }

    private mutating func readEndTag() throws(XMLParsingError) -> XMLEvent {
        let place = input.position
        let name = try input.name()
        guard let expected = open.last, expected.qualified == name else {
            let message = "The tag “\(name)” closes “\(open.last?.qualified ?? "")”"
            throw input.error(.mismatchedTag, message, at: place)
        }
        input.skipBlanks()
        try input.expect(">", "in the end tag of “\(name)”")
        return end(expected)
    }

    private mutating func end(_ name: XMLName) -> XMLEvent {
        if scopes.last?.depth == open.count { scopes.removeLast() }
        open.removeLast()
        if open.isEmpty { phase = .epilog }
        return .endElement(name)
    }

    private mutating func readStartTag() throws(XMLParsingError) -> XMLEvent {
        let place = input.position
        let name = try input.name()
        guard open.count < limits.depth else {
            throw input.error(.limitExceeded, "Elements are nested deeper than \(limits.depth)", at: place)
        }
        var raw: [(name: String, value: String, place: Int)] = []
        var names: Set<String> = []
        var isEmpty = false
        while true {
            let hasBlank = input.skipBlanks()
            if input.take(">") { break }
            if input.take("/>") {
                isEmpty = true
                break
            }
            guard hasBlank else { throw input.error(.malformed, "Expected “>” in the tag of “\(name)”") }
            let place = input.position
            let attribute = try input.name()
            guard names.insert(attribute).inserted else {
                throw input.error(.malformed, "The attribute “\(attribute)” is there twice", at: place)
            }
            guard names.count <= limits.attributes else {
                throw input.error(.limitExceeded, "“\(name)” has more than \(limits.attributes) attributes")
            }
            input.skipBlanks()
            try input.expect("=", "after the attribute “\(attribute)”")
            input.skipBlanks()
            raw.append((attribute, try readAttributeValue(), place))
        }
        let namespaces = try declarations(in: raw)
        if !namespaces.isEmpty { scopes.append((open.count + 1, namespaces)) }
        let element = XMLStartElement(
            name: try resolved(name, isAttribute: false, at: place),
            attributes: try attributes(in: raw),
            namespaces: namespaces
        )
        open.append(element.name)
        if isEmpty { pendingEnd = element.name }
        return .startElement(element)
    }

    // MARK: Namespaces

    private func declarations(
        in raw: [(name: String, value: String, place: Int)]
    ) throws(XMLParsingError) -> [String: String] {
        var namespaces: [String: String] = [:]
        for (name, value, place) in raw {
            if name == "xmlns" {
                namespaces[""] = value
            } else if name.hasPrefix("xmlns:") {
                let prefix = String(name.dropFirst(6))
                guard !value.isEmpty, prefix != "xmlns", (prefix == "xml") == (value == Self.xmlNamespace) else {
                    throw input.error(.malformed, "The prefix “\(prefix)” cannot stand for “\(value)”", at: place)
                }
                namespaces[prefix] = value
            }
        }
        return namespaces
    }

    private func attributes(
        in raw: [(name: String, value: String, place: Int)]
    ) throws(XMLParsingError) -> [XMLAttribute] {
        var attributes: [XMLAttribute] = []
        var expanded: Set<[String]> = []
        for (name, value, place) in raw where name != "xmlns" && !name.hasPrefix("xmlns:") {
            let name = try resolved(name, isAttribute: true, at: place)
            if !name.namespace.isEmpty, !expanded.insert([name.namespace, name.local]).inserted {
                throw input.error(.malformed, "The attribute “\(name)” is there twice", at: place)
            }
            attributes.append(XMLAttribute(name: name, value: value))
        }
        return attributes
    }

    private static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"

    private func resolved(_ qualified: String, isAttribute: Bool, at place: Int) throws(XMLParsingError) -> XMLName {
        var name = XMLName(qualified)
        let colons = qualified.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons > 0 else {
            // The default namespace is not for attributes (Namespaces in XML §6.2).
            if !isAttribute { name.namespace = namespace(of: "") ?? "" }
            return name
        }
        let prefix = name.prefix
        guard colons == 1, !prefix.isEmpty, !name.local.isEmpty else {
            throw input.error(.malformed, "“\(qualified)” is not a name with a prefix", at: place)
        }
        guard let namespace = prefix == "xml" ? Self.xmlNamespace : namespace(of: prefix) else {
            throw input.error(.undeclaredPrefix, "The prefix “\(prefix)” is not declared", at: place)
        }
        name.namespace = namespace
        return name
    }

    private func namespace(of prefix: String) -> String? {
        for scope in scopes.reversed() {
            if let namespace = scope.namespaces[prefix] { return namespace }
        }
        return nil
    }
}
