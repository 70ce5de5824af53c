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

    /// AFNetworking's rules, which are those of ``QueryString``, for values of every type: keys
    /// sorted, `a[b]=1`, `a[]=1&a[]=2`, sets as `a=1&a=2`, booleans as `1` and `0`, whole numbers
    /// without fraction.
    ///
    /// A property that is nil is left out; a null (``JSONValue/null``, or a nil in an array) is a
    /// bare name without `=`. `Date` is an RFC 3339 timestamp in UTC with whole seconds
    /// (`2026-01-31T12:34:56Z`), and `Data` is Base64: AFNetworking wrote the `description` of
    /// both. For another format of dates, data or nil, choose ``form(_:)``, whose encoder has
    /// strategies.
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
    /// - Parameter encode: Makes the escaped text of the parameters, which it gets as JSON with
    ///   dates as RFC 3339 timestamps; it gets the request so far. An error fails the request with
    ///   ``NetworkingError/Code/requestSerializationFailed`` before anything is sent.
    /// - Returns: The encoding.
    public static func custom(
        _ encode: @escaping @Sendable (_ request: Request, _ parameters: JSONValue) throws -> String
    ) -> ParameterEncoding {
        ParameterEncoding(kind: .custom(encode))
    }

    /// The text of parameters.
    func encode(_ parameters: Parameters, for request: Request) throws(NetworkingError) -> String {
        switch kind {
        case .standard:
            if let json = parameters.plainJSON { return try QueryString().encode(json) }
            return try URLEncodedFormEncoder.afNetworking.encode(parameters)
        case .form(let encoder):
            if let json = parameters.plainJSON { return try encoder.encode(json) }
            return try encoder.encode(parameters)
        case .custom(let encode):
            do {
                return try encode(request, parameters.json(Self.makeEncoder))
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

    private static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}
