public import Bluebonnet

/// A node of an ``XMLTree``: an element, an attribute, a text. It is a value that keeps its tree.
///
/// Counterpart of `NSXMLNode` and `NSXMLElement` in the document that
/// `AFXMLDocumentResponseSerializer` returns.
public struct XMLTreeNode: Sendable {
    /// The kind of a node.
    public enum Kind: Sendable, Hashable {
        /// The document, which has the root element inside.
        case document
        /// An element.
        case element
        /// An attribute; its parent is its element, but it is not a child of it.
        case attribute
        /// A text, CDATA included.
        case text
        /// A comment.
        case comment
        /// A processing instruction.
        case processingInstruction
    }

    let storage: XMLTreeStorage
    let index: Int

    private var record: XMLTreeStorage.Record { storage.records[index] }

    private func node(_ index: Int) -> XMLTreeNode { XMLTreeNode(storage: storage, index: index) }

    /// The kind of the node.
    public var kind: Kind {
        switch record.content {
        case .document: .document
        case .element: .element
        case .attribute: .attribute
        case .text: .text
        case .comment: .comment
        case .instruction: .processingInstruction
        }
    }

    /// The name of an element or attribute, the target of an instruction; nil for others.
    public var name: XMLName? { storage.name(index) }

    /// All text inside the node, in order; the value of an attribute, the text of a comment.
    public var stringValue: String { storage.string(index) }

    /// The node that has this one as a child or attribute; nil for the document.
    public var parent: XMLTreeNode? { index == 0 ? nil : node(record.parent) }

    /// The child nodes, without attributes. They are not copied.
    public var children: XMLTreeNodes { XMLTreeNodes(storage: storage, places: record.children) }

    /// The child elements. They are not copied.
    public var elements: XMLTreeNodes { XMLTreeNodes(storage: storage, places: record.elements) }

    /// The attributes in their order.
    public var attributes: [XMLTreeNode] { storage.attributes(of: index).map(node) }

    /// The value of an attribute by its qualified name, nil without it.
    public subscript(attribute name: String) -> String? {
        guard case .element(let element) = record.content else { return nil }
        return element[name]
    }

    /// The child elements with a name.
    ///
    /// - Parameters:
    ///   - localName: The name without prefix.
    ///   - namespace: The namespace. Default: any.
    /// - Returns: The elements in order.
    public func elements(named localName: String, namespace: String? = nil) -> [XMLTreeNode] {
        elements.filter { element in
            guard let name = element.name, name.hasLocal(localName) else { return false }
            return namespace.map { name.namespace.isSameName(as: $0) } ?? true
        }
    }

    /// Finds nodes with an XPath expression, which is evaluated at this node.
    ///
    /// - Parameters:
    ///   - xpath: An XPath 1.0 expression.
    ///   - namespaces: The namespaces of the prefixes in the expression. Default: those
    ///     that the root element declares with a prefix.
    /// - Returns: The nodes in the order of the document.
    /// - Throws: ``XPathError``, also for an expression whose value is not nodes.
    public func nodes(
        atXPath xpath: String,
        namespaces: [String: String]? = nil
    ) throws(XPathError) -> [XMLTreeNode] {
        guard case .nodes(let nodes) = try value(ofXPath: xpath, namespaces: namespaces) else {
            throw XPathError("The value of “\(xpath)” is a text, a number or a boolean, and not nodes")
        }
        return nodes
    }

    /// The value of an XPath expression, which is evaluated at this node.
    ///
    /// - Parameters:
    ///   - xpath: An XPath 1.0 expression.
    ///   - namespaces: The namespaces of the prefixes in the expression. Default: those
    ///     that the root element declares with a prefix.
    /// - Returns: The value.
    /// - Throws: ``XPathError``.
    public func value(
        ofXPath xpath: String,
        namespaces: [String: String]? = nil
    ) throws(XPathError) -> XPathValue {
        var parser = try XPathParser(xpath)
        let expression = try parser.parse()
        var evaluator = XPathEvaluator(storage: storage, namespaces: namespaces ?? rootNamespaces)
        return try evaluator.value(expression, XPathContext(node: index)).published(storage)
    }

    private var rootNamespaces: [String: String] {
        guard case .element(let element) = storage.records[storage.rootIndex].content else { return [:] }
        return element.namespaces
    }
}

/// Nodes of an ``XMLTree`` in the order of the document; like an array, but not copied.
///
/// Counterpart of the array that `nodesForXPath:error:` of `NSXMLNode` returns.
public struct XMLTreeNodes: RandomAccessCollection, Sendable {
    let storage: XMLTreeStorage
    let places: [Int]

    /// Zero.
    public var startIndex: Int { 0 }

    /// The number of nodes.
    public var endIndex: Int { places.count }

    /// The node at a position, counted from zero.
    public subscript(position: Int) -> XMLTreeNode { XMLTreeNode(storage: storage, index: places[position]) }
}

extension XMLTreeNode: Hashable {
    /// Whether both are the same node of the same tree.
    public static func == (left: XMLTreeNode, right: XMLTreeNode) -> Bool {
        left.storage === right.storage && left.index == right.index
    }

    /// Feeds the identity into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(storage))
        hasher.combine(index)
    }
}
