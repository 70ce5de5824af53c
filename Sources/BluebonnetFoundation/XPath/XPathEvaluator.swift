import Bluebonnet

/// Computes XPath expressions over a tree.
struct XPathEvaluator {
    let storage: XMLTreeStorage
    let namespaces: [String: String]

    /// The cost that is left: one for each node that is visited, one for every 16 bytes of a text
    /// that is made or searched. The document comes from outside, and can make an expression of the
    /// developer visit every node, or read the whole text, for each node.
    private var budget: Int
    private let wholeBudget: Int

    /// The cost so far.
    var spent: Int { wholeBudget - budget }

    /// The cost of visiting every node 50 times, and of reading all texts 16 times.
    static func budget(for storage: XMLTreeStorage) -> Int {
        max(2_000_000, 50 * storage.records.count) + storage.textSize
    }

    init(storage: XMLTreeStorage, namespaces: [String: String], budget: Int? = nil) {
        self.storage = storage
        self.namespaces = namespaces
        wholeBudget = budget ?? Self.budget(for: storage)
        self.budget = wholeBudget
    }

    mutating func spend(_ count: Int) throws(XPathError) {
        budget -= count
        guard budget >= 0 else { throw XPathError("The expression needs too many steps in this document") }
    }

    /// Adds the cost of making or reading a text.
    mutating func spend(on text: String) throws(XPathError) {
        try spend(text.utf8.count / 16)
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
            throw XPathError("The expression needs nodes where it has a text, a number or a boolean")
        }
        return nodes
    }

    mutating func number(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> Double {
        try number(of: try value(expression, context))
    }

    mutating func string(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> String {
        try string(of: try value(expression, context))
    }

    mutating func boolean(_ expression: XPathExpression, _ context: XPathContext) throws(XPathError) -> Bool {
        boolean(of: try value(expression, context))
    }

    // MARK: Conversions

    // XPath 1.0 §4.2 to §4.4. All conversions are here, so that the cost of every text is counted.

    mutating func string(of result: XPathResult) throws(XPathError) -> String {
        switch result {
        case .nodes(let nodes): return try nodes.first.map { node throws(XPathError) in try string(ofNode: node) } ?? ""
        case .string(let text): return text
        case .number(let number): return XPathNumber.string(number)
        case .boolean(let value): return value ? "true" : "false"
        }
    }

    /// The text of a node, which may be as long as the document.
    mutating func string(ofNode node: Int) throws(XPathError) -> String {
        try spend(storage.records[node].end - node)
        let text = storage.string(node)
        try spend(on: text)
        return text
    }

    mutating func number(of result: XPathResult) throws(XPathError) -> Double {
        switch result {
        case .number(let number): return number
        case .boolean(let value): return value ? 1 : 0
        case .nodes, .string:
            let text = try string(of: result)
            try spend(on: text)
            return XPathNumber.parse(text)
        }
    }

    func boolean(of result: XPathResult) -> Bool {
        switch result {
        case .nodes(let nodes): !nodes.isEmpty
        case .string(let text): !text.isEmpty
        case .number(let number): !number.isZero && !number.isNaN
        case .boolean(let value): value
        }
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

    /// The nodes in the order of the document, each once.
    static func ordered(_ nodes: [Int]) -> [Int] {
        var ordered = nodes.sorted()
        var kept = 0
        for node in ordered where kept == 0 || ordered[kept - 1] != node {
            ordered[kept] = node
            kept += 1
        }
        ordered.removeLast(ordered.count - kept)
        return ordered
    }

    /// Compares values. With nodes, one of them is enough (XPath 1.0 §3.4).
    private mutating func compare(
        _ operation: XPathExpression.Operator,
        _ left: XPathResult,
        _ right: XPathResult
    ) throws(XPathError) -> Bool {
        switch (left, right) {
        case (.nodes(let nodes), .boolean): return try holds(operation, .boolean(!nodes.isEmpty), right)
        case (.boolean, .nodes(let nodes)): return try holds(operation, left, .boolean(!nodes.isEmpty))
        case (.nodes(let nodes), _):
            // Operands that are compared many times are converted once.
            let others = try operands(right, operation)
            for node in nodes {
                let one = try operand(.nodes([node]), operation)
                for other in others where try holds(operation, one, other) { return true }
            }
            return false
        case (_, .nodes(let nodes)):
            let one = try operand(left, operation)
            for node in nodes where try holds(operation, one, try operand(.nodes([node]), operation)) { return true }
            return false
        default: return try holds(operation, left, right)
        }
    }

    private mutating func operands(
        _ result: XPathResult,
        _ operation: XPathExpression.Operator
    ) throws(XPathError) -> [XPathResult] {
        guard case .nodes(let nodes) = result else { return [try operand(result, operation)] }
        var operands: [XPathResult] = []
        for node in nodes { operands.append(try operand(.nodes([node]), operation)) }
        return operands
    }

    /// The text of a node, or its number for `<` and the like.
    private mutating func operand(
        _ result: XPathResult,
        _ operation: XPathExpression.Operator
    ) throws(XPathError) -> XPathResult {
        guard operation == .equal || operation == .unequal else { return .number(try number(of: result)) }
        guard case .nodes = result else { return result }
        return .string(try string(of: result))
    }

    private mutating func holds(
        _ operation: XPathExpression.Operator,
        _ left: XPathResult,
        _ right: XPathResult
    ) throws(XPathError) -> Bool {
        try spend(1)
        switch operation {
        case .equal, .unequal:
            let isEqual: Bool
            switch (left, right) {
            case (.boolean, _), (_, .boolean): isEqual = boolean(of: left) == boolean(of: right)
            case (.number, _), (_, .number): isEqual = try number(of: left) == number(of: right)
            default: isEqual = try isEqualText(try string(of: left), try string(of: right))
            }
            return isEqual == (operation == .equal)
        case .less: return try number(of: left) < number(of: right)
        case .lessOrEqual: return try number(of: left) <= number(of: right)
        case .greater: return try number(of: left) > number(of: right)
        default: return try number(of: left) >= number(of: right)
        }
    }

    /// Whether the code points of two texts are equal (XPath 1.0 §3.4); `String` compares up to
    /// canonical equivalence.
    private mutating func isEqualText(_ left: String, _ right: String) throws(XPathError) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        try spend(on: left)
        return left.isSameName(as: right)
    }

    // MARK: Steps

    private mutating func walk(_ start: [Int], _ steps: [XPathExpression.Step]) throws(XPathError) -> [Int] {
        var nodes = start
        for step in steps {
            var found: [Int] = []
            // Nodes that are found many times are removed before they take much memory.
            var most = 4_096
            for node in Self.starts(of: step, in: nodes, storage) {
                let candidates = try XPathAxis.nodes(
                    step.axis,
                    of: node,
                    in: storage,
                    spend: { count throws(XPathError) in try spend(count) }
                )
                var passed: [Int] = []
                for candidate in candidates where try matches(candidate, step) { passed.append(candidate) }
                found += try filter(passed, step.predicates, isReverse: step.axis.isReverse)
                if found.count > most {
                    found = Self.ordered(found)
                    most = max(most, 2 * found.count)
                }
            }
            nodes = nodes.count == 1 && !step.axis.isReverse ? found : Self.ordered(found)
        }
        return nodes
    }

    /// The nodes at which a step must start. Where positions do not count, a node inside another
    /// one is left out, since its descendants are found from the outer one.
    private static func starts(
        of step: XPathExpression.Step,
        in nodes: [Int],
        _ storage: XMLTreeStorage
    ) -> [Int] {
        guard nodes.count > 1, step.predicates.isEmpty, step.axis == .descendant || step.axis == .descendantOrSelf
        else {
            return nodes
        }
        var end = 0
        return nodes.filter { node in
            // An attribute is not a descendant of its element.
            if storage.isAttribute(node) { return true }
            defer { end = max(end, storage.records[node].end) }
            return node >= end
        }
    }

    /// Filters nodes, which are in the order of the axis and keep it.
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
                } else if boolean(of: result) {
                    kept.append(node)
                }
            }
            nodes = kept
        }
        return nodes
    }

    private mutating func matches(_ node: Int, _ step: XPathExpression.Step) throws(XPathError) -> Bool {
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
            if case .instruction(let name, _) = content { return target?.isSameName(as: name) ?? true }
        case .name(let prefix, let local):
            let namespace = try namespace(of: prefix)
            guard isPrincipal, let name = storage.name(node), local.map(name.hasLocal) ?? true else { return false }
            return try isEqualText(name.namespace, namespace)
        }
        return false
    }

    private func namespace(of prefix: String) throws(XPathError) -> String {
        // Without a prefix a name is in no namespace, also where the document has a default one
        // (XPath 1.0 §2.3).
        if prefix.isEmpty { return "" }
        if prefix == "xml" { return "http://www.w3.org/XML/1998/namespace" }
        guard let namespace = namespaces[prefix] else {
            throw XPathError("The prefix “\(prefix)” has no namespace; name it in “namespaces”")
        }
        return namespace
    }
}
