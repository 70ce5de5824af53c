public import FoundationEssentials

/// A JSON number, exact as it was written.
///
/// Integers of 64 bits and doubles are stored as such. A number that would lose digits (a longer
/// integer, a fraction that is not the text of its nearest double, an exponent out of a double's
/// range) is stored as its text, so that a parsed document can be written again with the same
/// values.
///
/// Two numbers are equal when they have the same decimal value: `1`, `1.0` and `10e-1` are equal.
///
/// Counterpart of the `NSNumber` objects in what `AFJSONResponseSerializer` returns.
public struct JSONNumber: Sendable {
    enum Storage: Sendable {
        case int(Int64)
        /// An integer above `Int64.max`.
        case uint(UInt64)
        case double(Double)
        /// A valid JSON number that the other cases cannot store without loss.
        case text(Text)
    }

    /// A box, so that a number takes nine bytes and a `JSONValue` sixteen.
    final class Text: Sendable {
        let string: String

        init(_ string: String) {
            self.string = string
        }
    }

    let storage: Storage

    init(storage: Storage) {
        self.storage = storage
    }

    /// Creates a number from an integer of any size.
    public init(_ value: some BinaryInteger) {
        if let int = Int64(exactly: value) {
            storage = .int(int)
        } else if let uint = UInt64(exactly: value) {
            storage = .uint(uint)
        } else {
            storage = .text(Text("\(value)"))
        }
    }

    /// Creates a number from a double.
    ///
    /// JSON has no word for infinity and NaN: writing such a number is an error.
    public init(_ value: Double) {
        storage = .double(value)
    }

    /// Creates a number from a float, as the shortest decimal that reads back as that float.
    public init(_ value: Float) {
        storage = .double(Double(value.description) ?? Double(value))
    }

    /// Creates a number from a decimal, without loss.
    public init(_ value: Decimal) {
        self = JSONNumber(text: value.description) ?? JSONNumber(Double.nan)
    }

    /// Creates a number from its JSON text (RFC 8259 §6), or nil when the text is not valid.
    public init?(text: String) {
        guard let tape = try? JSONTape(parsing: text.utf8, maximumDepth: 1), tape.kind(at: 0) == .number,
            tape.numberLength(at: 0) == text.utf8.count
        else { return nil }
        self = tape.number(at: 0)
    }

    /// The value as an `Int`, or nil when it has a fraction or does not fit.
    public var int: Int? { int64.flatMap(Int.init(exactly:)) }

    /// The value as an `Int64`, or nil when it has a fraction or does not fit.
    public var int64: Int64? {
        switch storage {
        case .int(let value): value
        case .uint: nil
        case .double(let value): Self.isInteger(value) ? Int64(value) : Self.digits(beyondIntegers: value)?.int64
        case .text(let text): JSONDecimalDigits(text.string).int64
        }
    }

    /// The value as a `UInt64`, or nil when it has a fraction, is negative or does not fit.
    public var uint64: UInt64? {
        switch storage {
        case .int(let value): UInt64(exactly: value)
        case .uint(let value): value
        case .double(let value) where Self.isInteger(value): UInt64(exactly: value)
        case .double(let value): Self.digits(beyondIntegers: value)?.uint64
        case .text(let text): JSONDecimalDigits(text.string).uint64
        }
    }

    /// Whether a double is an integer up to 2^53, all of which are doubles.
    private static func isInteger(_ value: Double) -> Bool {
        value.magnitude <= 0x1p53 && value.rounded() == value
    }

    /// The digits of a double above 2^53, where its decimal and not its binary value is meant:
    /// 1.23456789012345e18 is 1234567890123450000.
    private static func digits(beyondIntegers value: Double) -> JSONDecimalDigits? {
        value.magnitude > 0x1p53 && value.isFinite ? JSONDecimalDigits(value.description) : nil
    }

    /// The double nearest to the value, or nil when the value is beyond the range of finite
    /// doubles.
    public var double: Double? {
        let value = nearestDouble
        return value.isFinite ? value : nil
    }

    /// The value as a `Decimal`, rounded only beyond 38 digits, or nil when it is beyond a
    /// decimal's range.
    public var decimal: Decimal? {
        switch storage {
        case .int(let value): Decimal(value)
        case .uint(let value): Decimal(value)
        case .double(let value): Decimal(string: value.description)
        case .text(let text): Decimal(string: text.string)
        }
    }

    /// The nearest double, infinite for a value beyond the range.
    var nearestDouble: Double {
        switch storage {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        case .text(let text): Double(text.string) ?? .infinity
        }
    }
}

extension JSONNumber: Hashable {
    /// Whether both numbers have the same decimal value.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        switch (left.storage, right.storage) {
        case (.int(let a), .int(let b)): a == b
        case (.uint(let a), .uint(let b)): a == b
        case (.int, .uint), (.uint, .int): false
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.int(let a), .double(let b)), (.double(let b), .int(let a)):
            // Below 2^53 every integer is a double, so that their digits agree exactly when they
            // are equal.
            a.magnitude <= 1 << 53
                ? Double(a) == b
                : b.isFinite && JSONDecimalDigits(a.description) == JSONDecimalDigits(b.description)
        default: left.isSameDecimal(as: right)
        }
    }

    /// Feeds the decimal value to the hasher, however it is stored.
    ///
    /// The nearest double alone is not enough: a document can have any number of numbers with the
    /// same one.
    public func hash(into hasher: inout Hasher) {
        if let int64 { return hasher.combine(int64) }
        if let uint64 { return hasher.combine(uint64) }
        let double = nearestDouble
        if case .text(let text) = storage {
            let digits = JSONDecimalDigits(text.string)
            if !double.isFinite || JSONDecimalDigits(double.description) != digits { return hasher.combine(digits) }
        }
        hasher.combine(double.isNaN ? 0 : double)
    }

    private func isSameDecimal(as other: JSONNumber) -> Bool {
        guard isFinite, other.isFinite else { return false }
        return JSONDecimalDigits(description) == JSONDecimalDigits(other.description)
    }

    /// False only for infinity and NaN, which JSON cannot write.
    var isFinite: Bool {
        if case .double(let value) = storage { value.isFinite } else { true }
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as JSON text: integers as they are, doubles in the shortest form that reads back
    /// the same.
    public var description: String {
        switch storage {
        case .int(let value): value.description
        case .uint(let value): value.description
        case .double(let value): value.description
        case .text(let text): text.string
        }
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number from an integer literal.
    public init(integerLiteral value: Int64) {
        storage = .int(value)
    }

    /// Creates a number from a floating-point literal.
    public init(floatLiteral value: Double) {
        storage = .double(value)
    }
}
