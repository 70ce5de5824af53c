/// The path of a field in the JSON that is sent, in HTTPie's syntax: `user[name]`, `tags[]`,
/// `list[0][id]`, `[]`.
struct FieldPath: Equatable, Sendable {
    /// One step downwards.
    enum Step: Equatable, Sendable {
        case key(String)
        case index(Int)
        /// A new element at the end of a list.
        case append
    }

    /// The deepest path: as deep as the library reads JSON.
    static let mostSteps = 512

    /// The largest index. The elements before an index are filled with null: it decides how much
    /// memory a short item takes.
    static let mostIndex = 65_535

    /// The name as it was given.
    let name: String
    let steps: [Step]

    /// Reads the name of a field.
    ///
    /// `[key]` is the member of an object, `[0]` the element of a list, `[]` a new element. A
    /// backslash takes the meaning from `[`, `]` and another backslash, and turns a number in
    /// brackets into a key (`[\0]`).
    ///
    /// - Parameter name: The part of the item before its separator.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/usage``.
    init(_ name: String) throws(CommandFailure) {
        self.name = name
        var steps: [Step] = []
        // By scalars: a bracket and a combining character behind it are one `Character`.
        var rest = name.unicodeScalars[...]
        if rest.first != "[" { steps.append(.key(Self.token(&rest).text)) }
        while let character = rest.popFirst() {
            guard character == "[" else {
                let reason = character == "]" ? "a “]” has no “[” before it" : "after a “]” only another “[” may follow"
                throw Self.failure(name, reason)
            }
            let (text, isEscaped) = Self.token(&rest)
            guard rest.popFirst() == "]" else { throw Self.failure(name, "a “[” has no “]”") }
            steps.append(try Self.step(text, isEscaped: isEscaped, isFirst: steps.isEmpty, name: name))
        }
        guard steps.count <= Self.mostSteps else {
            throw .usage("The name of a field is nested deeper than \(Self.mostSteps) levels.")
        }
        self.steps = steps
    }

    private static func step(
        _ text: String,
        isEscaped: Bool,
        isFirst: Bool,
        name: String
    ) throws(CommandFailure) -> Step {
        if text.isEmpty { return .append }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !isEscaped, !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            // HTTPie's rule: a name begins with the name of a member, then brackets.
            if isFirst {
                throw .usage("“\(name)” begins with a bracket, which only a list can, as in []=x or [0]=x.")
            }
            return .key(text)
        }
        guard let index = Int(text), index <= mostIndex else {
            throw .usage("“\(name)”: an index must be at most \(mostIndex).")
        }
        guard index >= 0 else { throw .usage("“\(name)”: an index must be 0 or more.") }
        return .index(index)
    }

    /// The text before the next bracket, with its escapes undone.
    private static func token(_ rest: inout Substring.UnicodeScalarView) -> (text: String, isEscaped: Bool) {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        while let character = rest.first, character != "[", character != "]" {
            rest.removeFirst()
            guard character == "\\", let next = rest.first else {
                text.append(character)
                continue
            }
            if next == "[" || next == "]" || next == "\\" {
                isEscaped = true
            } else if text.isEmpty, ("0"..."9").contains(next) {
                let number = rest.prefix { $0 != "[" && $0 != "]" }
                isEscaped = number.allSatisfy { ("0"..."9").contains($0) }
                if !isEscaped { text.append(character) }
            } else {
                text.append(character)
            }
            text.append(next)
            rest.removeFirst()
        }
        return (String(text), isEscaped)
    }

    private static func failure(_ name: String, _ reason: String) -> CommandFailure {
        .usage(
            "“\(name)” is not the name of a field: \(reason). A backslash makes a bracket a part of a name (a\\[b\\]=c)."
        )
    }

    /// The name of the field at the end of these steps, for messages.
    static func description(of steps: some Sequence<Step>) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .key(let key): text += text.isEmpty ? key : "[\(key)]"
            case .index(let index): text += "[\(index)]"
            case .append: text += "[]"
            }
        }
        return text
    }
}
