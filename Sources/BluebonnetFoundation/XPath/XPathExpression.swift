/// A parsed XPath expression.
indirect enum XPathExpression: Sendable {
    enum Operator: Sendable {
        case or, and, equal, unequal, less, lessOrEqual, greater, greaterOrEqual, add, subtract, multiply, divide,
            remainder, union
    }

    enum Axis: String, Sendable {
        case ancestor, attribute, child, descendant, following, parent, preceding
        case itself = "self"
        case ancestorOrSelf = "ancestor-or-self"
        case descendantOrSelf = "descendant-or-self"
        case followingSibling = "following-sibling"
        case precedingSibling = "preceding-sibling"

        /// Whether positions are counted against the order of the document.
        var isReverse: Bool {
            switch self {
            case .ancestor, .ancestorOrSelf, .preceding, .precedingSibling: true
            default: false
            }
        }
    }

    enum Test: Sendable {
        /// The prefix is empty for a name without one, the local name nil for `*`.
        case name(prefix: String, local: String?)
        case anyName
        case node
        case text
        case comment
        case instruction(target: String?)
    }

    struct Step: Sendable {
        var axis: Axis
        var test: Test
        var predicates: [XPathExpression] = []
    }

    case binary(Operator, XPathExpression, XPathExpression)
    case negative(XPathExpression)
    case string(String)
    case number(Double)
    case function(String, [XPathExpression])
    /// A path that starts at the document, or at the context node.
    case path(isAbsolute: Bool, [Step])
    /// The nodes of an expression, filtered, and a path that starts at them.
    case filter(XPathExpression, predicates: [XPathExpression], path: [Step])
}

extension XPathExpression {
    /// Whether the expression is nested no deeper than `levels`. Evaluating needs stack for each
    /// level.
    func isShallow(_ levels: Int) -> Bool {
        var left = [(expression: self, level: 1)]
        while let (expression, level) = left.popLast() {
            guard level <= levels else { return false }
            left += expression.parts.map { ($0, level + 1) }
        }
        return true
    }

    private var parts: [XPathExpression] {
        switch self {
        case .string, .number: []
        case .negative(let inner): [inner]
        case .binary(_, let left, let right): [left, right]
        case .function(_, let arguments): arguments
        case .path(_, let steps): steps.flatMap(\.predicates)
        case .filter(let inner, let predicates, let steps): [inner] + predicates + steps.flatMap(\.predicates)
        }
    }
}

/// The reason why an XPath expression has no value: it is not XPath 1.0, or it needs too many steps
/// in this document. It may visit every node about 50 times and read all texts about 16 times.
///
/// Counterpart of the error of `nodesForXPath:error:` of `NSXMLNode`.
public struct XPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The message.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
