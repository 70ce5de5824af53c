import FoundationEssentials

/// The parameters of a request: values of any `Encodable` type by their names, or one value that
/// has names of its own.
///
/// ```swift
/// let found = try await api.get("users", parameters: ["page": page, "q": name, "after": cursor, "ids": ids], as: .json)
/// ```
/// - A value that is nil leaves its name out. To write a name without a value, use
///   ``JSONValue/null``, which is what the encoding makes of a null: by default the bare name in
///   queries and forms, as from `NSNull` in AFNetworking; `null` in JSON.
/// - Where a literal repeats a name, the later value counts.
/// - A `Set` is sorted by the text of its elements, so that equal parameters are equal bytes. In
///   queries and forms it repeats the name without brackets, as in AFNetworking; in JSON it is an
///   array. (Foundation's encoders write a set inside of another value, a type or a dictionary, to
///   JSON, and every set to a property list, in an order that changes from run to run.)
/// - The values of a nested dictionary are of one type. For values of several types, write
///   `["id": 42, "name": name] as Parameters`, or `as JSONValue`.
///
/// The request serializer decides where they go and how they are written:
/// ``RequestSerializer/parameterEncoding`` has the rules of queries and forms. Without any value
/// there is neither a body nor a `Content-Type`.
///
/// Counterpart of the `parameters` of AFNetworking, a dictionary of any objects there, and of
/// Alamofire's `Parameters`.
public struct Parameters: Sendable, Encodable, ExpressibleByDictionaryLiteral {
    enum Content: Sendable {
        case names(NamedValues<any Encodable & Sendable>)
        /// Kept apart because its way to a text is the shortest.
        case json(JSONValue)
        case value(any Encodable & Sendable)
        /// A value to which a name was added, which cannot be written.
        case mixed(any Encodable & Sendable, name: String)
    }

    private(set) var content = Content.names(NamedValues())

    /// Makes no parameters: neither a body nor a query is written.
    public init() {}

    /// Makes parameters of one value that encodes itself: a structure, a dictionary, a
    /// ``JSONValue``.
    ///
    /// Queries, forms and multipart forms need an object, so that every value has a name; JSON
    /// takes any value.
    ///
    /// - Parameter value: The value. Nil makes no parameters.
    public init(_ value: some Encodable & Sendable) {
        if let value = value as? Parameters {
            self = value
        } else if let value = value as? JSONValue {
            content = .json(value)
        } else if let value = value as? JSONObject {
            content = .json(.object(value))
        } else if !Self.isNil(value) {
            content = .value(value)
        }
    }

    /// Makes parameters of a dictionary with values of several types.
    ///
    /// - Parameter values: The values by name; nil leaves a name out. The names are sorted.
    public init(_ values: [String: (any Encodable & Sendable)?]) {
        var pairs: [(key: String, value: any Encodable & Sendable)] = []
        for (name, value) in values {
            if let value, !Self.isNil(value) { pairs.append((name, value)) }
        }
        pairs.sort { $0.key < $1.key }
        content = .names(NamedValues(uniquePairs: pairs))
    }

    /// Makes parameters of a dictionary with values of one type.
    ///
    /// - Parameter values: The values by name; nil is a null. The names are sorted.
    public init(_ values: [String: some Encodable & Sendable]) {
        let pairs = values.sorted { $0.key < $1.key }
            .map { (key: $0.key, value: Self.isNil($0.value) ? JSONValue.null as any Encodable & Sendable : $0.value) }
        content = .names(NamedValues(uniquePairs: pairs))
    }

    /// Makes parameters of a literal.
    ///
    /// - Parameter elements: Names and values; nil leaves a name out, and of a name given twice the
    ///   later value counts.
    public init(dictionaryLiteral elements: (String, (any Encodable & Sendable)?)...) {
        var names = NamedValues<any Encodable & Sendable>()
        for (name, value) in elements { names[name] = value.flatMap { Self.isNil($0) ? nil : $0 } }
        content = .names(names)
    }

    /// Whether there is nothing to write, so that a request gets neither a query nor a body nor a
    /// `Content-Type`.
    ///
    /// True for `[:]`, and where all values are nil. A value that encodes to nothing is something:
    /// `Parameters(JSONObject())` is `{}` in JSON.
    public var isEmpty: Bool {
        if case .names(let names) = content { names.pairs.isEmpty } else { false }
    }

