import Bluebonnet

/// The JSON of all fields, in their order. A later item never replaces the value of an earlier one.
struct NestedFields {
    private indirect enum Node {
        /// No value has been set here. It is null in a list with a later element.
        case gap
        /// A value, and its text in JSON where that is to be kept.
        case value(JSONValue, written: [UInt8]?)
        case object(Members)
        case array([Node])
    }

    private struct Members {
        var names: [String] = []
        var nodes: [String: Node] = [:]
    }

    private var root = Node.gap

    /// Whether there is no field.
    var isEmpty: Bool {
        if case .gap = root { true } else { false }
    }

    /// The JSON of all fields.
    ///
    /// - Throws: ``JSONWritingError``.
    func data() throws(JSONWritingError) -> [UInt8] {
        var text: [UInt8] = []
        try Self.write(root, to: &text)
        return text
    }

    /// Adds a field.
    ///
    /// - Parameters:
    ///   - value: Its value.
    ///   - written: Its text in JSON, where that is to be kept: `1.50` has the value 1.5.
    ///   - path: Its path. Objects and lists on the way are made; the JSON of a `name:=json` can be
    ///     added to.
    /// - Throws: ``CommandFailure`` when there is a value already, or a value on the way is not an
    ///   object or list. Afterwards the fields must not be used.
    mutating func set(
        _ value: JSONValue,
        written: [UInt8]? = nil,
        at path: FieldPath
    ) throws(CommandFailure) {
        try Self.set(.value(value, written: written), at: path, from: 0, in: &root)
    }

    private static func set(
        _ value: Node,
        at path: FieldPath,
        from position: Int,
        in node: inout Node
    ) throws(CommandFailure) {
        guard position < path.steps.count else {
            guard !isSame(node, value) else { return }
            guard case .gap = node else {
                throw .usage("“\(path.name)” is given twice; “\(listName(of: path))” adds an element to a list.")
            }
            node = value
            return
        }
        switch path.steps[position] {
        case .key(let key):
            var members = try members(of: node, path, position)
            // The node is taken out while it changes, so that it is not copied.
            node = .gap
            var child = members.nodes.removeValue(forKey: key)
            if child == nil { members.names.append(key) }
            try set(value, at: path, from: position + 1, in: &child)
            members.nodes[key] = child
            node = .object(members)
        case .index(let index):
            var elements = try elements(of: node, path, position)
            node = .gap
            while elements.count <= index { elements.append(.gap) }
            try set(value, at: path, from: position + 1, in: &elements[index])
            node = .array(elements)
        case .append:
            var elements = try elements(of: node, path, position)
            node = .gap
            elements.append(.gap)
            try set(value, at: path, from: position + 1, in: &elements[elements.count - 1])
            node = .array(elements)
        }
    }

    private static func set(
        _ value: Node,
        at path: FieldPath,
        from position: Int,
        in node: inout Node?
    ) throws(CommandFailure) {
        var child = node ?? .gap
        node = nil
        try set(value, at: path, from: position, in: &child)
        node = child
    }

    /// Whether two values are one, also as they are written.
    private static func isSame(_ node: Node, _ other: Node) -> Bool {
        guard case .value(let first, let firstText) = node, case .value(let second, let secondText) = other else {
            return false
        }
        return first == second && firstText == secondText
    }

    /// The path that makes a list of a field that is given twice.
    private static func listName(of path: FieldPath) -> String {
        guard case .index = path.steps.last else { return path.name + "[]" }
        return FieldPath.description(of: path.steps.dropLast()) + "[]"
    }

    private static func members(
        of node: Node,
        _ path: FieldPath,
        _ position: Int
    ) throws(CommandFailure) -> Members {
        switch node {
        case .gap: return Members()
        case .object(let members): return members
        case .value(.object(let object), let written):
            var members = Members(names: object.keys)
            for (key, value) in object { members.nodes[key] = .value(value, written: nil) }
            // Of a repeated name the last member counts, as in the value.
            for (name, text) in JSONTokens.members(of: written ?? [], where: { object[$0] != nil }) {
                members.nodes[name] = object[name].map { .value($0, written: text) }
            }
            return members
        default: throw conflict(node, path, position, wanted: "an object")
        }
    }

    private static func elements(
        of node: Node,
        _ path: FieldPath,
        _ position: Int
    ) throws(CommandFailure) -> [Node] {
        switch node {
        case .gap: return []
        case .array(let elements): return elements
        case .value(.array(let elements), let written):
            let texts = JSONTokens.elements(of: written ?? [])
            guard texts.count == elements.count else { return elements.map { .value($0, written: nil) } }
            return zip(elements, texts).map { .value($0, written: $1) }
        default: throw conflict(node, path, position, wanted: "a list")
        }
    }

    private static func conflict(
        _ node: Node,
        _ path: FieldPath,
        _ position: Int,
        wanted: String
    ) -> CommandFailure {
        let kind =
            switch node {
            case .value(.array, _), .array: "a list"
            case .object: "an object"
            case .value(let value, _): value.kindWithArticle
            case .gap: "null"
            }
        let place = FieldPath.description(of: path.steps.prefix(position))
        let subject = place.isEmpty ? "the whole JSON" : "“\(place)”"
        return .usage("“\(path.name)” needs \(wanted), and \(subject) is \(kind) already.")
    }

    private static func write(_ node: Node, to text: inout [UInt8]) throws(JSONWritingError) {
        switch node {
        case .gap: text += Array("null".utf8)
        case .value(_, let written?): text += written
        case .value(let value, nil): text += try value.data()
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (number, name) in members.names.enumerated() {
                if number > 0 { text.append(UInt8(ascii: ",")) }
                text += try JSONValue.string(name).data()
                text.append(UInt8(ascii: ":"))
                try write(members.nodes[name] ?? .gap, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        case .array(let elements):
            text.append(UInt8(ascii: "["))
            for (number, element) in elements.enumerated() {
                if number > 0 { text.append(UInt8(ascii: ",")) }
                try write(element, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        }
    }
}
