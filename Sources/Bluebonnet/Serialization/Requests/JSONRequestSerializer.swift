public import FoundationEssentials
import NIOCore

/// Writes parameters as a JSON body, or for some methods into the query of the URL.
///
/// GET, HEAD and DELETE get a query, as from ``HTTPRequestSerializer``; other methods get a body of
/// type `application/json` (RFC 8259 §11). Without parameters there is neither a body nor a
/// `Content-Type`.
///
/// Counterpart of `AFJSONRequestSerializer`. Beyond it, a single string, number or word is
/// accepted: RFC 8259 §2 allows it.
public struct JSONRequestSerializer: RequestSerializer {
    /// The header fields and properties of every request, and the rules of queries.
    public var settings = RequestSerializerSettings()

    /// The format of the JSON. Default: compact.
    public var writingOptions: JSONWritingOptions

    /// Makes the encoder for `Encodable` values of a body, a new one for each: set its strategies
    /// here. Default: `JSONEncoder()`.
    ///
    /// Its `outputFormatting` is replaced by ``writingOptions``. The names of ``Parameters`` are
    /// written as they are. Queries follow ``RequestSerializer/parameterEncoding`` instead.
    public var makeEncoder: @Sendable () -> JSONEncoder

    /// Makes a serializer with the default settings.
    ///
    /// - Parameters:
    ///   - writingOptions: The format of the JSON. Default: compact.
    ///   - makeEncoder: Makes the encoder for `Encodable` values. Default: `JSONEncoder()`.
    public init(
        writingOptions: JSONWritingOptions = [],
        makeEncoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }
    ) {
        self.writingOptions = writingOptions
        self.makeEncoder = makeEncoder
    }

    /// Adds the default header fields, and the parameters as JSON or query.
    ///
    /// The names of ``Parameters`` are written in their order.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters; nothing is added for empty ones.
    ///   - destination: The place of the parameters.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for parameters that JSON
    ///   cannot express (infinity, NaN) or that cannot be encoded, with the reason below it.
    public func serialize(
        _ request: consuming Request,
        parameters: Parameters,
        to destination: ParameterDestination
    ) throws(NetworkingError) -> Request {
        try settings.serialize(request, parameters, to: destination) { request throws(NetworkingError) in
            do {
                request.setBody(try body(of: parameters), contentType: "application/json")
            } catch {
                throw NetworkingError(
                    .requestSerializationFailed,
                    "The `parameters` argument is not valid JSON.",
                    underlying: error
                )
            }
        }
    }

    private func body(of parameters: Parameters) throws -> ByteBuffer {
        if case .value(let value) = parameters.content, !(value is any FormUnorderedCollection) {
            let encoder = makeEncoder()
            encoder.outputFormatting = outputFormatting
            return ByteBuffer(bytes: try encoder.encode(value))
        }
        return ByteBuffer(bytes: try parameters.json(makeEncoder).bytes(options: writingOptions))
    }

    /// The writing options as those of Foundation's encoder.
    private var outputFormatting: JSONEncoder.OutputFormatting {
        var formatting: JSONEncoder.OutputFormatting = []
        if writingOptions.contains(.prettyPrinted) { formatting.insert(.prettyPrinted) }
        if writingOptions.contains(.sortedKeys) { formatting.insert(.sortedKeys) }
        if !writingOptions.contains(.escapingSlashes) { formatting.insert(.withoutEscapingSlashes) }
        return formatting
    }
}
