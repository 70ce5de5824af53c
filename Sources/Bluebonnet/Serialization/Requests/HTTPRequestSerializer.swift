import FoundationEssentials
public import HTTPTypes
import NIOCore

/// Writes parameters into the query of the URL or into a form body, which depends on the method. It
/// is the default.
///
/// GET, HEAD and DELETE get a query, placed before a `#fragment`; other methods get a body of type
/// `application/x-www-form-urlencoded`. Without parameters there is neither a body nor a
/// `Content-Type`. The rules of the text are those of ``QueryString``.
///
/// It is a value: a copy has all settings and can be changed by itself. Counterpart of
/// `AFHTTPRequestSerializer`.
public struct HTTPRequestSerializer: RequestSerializer {
    /// The header fields of a new serializer: `Accept-Language` and `User-Agent`, made once per
    /// process.
    ///
    /// `Accept-Language` names up to six of the user's languages (`LANGUAGE`, else `LC_ALL`,
    /// `LC_MESSAGES` or `LANG`), for example `de-AT;q=1, en;q=0.9`; `en;q=1` if there is none.
    /// `User-Agent` is the value of `userAgent()`.
    public static let defaultHeaderFields: HTTPFields = [
        .acceptLanguage: AcceptLanguage(environment: ProcessInfo.processInfo.environment).value,
        .userAgent: userAgent(),
    ]

    /// The default header fields; the case of names does not matter. A request's own field of the
    /// same name wins.
    public var headerFields: HTTPFields

    /// The methods whose parameters go into the query. Default: GET, HEAD and DELETE.
    public var methodsEncodingParametersInURI: Set<HTTPRequest.Method>

    /// The properties that are set on every request without a value for them. Default: none.
    public var properties = RequestProperties()

    /// The rules by which parameters become text. Default: ``ParameterEncoding/standard``,
    /// AFNetworking's rules.
    public var parameterEncoding = ParameterEncoding.standard

    /// The place of parameters. Default: ``ParameterDestination/methodDependent``.
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
    ///   - product: The name of the program. Default: the name it was started by. Characters that
    ///     are not allowed in a token (RFC 9110 §5.6.2) are left out, spaces become hyphens.
    ///   - version: Its version. Default: `unknown`, since programs on Linux have none.
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
    ///   array or a single value, and for the errors of a custom ``parameterEncoding``.
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
    /// For the standard and for a custom ``parameterEncoding``, the value is encoded to JSON first
    /// (`JSONEncoder`).
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

    /// Puts the text of the parameters into the query or the body, by method and
    /// ``parameterDestination``.
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

/// The place where ``HTTPRequestSerializer`` puts parameters.
public enum ParameterDestination: Sendable, Hashable {
    /// Into the query for the methods of ``HTTPRequestSerializer/methodsEncodingParametersInURI``,
    /// else into the body.
    case methodDependent
    /// Into the query, for all methods.
    case queryString
    /// Into the body, for all methods.
    case httpBody
}