    /// The value of a name; nil where there is none.
    ///
    /// Setting nil removes the name. Parameters of a dictionary or a JSON object have its names; a
    /// nil in a dictionary is a null. Parameters of one value of your own type have no names here:
    /// reading gives nil, and after setting one, they cannot be written, which is an error of the
    /// request (``NetworkingError/Code/requestSerializationFailed``).
    ///
    /// - Parameter name: The name.
    public subscript(name: String) -> (any Encodable & Sendable)? {
        get {
            switch content {
            case .names(let names): names[name]
            case .json(let value): value[name]
            case .value, .mixed: nil
            }
        }
        set {
            let newValue = newValue.flatMap { Self.isNil($0) ? nil : $0 }
            var names: NamedValues<any Encodable & Sendable>
            switch content {
            case .names(let own): names = own
            case .json(.object(let object)): names = NamedValues(uniquePairs: object.map { ($0.key, $0.value) })
            case .json(.null): names = NamedValues()
            case .json(let value):
                if newValue != nil { content = .mixed(value, name: name) }
                return
            case .value(let value):
                if newValue != nil { content = .mixed(value, name: name) }
                return
            case .mixed: return
            }
            // The only reference to the names, so that they are not copied.
            content = .names(NamedValues())
            names[name] = newValue
            content = .names(names)
        }
    }

    /// Writes the names and values, or the one value.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The errors of the values and of the encoder.
    public func encode(to encoder: any Encoder) throws {
        switch content {
        case .names(let names):
            var container = encoder.container(keyedBy: CodingPathKey.self)
            for (name, value) in names.pairs { try container.encode(value, forKey: CodingPathKey(stringValue: name)) }
        case .json(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .value(let value):
            // Not `value.encode(to:)`: encoders have rules of their own for dates and other types.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .mixed(let value, let name): throw Self.mixture(value, name)
        }
    }

    private static func isNil(_ value: any Encodable) -> Bool {
        let type = type(of: value)
        // Comparing types is much cheaper than asking for a conformance.
        guard type != String.self, type != Int.self, type != Bool.self, type != [String].self else { return false }
        return (value as? any OptionalParameter)?.isNil ?? false
    }

    private static func mixture(_ value: any Encodable, _ name: String) -> EncodingError {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: [CodingPathKey(stringValue: name)],
                debugDescription: "The name was added to parameters that are one value of \(type(of: value))."
            )
        )
    }
}

/// An optional as the value of a parameter, which is behind `any Encodable` where a generic
/// function was given it.
private protocol OptionalParameter {
    var isNil: Bool { get }
}

extension Optional: OptionalParameter {
    fileprivate var isNil: Bool {
        switch self {
        case .none: true
        case .some(let value): (value as? any OptionalParameter)?.isNil ?? false
        }
    }
}

extension Parameters {
    /// The parameters as JSON where that is at hand: most literals have only values of the simplest
    /// types, whose text by the rules of JSON values is the same. Nil for others.
    var plainJSON: JSONValue? {
        switch content {
        case .json(let value): return value
        case .names(let names):
            var pairs: [JSONObject.Element] = []
            pairs.reserveCapacity(names.pairs.count)
            for (name, value) in names.pairs {
                guard let value = Self.plainJSON(value) else { return nil }
                pairs.append((name, value))
            }
            return .object(JSONObject(uniquePairs: pairs))
        case .value, .mixed: return nil
        }
    }

    private static func plainJSON(_ value: any Encodable) -> JSONValue? {
        let type = type(of: value)
        // Comparing types is much cheaper than casting every value to each of these types.
        if type == String.self, let value = value as? String { return .string(value) }
        if type == Int.self, let value = value as? Int { return JSONValue(value) }
        if type == Bool.self, let value = value as? Bool { return .bool(value) }
        if type == Double.self, let value = value as? Double, value.isFinite { return .number(JSONNumber(value)) }
        if type == JSONValue.self, let value = value as? JSONValue { return value }
        if type == [String].self, let value = value as? [String] { return .array(value.map { .string($0) }) }
        return nil
    }

    /// The parameters as JSON: names in their order, and sets that have a name sorted.
    ///
    /// - Parameter makeEncoder: Makes the encoder of values that are not JSON yet.
    /// - Returns: The JSON.
    /// - Throws: The errors of the values and of the encoder.
    func json(_ makeEncoder: () -> JSONEncoder) throws -> JSONValue {
        switch content {
        case .json(let value): return value
        case .value(let value): return try Self.json(value, makeEncoder)
        case .names(let names):
            return .object(
                JSONObject(uniquePairs: try names.pairs.map { ($0.key, try Self.json($0.value, makeEncoder)) })
            )
        case .mixed(let value, let name): throw Self.mixture(value, name)
        }
    }

    private static func json(_ value: any Encodable, _ makeEncoder: () -> JSONEncoder) throws -> JSONValue {
        if let value = plainJSON(value) { return value }
        return switch value {
        case let value as Parameters: try value.json(makeEncoder)
        case let set as any FormUnorderedCollection: .array(try sorted(set.encodableElements, makeEncoder))
        default: try JSONValue(encoding: value, with: makeEncoder())
        }
    }

    private static func sorted(_ elements: [any Encodable], _ makeEncoder: () -> JSONEncoder) throws -> [JSONValue] {
        let texts = try elements.map { element in
            let value = try json(element, makeEncoder)
            return (text: value.string ?? value.number.map(QueryString.text(of:)) ?? value.description, value: value)
        }
        return texts.sorted { QueryString.precedes($0.text, $1.text) }.map(\.value)
    }
}
