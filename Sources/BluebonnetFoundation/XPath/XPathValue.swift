/// The value of an XPath expression (XPath 1.0 §1).
///
/// Counterpart of the objects that `objectsForXQuery:error:` of `NSXMLNode` returns.
public enum XPathValue: Sendable, Hashable {
    /// Nodes in the order of the document.
    case nodes([XMLTreeNode])
    /// A text.
    case string(String)
    /// A number.
    case number(Double)
    /// True or false.
    case boolean(Bool)

    /// The value as a text, as XPath's `string()` returns it: of nodes, that of the first.
    public var string: String {
        switch self {
        case .nodes(let nodes): nodes.first?.stringValue ?? ""
        case .string(let value): value
        case .number(let value): XPathNumber.string(value)
        case .boolean(let value): value ? "true" : "false"
        }
    }

    /// The value as a number, as XPath's `number()` returns it.
    public var number: Double {
        switch self {
        case .number(let value): value
        case .boolean(let value): value ? 1 : 0
        case .nodes, .string: XPathNumber.parse(string)
        }
    }

    /// The value as true or false, as XPath's `boolean()` returns it.
    public var boolean: Bool {
        switch self {
        case .nodes(let nodes): !nodes.isEmpty
        case .string(let value): !value.isEmpty
        case .number(let value): !value.isZero && !value.isNaN
        case .boolean(let value): value
        }
    }
}

/// A value while it is computed: nodes are indices in the tree, in the order of the document.
enum XPathResult {
    case nodes([Int])
    case string(String)
    case number(Double)
    case boolean(Bool)

    func published(_ storage: XMLTreeStorage) -> XPathValue {
        switch self {
        case .nodes(let nodes): .nodes(nodes.map { XMLTreeNode(storage: storage, index: $0) })
        case .string(let value): .string(value)
        case .number(let value): .number(value)
        case .boolean(let value): .boolean(value)
        }
    }
}

/// The context in which an expression is evaluated (XPath 1.0 §1).
struct XPathContext {
    var node: Int
    var position = 1
    var size = 1
}
