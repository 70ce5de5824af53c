public import FoundationEssentials

/// Reads an XML document event by event: `while let event = try reader.next() { … }`.
///
/// It is a value: it can be sent to another task, and a copy reads on from the same place. It
/// accepts well-formed XML 1.0 with namespaces; everything else is an ``XMLParsingError`` with line
/// and column. Nothing outside the text is ever loaded: neither a DTD nor an entity. Entities that
/// the document declares itself are expanded, within ``XMLLimits/entityExpansion`` and unless there
/// is markup in them. Declarations of elements and attributes are skipped, so attributes have no
/// default values.
///
/// The encoding is that of the byte-order mark, else the one given, else that of the XML
/// declaration, else UTF-8 (RFC 7303 §3).
///
/// Counterpart in AFNetworking: the `NSXMLParser` of `AFXMLParserResponseSerializer`. Foundation's
/// parser is in `BluebonnetFoundation`; on Linux it accepts documents that end too early.
public struct XMLEventReader: Sendable {
    var input: XMLInput
    let limits: XMLLimits
    var entities: [XMLNameKey: XMLEntity] = [:]
    var expansionLeft: Int
    private var open: [XMLName] = []
    private var namespaces = XMLNamespaces()
    var hasDocumentType = false
    private var phase = Phase.start
    /// The end of an empty element, which has been read already.
    private var pendingEnd: XMLName?

    /// `start` becomes `prolog`, then `content`, `epilog` and `ended`; each of the first four can
    /// become `failed`. `ended` and `failed` are final.
    private enum Phase: Sendable { case start, prolog, content, epilog, ended, failed(XMLParsingError) }

    /// Makes a reader at the beginning of a document.
    ///
    /// - Parameters:
    ///   - document: The bytes.
    ///   - charset: The charset that is known from outside, by a `Content-Type` for example.
    ///     Default: nil.
    ///   - limits: The limits of the document. Default: the default limits.
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
    ///   - document: The text. The encoding in its XML declaration is ignored.
    ///   - limits: The limits of the document. Default: the default limits.
    public init(_ document: String, limits: XMLLimits = XMLLimits()) {
        self.init(Data(document.utf8), charset: .utf8, limits: limits)
    }

    /// The number of elements that are open.
    public var depth: Int { open.count }

    /// The line and the column of the next event, counted from 1. Reading this after every event
    /// costs as much as reading the events.
    public var location: (line: Int, column: Int) { input.location(of: input.position) }

    /// Reads the next event.
    ///
    /// - Returns: The event; nil at the end of the document.
    /// - Throws: ``XMLParsingError``; later calls throw the same error.
    public mutating func next() throws(XMLParsingError) -> XMLEvent? {
        input.mark()
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

    #if DEBUG
        /// The steps so far, for the tests of the cost of a document: bytes read and expanded,
        /// namespaces looked up.
        var steps: Int { input.position + limits.entityExpansion - expansionLeft + namespaces.steps }
    #endif

    /// Reads the rest of the document.
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
        throw input.error(.malformed, "Only comments and instructions are allowed after the root element")
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
                throw input.error(.mismatchedTag, "The document ends inside “\(open.last?.qualified.shortened ?? "")”")
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
        guard let expected = open.last, expected.qualified.isSameName(as: name) else {
            let message = "The tag “\(name.shortened)” cannot close “\(open.last?.qualified.shortened ?? "")”"
            throw input.error(.mismatchedTag, message, at: place)
        }
        input.skipBlanks()
        try input.expect(">", "in the end tag of “\(name.shortened)”")
        return end(expected)
    }

    private mutating func end(_ name: XMLName) -> XMLEvent {
        namespaces.end(depth: open.count)
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
        var raw: [RawAttribute] = []
        var names: Set<XMLNameKey> = []
        var isEmpty = false
        while true {
            let hasBlank = input.skipBlanks()
            if input.take(">") { break }
            if input.take("/>") {
                isEmpty = true
                break
            }
            guard hasBlank else { throw input.error(.malformed, "Expected “>” in the tag of “\(name.shortened)”") }
            let place = input.position
            let attribute = try input.name()
            guard !Self.isRepeated(attribute, in: raw, &names) else {
                throw input.error(.malformed, "The attribute “\(attribute.shortened)” is given twice", at: place)
            }
            guard raw.count < limits.attributes else {
                let message = "“\(name.shortened)” has more than \(limits.attributes) attributes"
                throw input.error(.limitExceeded, message)
            }
            input.skipBlanks()
            try input.expect("=", "after the attribute “\(attribute.shortened)”")
            input.skipBlanks()
            raw.append((attribute, try readAttributeValue(), place))
        }
        let declared = namespaces.declare(try declarations(in: raw), depth: open.count + 1)
        let element = XMLStartElement(
            name: try resolved(name, at: place),
            attributes: try attributes(in: raw),
            namespaces: declared
        )
        open.append(element.name)
        if isEmpty { pendingEnd = element.name }
        return .startElement(element)
    }

