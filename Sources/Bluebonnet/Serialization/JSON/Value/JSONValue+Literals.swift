extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral {
    /// Creates `null` from `nil`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Creates a boolean from a literal.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(integerLiteral: value))
    }

    /// Creates a number from a floating-point literal.
    public init(floatLiteral value: Double) {
        self = .number(JSONNumber(value))
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Creates a string from a literal.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Creates an array from a literal.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object from a literal; of equal keys the last value wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.lazy.map { (key: $0.0, value: $0.1) }))
    }
}

extension JSONValue {
    /// Creates a string.
    public init(_ value: some StringProtocol) {
        self = .string(String(value))
    }

    /// Creates a boolean.
    public init(_ value: Bool) {
        self = .bool(value)
    }

    /// Creates a number from an integer of any size.
    public init(_ value: some BinaryInteger) {
        self = .number(JSONNumber(value))
    }

    /// Creates a number from a double; infinity and NaN can be held but not written.
    public init(_ value: Double) {
        self = .number(JSONNumber(value))
    }

    /// Creates an array.
    public init(_ value: [JSONValue]) {
        self = .array(value)
    }

    /// Creates an object.
    public init(_ value: JSONObject) {
        self = .object(value)
    }

    /// Creates an object from a dictionary, its keys sorted so that the result is always the same.
    public init(_ value: [String: JSONValue]) {
        self = .object(JSONObject(value))
    }
}
