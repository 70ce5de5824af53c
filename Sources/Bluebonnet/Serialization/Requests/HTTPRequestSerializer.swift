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

    /// The header fields and properties of every request, and the rules of parameters.
    public var settings = RequestSerializerSettings()

    /// Makes a serializer with the default settings.
    public init() {}

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
    ///   - parameters: The parameters; nothing is added for empty ones.
    ///   - destination: The place of the parameters.
    /// - Returns: The request to send.
    /// - Throws: ``NetworkingError/Code/requestSerializationFailed`` for parameters that are an
    ///   array or a single value or cannot be encoded, for the errors of a custom
    ///   ``ParameterEncoding``, and for a form with characters that its charset does not have.
    public func serialize(
        _ request: consuming Request,
        parameters: Parameters,
        to destination: ParameterDestination
    ) throws(NetworkingError) -> Request {
        try settings.serialize(request, parameters, to: destination) { request throws(NetworkingError) in
            let charset = settings.stringEncoding
            let text = try settings.parameterEncoding.encode(parameters, for: request)
            let parameter = charset == .utf8 ? "" : "; charset=\(charset.name)"
            request.setBody(
                ByteBuffer(string: try FormText.transcoded(text, to: charset)),
                contentType: "application/x-www-form-urlencoded\(parameter)"
            )
        }
    }
}
