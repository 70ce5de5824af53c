/// A JSON value that is written as httpbin writes it: keys sorted, two spaces.
indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSON])
    case object([String: JSON])
    /// A JSON text that is embedded as it is.
    case verbatim(String)

    /// The text in lines, with a line end after the last.
    var pretty: String {
        var text = ""
        write(to: &text, indentation: 0)
        return text + "\n"
    }

    /// The text in one line.
    var compact: String {
        var text = ""
        write(to: &text, indentation: nil)
        return text
    }

    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .string(let value): JSON.write(value, to: &text)
        case .verbatim(let value): text += value
        case .array(let values):
            JSON.write(values, "[", "]", to: &text, indentation) { value, text, indentation in
                value.write(to: &text, indentation: indentation)
            }
        case .object(let members):
            JSON.write(members.sorted { $0.key < $1.key }, "{", "}", to: &text, indentation) {
                member,
                text,
                indentation in
                JSON.write(member.key, to: &text)
                text += ": "
                member.value.write(to: &text, indentation: indentation)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        _ opening: String,
        _ closing: String,
        to text: inout String,
        _ indentation: Int?,
        writeElement: (Element, inout String, Int?) -> Void
    ) {
        text += opening
        let inner = indentation.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 {
                text += inner == nil ? ", " : ","
            }
            if let inner {
                text += "\n" + String(repeating: " ", count: inner)
            }
            writeElement(element, &text, inner)
        }
        if let indentation, !elements.isEmpty {
            text += "\n" + String(repeating: " ", count: indentation)
        }
        text += closing
    }

    /// A string literal (RFC 8259 §7).
    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(nilLiteral: ()) { self = .null }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSON {
    /// Name-value pairs as an object; a name that occurs more than once gets an array of its
    /// values.
    init(pairs: [(name: String, value: String)]) {
        var members: [String: [JSON]] = [:]
        for pair in pairs {
            members[pair.name, default: []].append(.string(pair.value))
        }
        self = .object(members.mapValues { $0.count == 1 ? $0[0] : .array($0) })
    }
}
