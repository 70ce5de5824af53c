import Bluebonnet

/// A random value that a form can have: as an `Encodable` type, as JSON, and as the pairs that are
/// expected in the form.
enum FormTree: Encodable {
    case null
    case bool(Bool)
    case int(Int64)
    case text(String)
    case array([FormTree])
    case object([(key: String, value: FormTree)])

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .int(let value): try value.encode(to: encoder)
        case .text(let value): try value.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let pairs):
            var container = encoder.container(keyedBy: Key.self)
            for (key, value) in pairs { try container.encode(value, forKey: Key(stringValue: key)) }
        }
    }

    var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .number(JSONNumber(value))
        case .text(let value): .string(value)
        case .array(let elements): .array(elements.map(\.json))
        case .object(let pairs): .object(JSONObject(pairs.map { ($0.key, $0.value.json) }))
        }
    }

    /// The names and values, in the order of the tree; nulls as empty values.
    func pairs(_ name: String = "", isTop: Bool = true) -> [[String]] {
        switch self {
        case .null: [[name, ""]]
        case .bool(let value): [[name, value ? "1" : "0"]]
        case .int(let value): [[name, String(value)]]
        case .text(let value): [[name, value]]
        case .array(let elements): elements.flatMap { $0.pairs("\(name)[]", isTop: false) }
        case .object(let pairs):
            pairs.flatMap { $0.value.pairs(isTop ? $0.key : "\(name)[\($0.key)]", isTop: false) }
        }
    }

    // MARK: At random

    static func object(depth: Int, using random: inout some RandomNumberGenerator) -> FormTree {
        var pairs: [(key: String, value: FormTree)] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let key = text(using: &random)
            if pairs.contains(where: { $0.key == key }) { continue }
            pairs.append((key, tree(depth: depth, using: &random)))
        }
        return .object(pairs)
    }

    private static func tree(depth: Int, using random: inout some RandomNumberGenerator) -> FormTree {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .int(Int64.random(in: .min ... .max, using: &random))
        case 3, 4, 5: .text(text(using: &random))
        case 6:
            .array((0..<Int.random(in: 0...4, using: &random)).map { _ in tree(depth: depth - 1, using: &random) })
        default: object(depth: depth - 1, using: &random)
        }
    }

    private static let others: [Character] = Array("éßÅ日本語ערב\u{0}👩🏽‍🚀🏳️‍🌈\u{301}\u{FEFF}\u{2028}\u{10FFFF}\r\n")

    private static func text(using random: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            if Int.random(in: 0..<4, using: &random) == 0, let character = others.randomElement(using: &random) {
                text.append(character)
            } else {
                text.unicodeScalars.append(UnicodeScalar(UInt8.random(in: 0..<128, using: &random)))
            }
        }
        return text
    }
}
