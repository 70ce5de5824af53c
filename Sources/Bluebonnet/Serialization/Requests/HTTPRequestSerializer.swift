import FoundationEssentials
public import HTTPTypes
import NIOCore

/// Writes parameters into the query of the URL or into a form body, as the method asks. The
/// default.
///
/// GET, HEAD and DELETE get a query, placed before a `#fragment`; other methods get a body of type
/// `application/x-www-form-urlencoded`. Without parameters there is neither a body nor a
/// `Content-Type`. The rules of the text are those of ``QueryString``.
///
/// A value: copies share nothing and keep everything. Counterpart of `AFHTTPRequestSerializer`.
public struct HTTPRequestSerializer: RequestSerializer {
    /// The header fields of a new serializer: `Accept-Language` and `User-Agent`, made once per
    /// process.
    ///
    /// `Accept-Language` names up to six of the user's languages (`LANGUAGE`, else `LC_ALL`,
    /// `LC_MESSAGES` or `LANG`), for example `de-AT;q=1, en;q=0.9`; `en;q=1` if there is none.
    /// `User-Agent` is `userAgent()`'s.
    public static let defaultHeaderFields: HTTPFields = [
        .acceptLanguage: AcceptLanguage(environment: ProcessInfo.processInfo.environment).value,
        .userAgent: userAgent(),
    ]

    /// The default header fields; names do not mind case. A request's own field of the same name
    /// wins.
    public var headerFields: HTTPFields

    /// The methods whose parameters go into the query. Default: GET, HEAD and DELETE.
    public var methodsEncodingParametersInURI: Set<HTTPRequest.Method>

    /// What is set on every request that has no value of its own. Default: nothing.
    public var properties = RequestProperties()

    /// How parameters become text. Default: ``ParameterEncoding/standard``, AFNetworking's rules.
    public var parameterEncoding = ParameterEncoding.standard

    /// Where parameters go. Default: ``ParameterDestination/methodDependent``.
    public var parameterDestination = ParameterDestination.methodDependent

    /// The charset of form bodies: names and values are escaped as its bytes, and the
    /// `Content-Type` names it. Default: UTF-8, which is not named.
    ///
    /// Queries are UTF-8 always (RFC 3986 §2.5). Counterpart of `stringEncoding`.
    public var stringEncoding = Charset.utf8

    /// Makes a serializer with the default header fields.
    public init() {
        headerFields = Self.defaultHeaderFields
        methodsEncodingParametersInURI = Self.defaultMethodsEncodingParametersInURI
    }

    private static let defaultMethodsEncodingParametersInURI: Set<HTTPRequest.Method> = [.get, .head, .delete]

    /// The value of `User-Agent` for a program:
    /// `Program/Version (Linux 6.1.0; x86_64) Bluebonnet/0.1.0`.
    ///
    /// - Parameters:
    ///   - product: The name of the program. Default: the name it was started by. What may not
    ///     stand in a token (RFC 9110 §5.6.2) is left out, spaces become hyphens.
    ///   - version: Its version. Default: `unknown`, since programs on Linux do not carry one.
    /// - Returns: The value, ASCII only.
    public static func userAgent(product: String? = nil, version: String? = nil) -> String {
        UserAgent(product: product, version: version).value
    }

    /// Adds the default header fields, and the parameters as query or form body.
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - parameters: The parameters, or nil for none.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for parameters that are an
    ///   array or a single value, and for what a custom ``parameterEncoding`` throws.
    public func serialize(_ request: consuming Request, parameters: JSONValue?) throws(NetworkingError) -> Request {
        var request = request
        applyDefaults(to: &request)
        guard let parameters else { return request }
        return try add(to: request) { request throws(NetworkingError) in
            try parameterEncoding.encode(parameters, for: request)
        }
    }

    /// Adds the default header fields, and the value as query or form body.
    ///
    /// By the standard rules, and for a custom ``parameterEncoding``, the value is encoded to JSON
    /// first (`JSONEncoder`).
    ///
    /// - Parameters:
    ///   - request: Method, URL and the fields that are already decided.
    ///   - value: The value to encode.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for a value that cannot be
    ///   encoded or has no keys.
    public func serialize(
        _ request: Request,
        encoding value: some Encodable & Sendable
    ) throws(NetworkingError) -> Request {
        var request = request
        applyDefaults(to: &request)
        return try add(to: request) { request throws(NetworkingError) in
            try parameterEncoding.encode(value, for: request)
        }
    }

    /// Puts the text of the parameters where the method and ``parameterDestination`` want it.
    private func add(
        to request: Request,
        _ encode: (Request) throws(NetworkingError) -> String
    ) throws(NetworkingError) -> Request {
        let query: String
        do {
            query = try encode(request)
        } catch {
            throw error.completed(request: request)
        }
        var request = request
        if encodesParametersInURI(request.method) {
            try request.appendQuery(query)
        } else {
            do {
                let text = try FormText.transcoded(query, to: stringEncoding)
                let parameter = stringEncoding == .utf8 ? "" : "; charset=\(stringEncoding.name)"
                request.setBody(
                    ByteBuffer(string: text),
                    contentType: "application/x-www-form-urlencoded\(parameter)"
                )
            } catch {
                throw error.completed(request: request)
            }
        }
        return request
    }

    /// Whether parameters go into the query; methods are compared in upper case, as AFNetworking
    /// does.
    func encodesParametersInURI(_ method: HTTPRequest.Method) -> Bool {
        switch parameterDestination {
        case .queryString: return true
        case .httpBody: return false
        case .methodDependent: break
        }
        return methodsEncodingParametersInURI.contains(method)
            || HTTPRequest.Method(method.rawValue.uppercased()).map(methodsEncodingParametersInURI.contains) ?? false
    }
}

/// Where ``HTTPRequestSerializer`` puts parameters.
public enum ParameterDestination: Sendable, Hashable {
    /// Into the query for the methods of ``HTTPRequestSerializer/methodsEncodingParametersInURI``,
    /// else into the body.
    case methodDependent
    /// Into the query, whatever the method.
    case queryString
    /// Into the body, whatever the method.
    case httpBody
}
