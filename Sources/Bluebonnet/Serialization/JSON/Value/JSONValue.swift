/// Any JSON value (RFC 8259): the result of parsing a response, and the value of parameters.
///
/// ```swift
/// let parameters: JSONValue = ["page": 2, "tags": ["a", "b"], "after": nil]
/// let users = try await api.get("users", parameters: parameters, as: .json)
/// let name = users[0]?["name"]?.string
/// ```
/// It is the counterpart of the Foundation objects that AFNetworking's `AFJSONResponseSerializer`
/// returned.
public enum JSONValue: Sendable, Hashable {
    /// The word `null`.
    case null
    /// The words `true` and `false`.
    case bool(Bool)
    /// A number, exact as it was written.
    case number(JSONNumber)
    /// A string, its escapes undone.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, its keys in their order.
    case object(JSONObject)
}

extension JSONValue {
    /// The value of a key, or nil when this is not an object or has no such key.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element at an index, or nil when this is not an array or has no such element.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let array) = self, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The string, or nil when this is none.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The boolean, or nil when this is none.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, or nil when this is none.
    public var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number as an `Int`, or nil when this is not a number, has a fraction or does not fit.
    public var int: Int? { number?.int }

    /// The number as an `Int64`, or nil when this is not a number, has a fraction or does not fit.
    public var int64: Int64? { number?.int64 }

    /// The number as a `UInt64`, or nil when this is not a number, has a fraction, is negative or
    /// does not fit.
    public var uint64: UInt64? { number?.uint64 }

    /// The double nearest to the number, or nil when this is not a number or is beyond the range of
    /// doubles.
    public var double: Double? { number?.double }

    /// The array, or nil when this is none.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, or nil when this is none.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether this is the word `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Returns the value without nulls: keys whose value is null and array elements that are null
    /// are dropped, at every depth.
    ///
    /// It is the counterpart of AFNetworking's `removesKeysWithNullValues`. A value that is itself
    /// null stays.
    public func removingNulls() -> JSONValue {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let array): .array(array.lazy.filter { !$0.isNull }.map { $0.removingNulls() })
        case .object(let object):
            .object(
                JSONObject(
                    uniquePairs: object.pairs.lazy.filter { !$0.value.isNull }
                        .map { ($0.key, $0.value.removingNulls()) }
                )
            )
        }
    }
}
