import FoundationEssentials

/// The rules by which parameters become the text of a query or a form body.
///
/// Counterpart of `setQueryStringSerializationWithStyle:` and
/// `setQueryStringSerializationWithBlock:`.
public struct ParameterEncoding: Sendable {
    private enum Kind: Sendable {
        case standard
        case form(URLEncodedFormEncoder)
        case custom(@Sendable (Request, JSONValue) throws -> String)
    }

    private let kind: Kind

    /// AFNetworking's rules: ``QueryString``.
    public static let standard = ParameterEncoding(kind: .standard)

    /// The rules of a form encoder.
    ///
    /// - Parameter encoder: The encoder with its options.
    /// - Returns: The encoding.
    public static func form(_ encoder: URLEncodedFormEncoder) -> ParameterEncoding {
        ParameterEncoding(kind: .form(encoder))
    }

    /// Rules of your own, for queries and for form bodies. Not called where there are no
    /// parameters.
    ///
    /// - Parameter encode: Makes the escaped text of the parameters; it gets the request so far. An
    ///   error fails the request with ``NetworkingError/Code/requestSerializationFailed``
    ///   before anything is sent.
    /// - Returns: The encoding.
    public static func custom(
        _ encode: @escaping @Sendable (_ request: Request, _ parameters: JSONValue) throws -> String
    ) -> ParameterEncoding {
        ParameterEncoding(kind: .custom(encode))
    }

    /// The text of parameters.
    func encode(_ parameters: JSONValue, for request: Request) throws(NetworkingError) -> String {
        switch kind {
        case .standard: return try QueryString().encode(parameters)
        case .form(let encoder): return try encoder.encode(parameters)
        case .custom(let encode):
            do {
                return try encode(request, parameters)
            } catch let error as NetworkingError {
                throw error
            } catch {
                throw NetworkingError(
                    .requestSerializationFailed,
                    "The parameters could not be serialized: \(error)",
                    request: request,
                    underlying: error
                )
            }
        }
    }

    /// The text of a value.
    func encode(_ value: some Encodable & Sendable, for request: Request) throws(NetworkingError) -> String {
        if case .form(let encoder) = kind { return try encoder.encode(value) }
        let parameters: JSONValue
        do {
            parameters = try JSONValue(encoding: value, with: JSONEncoder())
        } catch {
            throw NetworkingError(
                .requestSerializationFailed,
                "The value of type \(type(of: value)) cannot be encoded: \(error)",
                request: request,
                underlying: error
            )
        }
        return try encode(parameters, for: request)
    }
}
