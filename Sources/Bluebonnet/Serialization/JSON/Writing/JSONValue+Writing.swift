#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension JSONValue {
    /// The value as JSON in UTF-8.
    ///
    /// Doubles are written in the shortest form that reads back as the same double, with a fraction or an exponent
    /// (`1.0`), so that they stay doubles.
    /// - Parameter options: How it is written. Default: compact, keys in their order, slashes not escaped.
    /// - Returns: The bytes, without a byte-order mark.
    /// - Throws: `JSONWritingError` for infinity, NaN and values nested deeper than 2048 levels.
    public func data(options: JSONWritingOptions = []) throws(JSONWritingError) -> Data {
        Data(try bytes(options: options))
    }

    /// The value as JSON text; see ``data(options:)``.
    /// - Parameter options: How it is written. Default: compact, keys in their order, slashes not escaped.
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
