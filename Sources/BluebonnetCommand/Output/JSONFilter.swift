import Bluebonnet

/// Picks values out of JSON: a JSON pointer (RFC 6901) such as `/users/0/name`, or a path such as
/// `users[0].name` and `users[].name`.
struct JSONFilter: Equatable, Sendable {
    /// One step downwards.
    enum Step: Equatable, Sendable {
        /// The member of an object.
        case key(String)
        /// The element of an array; a negative index counts from the end.
        case index(Int)
        /// Every element of an array, or every value of an object.
        case each
        /// The member of an object, or the element of an array when it is an index: a pointer does
        /// not say which.
        case token(String)
    }

    let steps: [Step]

    /// Reads a filter.
    ///
    /// A text that begins with a slash is a pointer, with `~1` for a slash and `~0` for a tilde in
    /// a name. In a path, dots separate names, `["a.b"]` is a name with any characters in it,
    /// `[0]` an element, `[-1]` the last one, and `[]` all of them; the dot at the beginning may be
    /// left out, and a dot alone is the whole value.
    ///
    /// - Parameter text: The filter.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(_ text: String) throws(CommandFailure) {
        // Here and below scalars are compared, since a sign and a combining character behind it are
        // one `Character`.
        steps = try text.unicodeScalars.first == "/" ? Self.pointer(text) : Self.path(text)
    }

    /// The values that the filter picks; empty when there are none.
    func values(in document: JSONDocument) -> [JSONDocument.Node] {
        steps.reduce([document.root]) { nodes, step in nodes.flatMap { Self.follow(step, from: $0, in: document) } }
    }

    private static func follow(
        _ step: Step,
        from node: JSONDocument.Node,
        in document: JSONDocument
    ) -> [JSONDocument.Node] {
        switch step {
        case .key(let name): member(name, of: node, in: document)
        case .index(let index): element(index, of: node, in: document)
        case .each: document.elements(of: node) ?? document.members(of: node)?.map(\.value) ?? []
        case .token(let token):
            document.isArray(node)
                ? arrayIndex(token).map { element($0, of: node, in: document) } ?? []
                : member(token, of: node, in: document)
        }
    }

    /// The member of an object; of those with one name the last, which JSON parsers take, too.
    private static func member(
        _ name: String,
        of node: JSONDocument.Node,
        in document: JSONDocument
    ) -> [JSONDocument.Node] {
        let member = document.members(of: node)?.last { $0.name.unicodeScalars.elementsEqual(name.unicodeScalars) }
        return member.map { [$0.value] } ?? []
    }

    private static func element(
        _ index: Int,
        of node: JSONDocument.Node,
        in document: JSONDocument
    ) -> [JSONDocument.Node] {
        guard let elements = document.elements(of: node) else { return [] }
        let position = index < 0 ? elements.count + index : index
        return elements.indices.contains(position) ? [elements[position]] : []
    }

    // MARK: RFC 6901

    private static func pointer(_ text: String) throws(CommandFailure) -> [Step] {
        var steps: [Step] = []
        for token in text.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            var name = String.UnicodeScalarView()
            var rest = token[...]
            while let character = rest.popFirst() {
                guard character == "~" else {
                    name.append(character)
                    continue
                }
                // §3: after a tilde only 0 and 1 are allowed.
                switch rest.popFirst() {
                case "0": name.append("~")
                case "1": name.append("/")
                default: throw .usage("“\(text)”: write ~0 for “~” and ~1 for “/” in a JSON pointer.")
                }
            }
            steps.append(.token(String(name)))
        }
        return steps
    }

    /// RFC 6901 §4: digits without a leading zero.
    private static func arrayIndex(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (48...57).contains($0) }), token == "0" || !token.hasPrefix("0") else {
            return nil
        }
        return Int(token)
    }

    // MARK: Paths

    private static func path(_ text: String) throws(CommandFailure) -> [Step] {
        var steps: [Step] = []
        var rest = text.unicodeScalars[...]
        if rest.first == "." { rest.removeFirst() }
        while let character = rest.first {
            if character == "[" {
                steps.append(try bracket(&rest, of: text))
            } else {
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { throw .usage("The filter “\(text)” has a dot without a name.") }
                steps.append(.key(String(name)))
                rest.removeFirst(name.count)
            }
            guard rest.first == "." else { continue }
            rest.removeFirst()
            guard !rest.isEmpty else { throw .usage("The filter “\(text)” ends in a dot.") }
        }
        return steps
    }

    /// `[0]`, `[-1]`, `[]` or `["name"]`.
    private static func bracket(_ rest: inout Substring.UnicodeScalarView, of text: String) throws(CommandFailure)
        -> Step
    {
        rest.removeFirst()
        if rest.first == "\"" {
            guard let quote = rest.dropFirst().firstIndex(of: "\""), rest[quote...].dropFirst().first == "]" else {
                throw .usage("The filter “\(text)” has a name in brackets without \"] at its end.")
            }
            defer { rest = rest[quote...].dropFirst(2) }
            return .key(String(rest[..<quote].dropFirst()))
        }
        guard let end = rest.firstIndex(of: "]") else { throw .usage("The filter “\(text)” has a “[” without “]”.") }
        let inside = String(rest[..<end])
        rest = rest[end...].dropFirst()
        if inside.isEmpty || inside == "*" { return .each }
        guard let index = Int(inside) else {
            throw .usage("“[\(inside)]” in the filter “\(text)” is not an index; write [0], [-1], [] or [\"name\"].")
        }
        return .index(index)
    }
}
