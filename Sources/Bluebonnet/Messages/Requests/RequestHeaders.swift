import FoundationEssentials
public import HTTPTypes

/// The header fields of one call, written as a dictionary: names as plain strings or as standard
/// names, values as strings.
///
/// ```swift
/// try await api.get("users", headers: ["X-Api-Key": key, .accept: "text/csv"])
/// ```
///
/// A value that is nil leaves its field out. A name that is written twice is sent twice. A name or
/// a value that cannot be sent fails the call with ``NetworkingError/Code/invalidRequest``, which
/// names the field; nothing is changed in silence.
///
/// Counterpart of the `headers:` dictionary of `AFHTTPSessionManager`, and of `HTTPHeaders` in
/// Alamofire.
public struct RequestHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private var checked: HTTPFields
    private var unchecked: [(name: Name, value: String)]
    /// The reason why credentials cannot be sent, for the call to fail with.
    private var refusal: NetworkingError?

    /// Makes headers of fields. Default: none.
    ///
    /// - Parameter fields: The fields.
    public init(_ fields: HTTPFields = [:]) {
        checked = fields
        unchecked = []
    }

    /// Makes headers of names and values, in the order of the names.
    ///
    /// - Parameter values: The values by name.
    public init(_ values: [String: String]) {
        checked = [:]
        unchecked = values.sorted { $0.key < $1.key }.map { (Name($0.key), $0.value) }
    }

    /// Makes headers of a literal.
    ///
    /// - Parameter elements: Names and values; nil leaves a field out.
    public init(dictionaryLiteral elements: (Name, String?)...) {
        checked = [:]
        unchecked = elements.compactMap { name, value in value.map { (name, $0) } }
    }

    /// `Authorization` with a user name and a password (RFC 7617): `Basic` and their Base64 in
    /// UTF-8.
    ///
    /// ```swift
    /// let me = RequestHeaders.authorization(username: "ada", password: "secret")
    /// let user: User = try await api.get("me", headers: me)
    /// ```
    ///
    /// A colon in the user name, or a control character, fails the call with
    /// ``NetworkingError/Code/invalidRequest``. For every call of a manager see
    /// ``RequestSerializer/setAuthorization(username:password:)``.
    ///
    /// - Parameters:
    ///   - username: The user name.
    ///   - password: The password.
    /// - Returns: The headers; ``append(_:for:)`` adds others.
    public static func authorization(username: String, password: String) -> RequestHeaders {
        var headers = RequestHeaders()
        do {
            headers.append(try basicCredentials(username: username, password: password), for: .authorization)
        } catch {
            headers.refusal = error
        }
        return headers
    }

    /// `Authorization` with a bearer token (RFC 6750 §2.1).
    ///
    /// A control character in the token fails the call with
    /// ``NetworkingError/Code/invalidRequest``. For every call of a manager see
    /// ``RequestSerializer/setAuthorization(bearerToken:)``.
    ///
    /// - Parameter bearerToken: The token.
    /// - Returns: The headers; ``append(_:for:)`` adds others.
    public static func authorization(bearerToken: String) -> RequestHeaders {
        [.authorization: "Bearer \(bearerToken)"]
    }

    /// The value of `Authorization` for a user name and a password.
    static func basicCredentials(username: String, password: String) throws(NetworkingError) -> String {
        // A server would take what follows a colon for the password (RFC 7617 §2).
        guard !username.utf8.contains(UInt8(ascii: ":")) else {
            throw NetworkingError(
                .invalidRequest,
                "The user name contains a colon, which Basic authorization does not allow."
            )
        }
        guard !"\(username)\(password)".utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw NetworkingError(
                .invalidRequest,
                "The user name or the password contains a control character, which Basic authorization does not allow."
            )
        }
        return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
    }

    /// Adds a field behind the others.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: The name; fields of the same name stay.
    public mutating func append(_ value: String, for name: Name) {
        unchecked.append((name, value))
    }

    /// The fields, when all of them can be sent.
    ///
    /// - Returns: The fields in their order.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a name that is not a token (RFC 9110
    ///   §5.1), and for a value with a control character, or with white space at its beginning or
    ///   end (RFC 9110 §5.5); also for credentials that cannot be sent.
    public func fields() throws(NetworkingError) -> HTTPFields {
        if let refusal { throw refusal }
        guard !unchecked.isEmpty else { return checked }
        var fields = checked
        for (name, value) in unchecked { fields.append(try HTTPField(checkedName: name.text, value: value)) }
        return fields
    }

    /// The name of a header field: a string, or one of the standard names. Its case does not
    /// matter.
    ///
    /// A variable becomes a name with ``init(_:)-(String)``.
    public struct Name: Sendable, ExpressibleByStringInterpolation {
        /// The name as it is sent.
        let text: String

        /// Makes a name of a text, which is checked when the request is made.
        ///
        /// - Parameter text: The name.
        public init(_ text: String) { self.text = text }

        /// Makes a name of a literal.
        ///
        /// - Parameter text: The name.
        public init(stringLiteral text: String) { self.text = text }

        /// Makes a name of one that has been checked.
        ///
        /// - Parameter name: The name.
        public init(_ name: HTTPField.Name) { text = name.rawName }

        /// `Accept`: the media types of the response (RFC 9110 §12.5.1).
        public static let accept = Name(.accept)
        /// `Accept-Encoding`: the content codings of the response (RFC 9110 §12.5.3).
        public static let acceptEncoding = Name(.acceptEncoding)
        /// `Accept-Language`: the languages of the response (RFC 9110 §12.5.4).
        public static let acceptLanguage = Name(.acceptLanguage)
        /// `Authorization`: the credentials for the server (RFC 9110 §11.6.2).
        public static let authorization = Name(.authorization)
        /// `Cache-Control`: what caches may do (RFC 9111 §5.2).
        public static let cacheControl = Name(.cacheControl)
        /// `Content-Disposition`: how the content is used (RFC 6266).
        public static let contentDisposition = Name(.contentDisposition)
        /// `Content-Encoding`: the content coding of the request body (RFC 9110 §8.4).
        public static let contentEncoding = Name(.contentEncoding)
        /// `Content-Language`: the language of the request body (RFC 9110 §8.5).
        public static let contentLanguage = Name(.contentLanguage)
        /// `Content-Type`: the media type of the request body (RFC 9110 §8.3).
        public static let contentType = Name(.contentType)
        /// `Cookie`: the cookies for the server (RFC 6265 §5.4).
        public static let cookie = Name(.cookie)
        /// `If-Match`: only if the server has one of these versions (RFC 9110 §13.1.1).
        public static let ifMatch = Name(.ifMatch)
        /// `If-Modified-Since`: only a version newer than this time (RFC 9110 §13.1.3).
        public static let ifModifiedSince = Name(.ifModifiedSince)
        /// `If-None-Match`: only if the server has none of these versions (RFC 9110 §13.1.2).
        public static let ifNoneMatch = Name(.ifNoneMatch)
        /// `If-Range`: the range only of this version, else the whole (RFC 9110 §13.1.5).
        public static let ifRange = Name(.ifRange)
        /// `If-Unmodified-Since`: only if the version is not newer (RFC 9110 §13.1.4).
        public static let ifUnmodifiedSince = Name(.ifUnmodifiedSince)
        /// `Origin`: the origin that caused the request (RFC 6454 §7).
        public static let origin = Name(.origin)
        /// `Range`: a part of the response body (RFC 9110 §14.2).
        public static let range = Name(.range)
        /// `Referer`: the page that led here (RFC 9110 §10.1.3).
        public static let referer = Name(.referer)
        /// `User-Agent`: the program that sends the request (RFC 9110 §10.1.5).
        public static let userAgent = Name(.userAgent)
    }
}

extension RequestHeaders: CustomStringConvertible, CustomReflectable {
    /// The names, without the values, which may be secrets: `[Accept, Authorization]`.
    public var description: String {
        "[\((checked.map { $0.name.rawName } + unchecked.map(\.name.text)).joined(separator: ", "))]"
    }

    /// Nothing, so that `dump` shows no value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
