public import FoundationEssentials

/// Decodes `Decodable` types from property lists, XML or binary.
///
/// `Date` and `Data` are read as such, whole numbers into every type they fit in, and numbers
/// without a fraction into whole ones. Broken property lists are errors; Foundation's decoder ends
/// the process at some that are nested deeply or contain themselves. Coding paths of more than 20
/// keys may have the key `…` in place of their first ones, in a list where very many are asked for:
/// together they have no more than 65,536 keys and two for each byte.
///
/// Counterpart of Foundation's `PropertyListDecoder`, which is a `DataDecoder` in Alamofire.
/// AFNetworking decodes no types.
public struct PropertyListBodyDecoder: ResponseDecoder {
    /// The values that decoded types find in their decoder. Default: none.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The greatest depth of dictionaries and arrays. Default: 512; at most 2048.
    public var maximumDepth = PropertyListValue.defaultMaximumDepth

    /// Makes the default decoder.
    public init() {}

    /// Decodes a value from a property list.
    ///
    /// - Parameters:
    ///   - type: The type of the value; ``PropertyListValue`` for any shape.
    ///   - body: The property list.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, with a ``PropertyListParsingError`` below for bytes that are not
    ///   a property list.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        let value: PropertyListValue
        do {
            value = try PropertyListValue(parsing: body, maximumDepth: maximumDepth)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: error.description, underlyingError: error)
            )
        }
        let shared = PropertyListValueDecoder.Shared(userInfo: userInfo, size: body.count)
        return try PropertyListValueDecoder(value, shared).decode(type)
    }
}

extension PropertyListDecoder: ResponseDecoder {
    /// The body, after checking that Foundation's parser does not end the process at it.
    ///
    /// - Parameters:
    ///   - body: The bytes as they were received.
    ///   - head: Status and header fields.
    /// - Returns: The same bytes.
    /// - Throws: ``PropertyListParsingError``.
    public func prepared(_ body: Data, head: ResponseHead) throws -> Data {
        _ = try PropertyListValue(parsing: body)
        return body
    }
}
