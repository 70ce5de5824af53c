import Bluebonnet

/// Computes XPath expressions over a tree.
struct XPathEvaluator {
    let storage: XMLTreeStorage
    let namespaces: [String: String]

    /// How many nodes may still be looked at: an expression can be made to look at each node for each node.
    private var budget: Int

    init(storage: XMLTreeStorage, namespaces: [String: String]) {
        self.storage = storage
        self.namespaces = namespaces
        budget = max(2_000_000, 50 * storage.records.count)
    }

    mutating func spend(_ count: Int) throws(XPathError) {
        budget -= count
        guard budget >= 0 else { throw XPathError("The expression looks at too many nodes") }
    }

    mutating func value(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> XPathResult {
        switch expression {
        case .string(let text): return .string(text)
        case .number(let number): return .number(number)
        case .negative(let inner): return .number(-(try number(inner, context)))
        case .function(let name, let arguments): return try XPathFunctions.call(name, arguments, context, &self)
        case .binary(let operation, let left, let right): return try binary(operation, left, right, context)
        case .path(let isAbsolute, let steps): return .nodes(try walk([isAbsolute ? 0 : context.node], steps))
        case .filter(let inner, let predicates, let steps):
            if predicates.isEmpty, steps.isEmpty { return try value(inner, context) }
            let found = try filter(try nodes(inner, context), predicates, isReverse: false)
            return .nodes(try walk(found, steps))
        }
    }

    mutating func nodes(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> [Int] {
        guard case .nodes(let nodes) = try value(expression, context) else {
            throw XPathError("Nodes are expected where there is another value")
        }
        return nodes
    }

    mutating func number(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> Double {
        number(of: try value(expression, context))
    }

    mutating func string(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> String {
        try string(of: try value(expression, context))
    }

    mutating func boolean(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> Bool {
        try value(expression, context).published(storage).boolean
    }

    func number(of result: XPathResult) -> Double { result.published(storage).number }

    /// The text of a node may be as long as the document.
    mutating func string(of result: XPathResult) throws(XPathError) -> String {
        if case .nodes(let nodes) = result, let first = nodes.first { try spend(storage.records[first].end - first) }
        return result.published(storage).string
    }

    // MARK: Operators

    private mutating func binary(
        _ operation: XPathExpression.Operator,
        _ left: XPathExpression,
        _ right: XPathExpression,
        _ context: XPathContext
    ) throws(XPathError) -> XPathResult {
        switch operation {
        case .or:
            if try boolean(left, context) { return .boolean(true) }
            return .boolean(try boolean(right, context))
        case .and:
            guard try boolean(left, context) else { return .boolean(false) }
            return .boolean(try boolean(right, context))
        case .union: return .nodes(Self.ordered(try nodes(left, context) + nodes(right, context)))
        case .add: return .number(try number(left, context) + number(right, context))
        case .subtract: return .number(try number(left, context) - number(right, context))
        case .multiply: return .number(try number(left, context) * number(right, context))
        case .divide: return .number(try number(left, context) / number(right, context))
        case .remainder:
            let (dividend, divisor) = (try number(left, context), try number(right, context))
            return .number(dividend.truncatingRemainder(dividingBy: divisor))
        case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return .boolean(try compare(operation, try value(left, context), try value(right, context)))
        }
    }

    static func ordered(_ nodes: [Int]) -> [Int] { Array(Set(nodes)).sorted() }

    /// XPath 1.0 §3.4: with nodes it is enough that one of them fulfils it.
    private mutating func compare(
        _ operation: XPathExpression.Operator,
        _ left: XPathResult,
        _ right: XPathResult
    ) throws(XPathError) -> Bool {
        switch (left, right) {
        case (.nodes(let nodes), .boolean), (.boolean, .nodes(let nodes)):
            let truth = XPathResult.boolean(!nodes.isEmpty)
            if case .nodes = left { return holds(operation, truth, right) }
            return holds(operation, left, truth)
        case (.nodes(let nodes), _):
            for node in nodes {
                let text = XPathResult.string(try string(of: .nodes([node])))
                if try compare(operation, text, right) { return true }
            }
            return false
        case (_, .nodes(let nodes)):
            for node in nodes where holds(operation, left, .string(try string(of: .nodes([node])))) {
                return true
            }
            return false
        default: return holds(operation, left, right)
        }
    }

    private func holds(_ operation: XPathExpression.Operator, _ left: XPathResult, _ right: XPathResult) -> Bool {
        let (one, other) = (left.published(storage), right.published(storage))
        switch operation {
        case .equal, .unequal:
            let isEqual =
                switch (one, other) {
                case (.boolean, _), (_, .boolean): one.boolean == other.boolean
                case (.number, _), (_, .number): one.number == other.number
                default: one.string == other.string
                }
            return isEqual == (operation == .equal)
        case .less: return one.number < other.number
        case .lessOrEqual: return one.number <= other.number
        case .greater: return one.number > other.number
        default: return one.number >= other.number
        }
    }

    // MARK: Steps

    private mutating func walk(_ start: [Int], _ steps: [XPathExpression.Step]) throws(XPathError) -> [Int] {
        var nodes = start
        for step in steps {
            var found: [Int] = []
            for node in nodes {
                let candidates = try XPathAxis.nodes(
                    step.axis,
                    of: node,
                    in: storage,
                    spend: { count throws(XPathError) in try spend(count) }
                )
                var passed: [Int] = []
                for candidate in candidates where try matches(candidate, step) { passed.append(candidate) }
                found += try filter(passed, step.predicates, isReverse: step.axis.isReverse)
            }
            nodes = nodes.count == 1 && !step.axis.isReverse ? found : Self.ordered(found)
        }
        return nodes
    }

    /// The nodes are in the order of the axis, and stay in it.
    private mutating func filter(
        _ nodes: [Int],
        _ predicates: [XPathExpression],
        isReverse: Bool
    ) throws(XPathError) -> [Int] {
        var nodes = nodes
        for predicate in predicates {
            var kept: [Int] = []
            for (offset, node) in nodes.enumerated() {
                try spend(1)
                let context = XPathContext(node: node, position: offset + 1, size: nodes.count)
                let result = try value(predicate, context)
                // A number means a position (XPath 1.0 §2.4).
                if case .number(let number) = result {
                    if number == Double(context.position) { kept.append(node) }
                } else if result.published(storage).boolean {
                    kept.append(node)
                }
            }
            nodes = kept
        }
        return nodes
    }

    private func matches(_ node: Int, _ step: XPathExpression.Step) throws(XPathError) -> Bool {
        let content = storage.records[node].content
        let isPrincipal =
            switch content {
            case .element: step.axis != .attribute
            case .attribute: step.axis == .attribute
            default: false
            }
        switch step.test {
        case .node: return true
        case .anyName: return isPrincipal
        case .text: if case .text = content { return true }
        case .comment: if case .comment = content { return true }
        case .instruction(let target):
            if case .instruction(let name, _) = content { return target == nil || target == name }
        case .name(let prefix, let local):
            let namespace = try namespace(of: prefix)
            guard isPrincipal, let name = storage.name(node), name.namespace == namespace else { return false }
            return local == nil || name.local == local
        }
        return false
    }

    private func namespace(of prefix: String) throws(XPathError) -> String {
        // Without a prefix a name is in no namespace, also where the document has a default one (XPath 1.0 §2.3).
        if prefix.isEmpty { return "" }
        if prefix == "xml" { return "http://www.w3.org/XML/1998/namespace" }
        guard let namespace = namespaces[prefix] else {
            throw XPathError("The prefix “\(prefix)” stands for no namespace")
        }
        return namespace
    }
}
