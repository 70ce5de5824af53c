/// A value while it is computed: nodes are places in the tree, in the order of the document.
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
