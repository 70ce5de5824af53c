public import FoundationEssentials
public import HTTPTypes
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
    /// The serializer of queries, which has the common settings.
    private var http = HTTPRequestSerializer()

    /// The format of the JSON. Default: compact.
    public var writingOptions: JSONWritingOptions

    /// Makes the encoder for `Encodable` values, a new one for each: set its strategies here.
    /// Default: `JSONEncoder()`.
    ///
    /// Its `outputFormatting` is replaced by ``writingOptions``.
    public var makeEncoder: @Sendable () -> JSONEncoder

    /// Makes a serializer with the default header fields of ``HTTPRequestSerializer``.
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

    /// The default header fields; the case of names does not matter. A request's own field of the
    /// same name wins.
    public var headerFields: HTTPFields {
        get { http.headerFields }
        set { http.headerFields = newValue }
    }

    /// The properties that are set on every request without a value for them. Default: none.
    public var properties: RequestProperties {
        get { http.properties }
        set { http.properties = newValue }
    }

    /// The rules by which parameters become the text of a query. Default:
    /// ``ParameterEncoding/standard``, AFNetworking's rules.
    public var parameterEncoding: ParameterEncoding {
        get { http.parameterEncoding }
        set { http.parameterEncoding = newValue }
    }

    /// The methods whose parameters go into the query. Default: GET, HEAD and DELETE.
    public var methodsEncodingParametersInURI: Set<HTTPRequest.Method> {
        get { http.methodsEncodingParametersInURI }
        set { http.methodsEncodingParametersInURI = newValue }
    }

    /// Adds the default header fields, and the parameters as JSON or query.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters, or nil for none.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for parameters that JSON
    ///   cannot express (infinity, NaN), with the reason below it.
    public func serialize(_ request: consuming Request, parameters: JSONValue?) throws(NetworkingError) -> Request {
        guard let parameters, !http.encodesParametersInURI(request.method) else {
            return try http.serialize(request, parameters: parameters)
        }
        var request = request
        applyDefaults(to: &request)
        do {
            let bytes = try parameters.bytes(options: writingOptions)
            request.setBody(ByteBuffer(bytes: bytes), contentType: Self.contentType)
        } catch {
            throw Self.invalid(request, error)
        }
        return request
    }

    /// Adds the default header fields, and the value as JSON or query.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - value: The value to encode.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for a value that cannot be
    ///   encoded, with the encoder's error below it.
    public func serialize(
        _ request: Request,
        encoding value: some Encodable & Sendable
    ) throws(NetworkingError) -> Request {
        do {
            if let parameters = value as? JSONValue { return try serialize(request, parameters: parameters) }
            let encoder = makeEncoder()
            guard !http.encodesParametersInURI(request.method) else {
                return try http.serialize(request, parameters: JSONValue(encoding: value, with: encoder))
            }
            encoder.outputFormatting = outputFormatting
            let data = try encoder.encode(value)
            var request = request
            applyDefaults(to: &request)
            request.setBody(ByteBuffer(bytes: data), contentType: Self.contentType)
            return request
        } catch let error as NetworkingError {
            throw error
        } catch {
            throw Self.invalid(request, error)
        }
    }

    private static let contentType = "application/json"

    private static func invalid(_ request: Request, _ error: any Error) -> NetworkingError {
        NetworkingError(
            .requestSerializationFailed,
            "The `parameters` argument is not valid JSON.",
            request: request,
            underlying: error
        )
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
