/// Parses XPath 1.0 expressions.
struct XPathParser {
    private let text: String
    private let tokens: [XPathToken]
    private var place = 0
    private var depth = 0

    /// The greatest depth of parentheses, predicates and arguments. A level takes up to 9 KB of
    /// stack in a debug build, and a thread may have 512 KB.
    private static let maximumDepth = 32
    /// The largest length of a chain of operators.
    private static let maximumChain = 64
    /// The greatest depth of the whole expression, with chains inside of chains, since evaluating
    /// needs stack for it.
    private static let maximumLevels = 96
    private static let maximumLength = 4096

    init(_ text: String) throws(XPathError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw XPathError("The expression is longer than \(Self.maximumLength) bytes")
        }
        self.text = text
        tokens = try XPathToken.tokens(of: text)
    }

    mutating func parse() throws(XPathError) -> XPathExpression {
        let expression = try self.expression()
        guard current == .end else { throw unexpected() }
        guard expression.isShallow(Self.maximumLevels) else { throw XPathError("The expression is nested too deeply") }
        return expression
    }

    private var current: XPathToken { tokens[place] }

    private var following: XPathToken { place + 1 < tokens.count ? tokens[place + 1] : .end }

    private func unexpected() -> XPathError {
        switch current {
        case .end: XPathError("“\(text)” ends too early")
        case .symbol(let word), .name(let word): XPathError("“\(word)” is not expected there in “\(text)”")
        case .literal(let word): XPathError("The text “\(word)” is not expected there in “\(text)”")
        case .number(let number): XPathError("\(XPathNumber.string(number)) is not expected there in “\(text)”")
        }
    }

    private mutating func take(_ symbol: String) -> Bool {
        guard current == .symbol(symbol) else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ symbol: String) throws(XPathError) {
        guard take(symbol) else { throw unexpected() }
    }

    // MARK: Operators (XPath 1.0 §3.4, §3.5)

    private static let levels: [[String: XPathExpression.Operator]] = [
        ["or": .or], ["and": .and], ["=": .equal, "!=": .unequal],
        ["<": .less, "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual], ["+": .add, "-": .subtract],
        ["*": .multiply, "div": .divide, "mod": .remainder],
    ]

    private mutating func expression() throws(XPathError) -> XPathExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw XPathError("The expression is nested too deeply") }
        return try binary(0)
    }

    /// Parses binary operators. At this place, a name or `*` is an operator (XPath 1.0 §3.7).
    private mutating func binary(_ level: Int) throws(XPathError) -> XPathExpression {
        guard level < Self.levels.count else { return try unary() }
        var left = try binary(level + 1)
        var count = 0
        while let symbol = operatorText, let found = Self.levels[level][symbol] {
            place += 1
            count += 1
            // A chain becomes a tree that is as deep as the chain is long.
            guard count < Self.maximumChain else { throw XPathError("The expression is nested too deeply") }
            left = .binary(found, left, try binary(level + 1))
        }
        return left
    }

    private var operatorText: String? {
        switch current {
        case .symbol(let text), .name(let text): text
        default: nil
        }
    }

    private mutating func unary() throws(XPathError) -> XPathExpression {
        var (isNegative, isNumber) = (false, false)
        while take("-") {
            isNegative.toggle()
            isNumber = true
        }
        var result = try pathExpression()
        var count = 0
        while take("|") {
            count += 1
            guard count < Self.maximumChain else { throw XPathError("The expression is nested too deeply") }
            result = .binary(.union, result, try pathExpression())
        }
        guard isNumber else { return result }
        // Two signs cancel each other, but their result is a number.
        return isNegative ? .negative(result) : .negative(.negative(result))
    }

    // MARK: Paths (XPath 1.0 §2)

    private static let nodeTypes: Set<String> = ["node", "text", "comment", "processing-instruction"]
    private static let descendants = XPathExpression.Step(axis: .descendantOrSelf, test: .node)

    private mutating func pathExpression() throws(XPathError) -> XPathExpression {
        guard let primary = try primary() else {
            if take("//") { return .path(isAbsolute: true, [Self.descendants] + (try steps())) }
            guard take("/") else { return .path(isAbsolute: false, try steps()) }
            return .path(isAbsolute: true, startsStep ? try steps() : [])
        }
        let predicates = try self.predicates()
        var path: [XPathExpression.Step] = []
        if take("//") {
            path = [Self.descendants] + (try steps())
        } else if take("/") {
            path = try steps()
        }
        return predicates.isEmpty && path.isEmpty ? primary : .filter(primary, predicates: predicates, path: path)
    }

    private var startsStep: Bool {
        switch current {
        case .name, .symbol("*"), .symbol("@"), .symbol("."), .symbol(".."): true
        default: false
        }
    }

    /// Parses a primary expression; returns nil where a path begins.
    private mutating func primary() throws(XPathError) -> XPathExpression? {
        switch current {
        case .literal(let text):
            place += 1
            return .string(text)
        case .number(let number):
            place += 1
            return .number(number)
        case .symbol("("):
            place += 1
            let inner = try expression()
            try expect(")")
            return inner
        case .name(let name) where following == .symbol("(") && !Self.nodeTypes.contains(name):
            place += 2
            var arguments: [XPathExpression] = []
            if !take(")") {
                repeat { arguments.append(try expression()) } while take(",")
                try expect(")")
            }
            try XPathFunctions.check(name, arguments.count)
            return .function(name, arguments)
        default: return nil
        }
    }

    private mutating func predicates() throws(XPathError) -> [XPathExpression] {
        var predicates: [XPathExpression] = []
        while take("[") {
            predicates.append(try expression())
            try expect("]")
        }
        return predicates
    }

    private mutating func steps() throws(XPathError) -> [XPathExpression.Step] {
        var steps = [try step()]
        while true {
            if take("//") {
                steps += [Self.descendants, try step()]
            } else if take("/") {
                steps.append(try step())
            } else {
                return steps
            }
        }
    }

    private mutating func step() throws(XPathError) -> XPathExpression.Step {
        if take(".") { return XPathExpression.Step(axis: .itself, test: .node) }
        if take("..") { return XPathExpression.Step(axis: .parent, test: .node) }
        var axis = XPathExpression.Axis.child
        if take("@") {
            axis = .attribute
        } else if case .name(let name) = current, following == .symbol("::") {
            guard let named = XPathExpression.Axis(rawValue: name) else {
                throw XPathError("There is no axis “\(name)”")
            }
            axis = named
            place += 2
        }
        let test = try self.test()
        return XPathExpression.Step(axis: axis, test: test, predicates: try predicates())
    }

    private mutating func test() throws(XPathError) -> XPathExpression.Test {
        if take("*") { return .anyName }
        guard case .name(let name) = current else { throw unexpected() }
        place += 1
        if Self.nodeTypes.contains(name), take("(") {
            var target: String?
            if name == "processing-instruction", case .literal(let text) = current {
                target = text
                place += 1
            }
            try expect(")")
            return switch name {
            case "node": .node
            case "text": .text
            case "comment": .comment
            default: .instruction(target: target)
            }
        }
        let parts = name.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return .name(prefix: "", local: name) }
        return .name(prefix: String(parts[0]), local: parts[1] == "*" ? nil : String(parts[1]))
    }
}
