public import FoundationEssentials

/// Decodes `Decodable` types from JSON, several times faster than Foundation's `JSONDecoder` and
/// with its results.
///
/// The strategies are Foundation's types and mean the same. The differences:
/// - a text that is not JSON fails as `DecodingError.dataCorrupted` whose underlying error is a
///   ``JSONParsingError`` with line and column;
/// - the error of a number that does not fit has its coding path, which `JSONDecoder` leaves empty;
/// - coding paths of more than 20 keys may end early, with the key `…`, in a document where very
///   many are asked for: together they have no more than 65,536 keys and eight for each byte;
/// - a number with a fraction is never an integer, however close: `JSONDecoder` reads
///   `1.0000000000000001` as 1;
/// - ``JSONValue`` keeps its keys as they are written, whatever the key strategy.
///
/// Where an object repeats a key, the first value wins, as with `JSONDecoder`.
///
/// Counterpart of Foundation's `JSONDecoder`, which is a `DataDecoder` in Alamofire. AFNetworking
/// decodes no types.
public struct JSONBodyDecoder: Sendable {
    /// The way in which dates are read.
    ///
    /// Default: as `Date` decodes itself, seconds since the start of 2001.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy = .deferredToDate
    /// The way in which data is read.
    ///
    /// Default: from Base64 text.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy = .base64
    /// The way in which infinity and NaN are read.
    ///
    /// Default: not at all.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy = .throw
    /// The conversion of keys to those of a type.
    ///
    /// Default: as they are.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    /// The values that decoded types find in their decoder.
    ///
    /// Default: nothing.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The depth to which arrays and objects may be nested.
    ///
    /// Default: 512; at most 2048.
    public var maximumDepth = JSONValue.defaultMaximumDepth

    /// Creates a decoder with the default strategies.
    public init() {}

    /// Decodes a value from JSON.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The text: `Data`, `[UInt8]`, a string's `utf8`, a raw buffer. UTF-8, UTF-16 or
    ///     UTF-32.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, or the errors of the type itself.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: some Collection<UInt8>) throws -> T {
        let tape: JSONTape
        do {
            tape = try JSONTape(parsing: bytes, maximumDepth: maximumDepth)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: error.description, underlyingError: error)
            )
        }
        return try JSONDecodingContext(tape: tape, options: self).decode(type, at: 0)
    }

    /// Whether keys are compared as they are written.
    var hasPlainKeys: Bool {
        if case .useDefaultKeys = keyDecodingStrategy { true } else { false }
    }

    /// Decodes a value from a parsed JSON value.
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - value: The JSON value.
    /// - Returns: The decoded value.
    /// - Throws: `DecodingError`, or the errors of the type itself; `JSONWritingError` if the value
    ///   is not writable.
    public func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
        try decode(type, from: value.bytes(options: []))
    }
}
