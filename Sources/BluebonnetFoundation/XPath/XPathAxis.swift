/// The nodes of an axis, nearest first (XPath 1.0 §2.2).
enum XPathAxis {
    static func nodes(
        _ axis: XPathExpression.Axis,
        of node: Int,
        in storage: XMLTreeStorage,
        spend: (Int) throws(XPathError) -> Void
    ) throws(XPathError) -> [Int] {
        let records = storage.records
        let record = records[node]
        let nodes: [Int]
        switch axis {
        case .itself: nodes = [node]
        case .child: nodes = record.children
        case .parent: nodes = node == 0 ? [] : [record.parent]
        case .attribute: nodes = Array(storage.attributes(of: node))
        case .ancestor: nodes = ancestors(node, storage)
        case .ancestorOrSelf: nodes = [node] + ancestors(node, storage)
        case .descendant, .descendantOrSelf:
            try spend(record.end - node)
            let inside = (node + 1..<max(record.end, node + 1)).filter { !storage.isAttribute($0) }
            nodes = axis == .descendant ? inside : [node] + inside
        case .followingSibling, .precedingSibling:
            guard node != 0, !storage.isAttribute(node) else { return [] }
            let siblings = records[record.parent].children
            nodes =
                axis == .followingSibling
                ? siblings.reversed().prefix { $0 > node }.reversed() : siblings.prefix { $0 < node }.reversed()
        case .following:
            // The nodes inside the element of an attribute follow the attribute, too.
            try spend(records.count - record.end)
            nodes = (record.end..<records.count).filter { !storage.isAttribute($0) }
        case .preceding:
            try spend(node)
            let around = Set(ancestors(node, storage))
            nodes = (0..<node).reversed().filter { !around.contains($0) && !storage.isAttribute($0) }
        }
        try spend(nodes.count + 1)
        return nodes
    }

    private static func ancestors(_ node: Int, _ storage: XMLTreeStorage) -> [Int] {
        var ancestors: [Int] = []
        var node = node
        while node != 0 {
            node = storage.records[node].parent
            ancestors.append(node)
        }
        return ancestors
    }
}
