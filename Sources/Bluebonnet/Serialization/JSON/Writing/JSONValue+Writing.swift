public import FoundationEssentials

extension JSONValue {
    /// The value as JSON in UTF-8.
    ///
    /// Doubles are written in the shortest form that reads back as the same double, with a fraction
    /// or an exponent (`1.0`), so that they stay doubles.
    /// - Parameter options: How it is written. Default: compact, keys in their order, slashes not
    ///   escaped.
    /// - Returns: The bytes, without a byte-order mark.
    /// - Throws: `JSONWritingError` for infinity, NaN and values nested deeper than 2048 levels.
    public func data(options: JSONWritingOptions = []) throws(JSONWritingError) -> Data {
        Data(try bytes(options: options))
    }

    /// The value as JSON text; see ``data(options:)``.
    /// - Parameter options: How it is written. Default: compact, keys in their order, slashes not
    ///   escaped.
    /// - Returns: The text.
    /// - Throws: `JSONWritingError` for infinity, NaN and values nested deeper than 2048 levels.
    public func string(options: JSONWritingOptions = []) throws(JSONWritingError) -> String {
        String(decoding: try bytes(options: options), as: UTF8.self)
    }

    /// The value as JSON in UTF-8; see ``data(options:)``.
    func bytes(options: JSONWritingOptions) throws(JSONWritingError) -> [UInt8] {
        var writer = JSONWriter(options: options)
        try writer.write(self)
        return writer.bytes
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON, with `inf` and `nan` where JSON has no word.
    public var description: String {
        var writer = JSONWriter(options: [], isLenient: true)
        do {
            try writer.write(self)
            return String(decoding: writer.bytes, as: UTF8.self)
        } catch {
            return error.description
        }
    }
}

/// The format in which JSON is written.
///
/// The default is compact, keys in their order, slashes as they are.
///
/// Counterpart of `NSJSONWritingOptions`, the `writingOptions` of `AFJSONRequestSerializer`, and of
/// the `options` of `JSONEncoding` in Alamofire.
public struct JSONWritingOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates options from bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Each element and key on its own line, indented by two spaces for each level.
    public static let prettyPrinted = JSONWritingOptions(rawValue: 1 << 0)
    /// Keys in the order of their Unicode scalars instead of their own order.
    public static let sortedKeys = JSONWritingOptions(rawValue: 1 << 1)
    /// `/` written as `\/`, as Foundation does by default; both mean the same.
    public static let escapingSlashes = JSONWritingOptions(rawValue: 1 << 2)
    /// No option, since slashes are not escaped by default; the name is Foundation's.
    public static let withoutEscapingSlashes: JSONWritingOptions = []
}

/// The reason why a value cannot be written as JSON.
///
/// Counterpart of AFNetworking's error “The `parameters` argument is not valid JSON.”, and of
/// `jsonEncodingFailed` in Alamofire's `AFError`.
public struct JSONWritingError: Error, Sendable, Hashable {
    /// The error as a sentence.
    public let message: String
    /// The path of the value that could not be written, such as `prices[3]`; empty at the top.
    public let path: String
}

extension JSONWritingError: CustomStringConvertible, LocalizedError {
    /// The sentence with the path of the value.
    public var description: String {
        path.isEmpty ? "\(message)." : "\(message) (at \(path))."
    }

    /// The ``description``, for Foundation.
    public var errorDescription: String? { description }
}
