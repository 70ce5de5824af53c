import FoundationEssentials

/// The path of a value, and the strategies that make it a text.
struct FormScope {
    /// The most values inside of each other, as in Foundation's encoder of JSON: without a limit,
    /// a value that refers to itself would end the process.
    static let maximumDepth = 512

    let strategies: FormStrategies
    let path: FormPath?
    /// The number of values around this one that encode themselves.
    var depth = 0

    var codingPath: [any CodingKey] { FormPath.keys(path) }

    func inner(_ key: any CodingKey) -> FormScope {
        FormScope(strategies: strategies, path: FormPath(path, key), depth: depth)
    }

    func value(of bool: Bool) -> FormValue {
        .text(strategies.bool.text(of: bool))
    }

    func value(ofNumber number: some BinaryFloatingPoint & CustomStringConvertible) throws -> FormValue {
        guard number.isFinite else { throw failure(number, "\(number) is not a number that a form can have.") }
        let text = number.description
        return .text(strategies.omitsZeroFraction && text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    /// The form value of a value of any type.
    func value<T: Encodable>(of value: T) throws -> FormValue {
        // Comparing types is much cheaper than casting every value to each of these types.
        if T.self == String.self, let value = value as? String { return .text(value) }
        if T.self == Int.self, let value = value as? Int { return .text(value.description) }
        if T.self == Bool.self, let value = value as? Bool { return self.value(of: value) }
        if T.self == Double.self, let value = value as? Double { return try self.value(ofNumber: value) }
        if T.self == URL.self, let value = value as? URL { return .text(value.absoluteString) }
        if T.self == Decimal.self, let value = value as? Decimal { return try self.value(of: value) }
        if T.self == UUID.self, let value = value as? UUID { return .text(value.uuidString) }
        if T.self == JSONValue.self, let value = value as? JSONValue { return try self.value(ofJSON: value) }
        if T.self == JSONObject.self, let value = value as? JSONObject { return try self.value(ofJSON: .object(value)) }
        if T.self == JSONNumber.self, let value = value as? JSONNumber { return try self.value(ofJSON: .number(value)) }
        if T.self == Date.self, let value = value as? Date, let text = try text(value, strategies.date.text) {
            return .text(text)
        }
        if T.self == Data.self, let value = value as? Data {
            if strategies.keepsData { return .data(value) }
            if let text = try text(value, strategies.data.text) { return .text(text) }
        }
        guard depth < Self.maximumDepth else {
            throw failure(value, "The value is nested deeper than \(Self.maximumDepth) levels, or refers to itself.")
        }
        let encoder = FormTreeEncoder(FormScope(strategies: strategies, path: path, depth: depth + 1))
        try value.encode(to: encoder)
        let result = encoder.value.resolved
        if case .array(let array) = result, value is any FormUnorderedCollection { array.isSet = true }
        return result
    }

    /// The form value of a JSON value, its numbers as ``QueryString`` writes them.
    func value(ofJSON value: JSONValue, depth: Int = 0) throws -> FormValue {
        // Without a limit, the stack would end before the values do.
        guard depth <= JSONWriter.maximumDepth else {
            throw failure(value, "The value is nested deeper than \(JSONWriter.maximumDepth) levels.")
        }
        switch value {
        case .null: return .null
        case .bool(let bool): return self.value(of: bool)
        case .string(let text): return .text(text)
        case .number(let number):
            guard number.isFinite else { throw failure(value, "\(number) is not a number that a form can have.") }
            return .text(QueryString.text(of: number))
        case .array(let elements):
            let array = FormArray()
            array.elements.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                array.elements.append(try child(element, depth + 1) { CodingPathKey(index: index) })
            }
            return .array(array)
        case .object(let pairs):
            let object = FormObject()
            for (key, value) in pairs {
                object[key] = try child(value, depth + 1) { CodingPathKey(stringValue: key) }
            }
            return .object(object)
        }
    }

    /// The form value of an element. Only objects, arrays and infinite numbers need its path, for
    /// an error.
    private func child(_ value: JSONValue, _ depth: Int, key: () -> any CodingKey) throws -> FormValue {
        switch value {
        case .null, .bool, .string: try self.value(ofJSON: value, depth: depth)
        case .number(let number) where number.isFinite: try self.value(ofJSON: value, depth: depth)
        case .number, .array, .object: try inner(key()).value(ofJSON: value, depth: depth)
        }
    }

    private func value(of decimal: Decimal) throws -> FormValue {
        guard !decimal.isNaN else { throw failure(decimal, "\(decimal) is not a number that a form can have.") }
        return .text(decimal.description)
    }

    /// The text that a strategy makes of a value; its error is put below one with the coding path.
    private func text<T>(_ value: T, _ strategy: (T) throws -> String?) throws -> String? {
        do {
            return try strategy(value)
        } catch let error as EncodingError {
            throw error
        } catch {
            throw failure(value, "\(error)", underlying: error)
        }
    }

    private func failure(_ value: Any, _ message: String, underlying: (any Error)? = nil) -> EncodingError {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(codingPath: codingPath, debugDescription: message, underlyingError: underlying)
        )
    }
}

/// The coding path of a value; it becomes an array only when it is needed.
final class FormPath {
    private let parent: FormPath?
    private let key: any CodingKey

    init(_ parent: FormPath?, _ key: any CodingKey) {
        self.parent = parent
        self.key = key
    }

    static func keys(_ path: FormPath?) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var next = path
        while let path = next {
            keys.append(path.key)
            next = path.parent
        }
        keys.reverse()
        return keys
    }

    /// The path as a person writes it: `orders[2].price`.
    static func description(of keys: [any CodingKey]) -> String {
        CodingPath.text(
            of: keys.map { key in
                if let index = key.intValue, key is CodingPathKey { "[\(index)]" } else { key.stringValue }
            }
        )
    }
}

/// The strategies of one encoding, shared by all its scopes.
final class FormStrategies: Sendable {
    let bool: URLEncodedFormEncoder.BoolEncoding
    let data: URLEncodedFormEncoder.DataEncoding
    let date: URLEncodedFormEncoder.DateEncoding
    let omitsZeroFraction: Bool
    /// Whether a nil property is left out, unlike a null.
    let omitsMissing: Bool
    /// Whether data is kept as bytes, for the parts of a multipart form.
    let keepsData: Bool

    init(_ encoder: URLEncodedFormEncoder, keepsData: Bool = false) {
        bool = encoder.boolEncoding
        data = encoder.dataEncoding
        date = encoder.dateEncoding
        omitsZeroFraction = encoder.omitsZeroFraction
        omitsMissing = encoder.omitsMissing
        self.keepsData = keepsData
    }
}

/// Collections without keys whose order has no meaning.
protocol FormUnorderedCollection {
    var encodableElements: [any Encodable] { get }
}

extension Set: FormUnorderedCollection where Element: Encodable {
    var encodableElements: [any Encodable] { Array(self) }
}
