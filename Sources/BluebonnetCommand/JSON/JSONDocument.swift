import Bluebonnet

/// A JSON text and the places of its values, so that parts of it can be picked and shown as they
/// are written.
struct JSONDocument: Sendable {
    /// The text in UTF-8.
    let bytes: [UInt8]
    private let tokens: [JSONTokens.Token]
    /// For the token that opens an object or an array, the index of the one that closes it; for
    /// every other token its own index.
    private let ends: [Int]

    /// A value of the document.
    struct Node: Equatable, Sendable {
        fileprivate let token: Int
    }

    /// Reads a text.
    ///
    /// - Parameter text: The text, in UTF-8, UTF-16 or UTF-32.
    /// - Throws: `JSONParsingError` when it is not JSON.
    init(parsing text: [UInt8]) throws(JSONParsingError) {
        let value = try JSONValue(parsing: text)
        let cut = JSONTokens(JSONTokens.canCut(text) ? text : Array(value.description.utf8))
        bytes = cut.bytes
        tokens = Array(cut)
        var ends = Array(tokens.indices)
        var open: [Int] = []
        for (index, token) in tokens.enumerated() {
            if token.kind == .open { open.append(index) }
            if token.kind == .close, let start = open.popLast() { ends[start] = index }
        }
        self.ends = ends
    }

    /// The whole value.
    var root: Node { Node(token: 0) }

    /// The text of a value, white space between its tokens included.
    func text(of node: Node) -> ArraySlice<UInt8> {
        bytes[tokens[node.token].range.lowerBound..<tokens[ends[node.token]].range.upperBound]
    }

    /// The value of a string; nil for everything else.
    func string(_ node: Node) -> String? {
        guard tokens[node.token].kind == .string else { return nil }
        return JSONTokens.string(text(of: node))
    }

    /// Whether a value is an array.
    func isArray(_ node: Node) -> Bool { begins(node, with: "[") }

    /// The elements of an array; nil for everything else.
    func elements(of node: Node) -> [Node]? {
        isArray(node) ? children(of: node) : nil
    }

    /// The members of an object in their order, repeated names included; nil for everything else.
    func members(of node: Node) -> [(name: String, value: Node)]? {
        guard begins(node, with: "{") else { return nil }
        let children = children(of: node)
        return stride(from: 0, to: children.count - 1, by: 2).map { index in
            (JSONTokens.string(text(of: children[index])), children[index + 1])
        }
    }

    private func begins(_ node: Node, with bracket: Unicode.Scalar) -> Bool {
        bytes[tokens[node.token].range.lowerBound] == UInt8(ascii: bracket)
    }

    /// The values in a container; in an object, each name is in front of its value.
    private func children(of node: Node) -> [Node] {
        var children: [Node] = []
        var index = node.token + 1
        while index < ends[node.token] {
            if tokens[index].kind != .comma, tokens[index].kind != .colon { children.append(Node(token: index)) }
            index = ends[index] + 1
        }
        return children
    }
}
