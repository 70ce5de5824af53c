import Bluebonnet

extension JSONValue {
    /// The kind of the value, for messages.
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
