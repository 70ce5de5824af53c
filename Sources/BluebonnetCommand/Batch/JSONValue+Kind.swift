import Bluebonnet

extension JSONValue {
    /// What the value is, for messages.
    var kindWithArticle: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
