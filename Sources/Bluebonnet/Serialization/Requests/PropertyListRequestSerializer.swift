#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import HTTPTypes
import NIOCore

/// Writes parameters as a property list, or into the query of the URL for the methods that ask for it.
///
/// GET, HEAD and DELETE get a query, as from ``HTTPRequestSerializer``; other methods get a body of type
/// `application/x-plist`. Without parameters there is neither a body nor a `Content-Type`. A property list has no null: it is
/// an error that says where it stands.
///
/// Answers to `AFPropertyListRequestSerializer`.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// What is in common with the serializer of queries.
    private var http = HTTPRequestSerializer()

    /// How the property list is written. Default: XML.
    public var format: PropertyListDecoder.PropertyListFormat

    /// Makes a serializer with the default header fields of ``HTTPRequestSerializer``.
    ///
    /// - Parameter format: XML or binary. Default: XML.
    public init(format: PropertyListDecoder.PropertyListFormat = .xml) {
        self.format = format
    }

    /// The default header fields; names do not mind case. A request's own field of the same name wins.
    public var headerFields: HTTPFields {
        get { http.headerFields }
        set { http.headerFields = newValue }
    }

    /// What is set on every request that has no value of its own. Default: nothing.
    public var properties: RequestProperties {
        get { http.properties }
        set { http.properties = newValue }
    }

    /// How parameters of a query become text. Default: ``ParameterEncoding/standard``, AFNetworking's rules.
    public var parameterEncoding: ParameterEncoding {
        get { http.parameterEncoding }
        set { http.parameterEncoding = newValue }
    }

    /// The methods whose parameters go into the query. Default: GET, HEAD and DELETE.
    public var methodsEncodingParametersInURI: Set<HTTPRequest.Method> {
        get { http.methodsEncodingParametersInURI }
        set { http.methodsEncodingParametersInURI = newValue }
    }

    /// Adds the default header fields, and the parameters as property list or query.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters, or nil for none.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for parameters that hold null or a number beyond 64 bits
    ///   and doubles, or are a single value: a property list holds an array or a dictionary at its top.
    public func serialize(_ request: consuming Request, parameters: JSONValue?) throws(NetworkingError) -> Request {
        guard let parameters, !http.encodesParametersInURI(request.method) else {
            return try http.serialize(request, parameters: parameters)
        }
        switch parameters {
        case .object, .array: break
        case .null, .bool, .number, .string:
            throw Self.invalid(request, "it holds an array or a dictionary at its top, not a single value")
        }
        if let path = Self.pathOfNull(in: parameters) {
            throw Self.invalid(request, "it has no null, as there is at \(path)")
        }
        return try write(parameters, to: request)
    }

    /// Adds the default header fields, and the value as property list or query.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - value: The value to encode.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for a value that cannot be encoded, with the
    ///   encoder's error below it.
    public func serialize(
        _ request: Request,
        encoding value: some Encodable & Sendable
    ) throws(NetworkingError) -> Request {
        if let parameters = value as? JSONValue { return try serialize(request, parameters: parameters) }
        guard !http.encodesParametersInURI(request.method) else { return try http.serialize(request, encoding: value) }
        // The encoder writes the text “$null” for a null that a type encodes; JSON shows where one is.
        if let json = try? JSONValue(encoding: value, with: JSONEncoder()), let path = Self.pathOfNull(in: json) {
            throw Self.invalid(request, "it has no null, as there is at \(path)")
        }
        return try write(value, to: request)
    }

    private func write(_ value: some Encodable, to request: Request) throws(NetworkingError) -> Request {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data: Data
        do {
            data = try encoder.encode(value)
        } catch {
            throw Self.invalid(request, "\(error)", error)
        }
        var request = request
        applyDefaults(to: &request)
        request.setBody(ByteBuffer(bytes: data), contentType: "application/x-plist")
        return request
    }

    /// Where the first null stands, as a path for people.
    private static func pathOfNull(in value: JSONValue, at path: String = "the top") -> String? {
        switch value {
        case .null: return path
        case .bool, .number, .string: return nil
        case .array(let array):
            for (index, element) in array.enumerated() {
                if let found = pathOfNull(in: element, at: path == "the top" ? "[\(index)]" : "\(path)[\(index)]") {
                    return found
                }
            }
        case .object(let object):
            for (key, element) in object {
                if let found = pathOfNull(in: element, at: path == "the top" ? key : "\(path).\(key)") { return found }
            }
        }
        return nil
    }

    private static func invalid(
        _ request: Request,
        _ reason: String,
        _ underlying: (any Error)? = nil
    ) -> NetworkingError {
        NetworkingError(
            .requestSerializationFailed,
            "The parameters cannot be written as a property list: \(reason).",
            request: request,
            underlying: underlying
        )
    }
}