    private typealias RawAttribute = (name: String, value: String, place: Int)

    /// Whether a name is there already. Few names are compared one by one, many are kept in a set.
    private static func isRepeated(_ name: String, in raw: [RawAttribute], _ names: inout Set<XMLNameKey>) -> Bool {
        if raw.count < 8 { return raw.contains { $0.name.isSameName(as: name) } }
        if names.isEmpty { names = Set(raw.map { XMLNameKey($0.name) }) }
        return !names.insert(XMLNameKey(name)).inserted
    }

    // MARK: Namespaces

    private func declarations(
        in raw: [RawAttribute]
    ) throws(XMLParsingError) -> [(prefix: String, namespace: String)] {
        var declarations: [(prefix: String, namespace: String)] = []
        for (name, value, place) in raw where Self.isDeclaration(name) {
            let prefix = String(decoding: name.utf8.dropFirst(6), as: UTF8.self)
            let isDefault = name.utf8.count == 5
            // The two namespaces of XML itself have fixed prefixes, which no others have
            // (Namespaces in XML §3).
            let isReserved =
                value.isSameName(as: XMLNamespaces.xml) != (prefix == "xml")
                || value.isSameName(as: XMLNamespaces.xmlns) || prefix == "xmlns"
            guard !isReserved, isDefault || (!value.isEmpty && XMLInput.isUncolonizedName(prefix)) else {
                let subject = isDefault ? "The default namespace" : "The prefix “\(prefix.shortened)”"
                throw input.error(.malformed, "\(subject) cannot be “\(value.shortened)”", at: place)
            }
            declarations.append((prefix, value))
        }
        return declarations
    }

    private static func isDeclaration(_ name: String) -> Bool {
        name.utf8.starts(with: "xmlns".utf8) && (name.utf8.count == 5 || name.utf8.starts(with: "xmlns:".utf8))
    }

    /// The name of an attribute without its prefix, but with the number of its namespace.
    private struct ExpandedName: Hashable {
        let namespace: Int
        let local: XMLNameKey
    }

    private mutating func attributes(in raw: [RawAttribute]) throws(XMLParsingError) -> [XMLAttribute] {
        var attributes: [XMLAttribute] = []
        var expanded: Set<ExpandedName> = []
        for (name, value, place) in raw where !Self.isDeclaration(name) {
            guard let (namespace, local) = try prefixed(name, at: place) else {
                // The default namespace is not for attributes (Namespaces in XML §6.2).
                attributes.append(XMLAttribute(name: XMLName(name), value: value))
                continue
            }
            let key = ExpandedName(namespace: namespace.number, local: XMLNameKey(local))
            guard expanded.insert(key).inserted else {
                throw input.error(.malformed, "The attribute “\(name.shortened)” is given twice", at: place)
            }
            attributes.append(XMLAttribute(name: XMLName(name, namespace: namespace.name), value: value))
        }
        return attributes
    }

    /// The name of an element with its namespace.
    private mutating func resolved(_ name: String, at place: Int) throws(XMLParsingError) -> XMLName {
        XMLName(name, namespace: try prefixed(name, at: place)?.namespace.name ?? namespaces.byDefault)
    }

    /// The namespace and the local part of a name with a prefix; nil for one without.
    private mutating func prefixed(
        _ name: String,
        at place: Int
    ) throws(XMLParsingError) -> (namespace: (number: Int, name: String), local: String)? {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let prefix = String(name[..<colon])
        let local = String(name[name.utf8.index(after: colon)...])
        guard !prefix.isEmpty, XMLInput.isUncolonizedName(local) else {
            throw input.error(.malformed, "“\(name.shortened)” is not a name with a prefix", at: place)
        }
        guard let namespace = namespaces.namespace(of: prefix) else {
            throw input.error(.undeclaredPrefix, "The prefix “\(prefix.shortened)” is not declared", at: place)
        }
        return (namespace, local)
    }
}
