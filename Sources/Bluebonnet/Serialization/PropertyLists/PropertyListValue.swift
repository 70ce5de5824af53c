public import FoundationEssentials

/// A property list of any shape.
///
/// Counterpart of the objects that `AFPropertyListResponseSerializer` returned. Unlike JSON it has
/// dates, data and two kinds of numbers, and no null.
public enum PropertyListValue: Sendable, Hashable {
    /// A dictionary.
    case dictionary([String: PropertyListValue])
    /// An array.
    case array([PropertyListValue])
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A whole number beyond the range of ``integer(_:)``; smaller ones are never this case.
    case unsignedInteger(UInt64)
    /// A number with a fraction.
    case real(Double)
    /// A truth value.
    case boolean(Bool)
    /// A moment.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// A reference between the objects of a keyed archive.
    case uid(UInt64)

    /// The value of a key, nil where this is not a dictionary or has no such key.
    public subscript(key: String) -> PropertyListValue? {
        guard case .dictionary(let values) = self else { return nil }
        return values[key]
    }

    /// The element at an index, nil where this is not an array or has no such index.
    public subscript(index: Int) -> PropertyListValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The dictionary, nil for anything else.
    public var dictionary: [String: PropertyListValue]? {
        guard case .dictionary(let value) = self else { return nil }
        return value
    }

    /// The array, nil for anything else.
    public var array: [PropertyListValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The text, nil for anything else.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The whole number, nil for anything else and for one that does not fit.
    public var integer: Int? {
        guard case .integer(let value) = self else { return nil }
        return Int(exactly: value)
    }

    /// The number of either kind, nil for anything else.
    public var double: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsignedInteger(let value): Double(value)
        default: nil
        }
    }

    /// The truth value, nil for anything else.
    public var boolean: Bool? {
        guard case .boolean(let value) = self else { return nil }
        return value
    }

    /// The moment, nil for anything else.
    public var date: Date? {
        guard case .date(let value) = self else { return nil }
        return value
    }

    /// The bytes, nil for anything else.
    public var data: Data? {
        guard case .data(let value) = self else { return nil }
        return value
    }
}
