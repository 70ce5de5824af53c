public import FoundationEssentials
import HTTPTypes
import NIOCore

/// A program at an authorization server (RFC 6749): asks it for tokens, by each of its grants.
///
/// <!-- snippet: let secret = "…" -->
/// ```swift
/// let client = OAuth2Client(
///     tokenEndpoint: URL(string: "https://accounts.example.com/token")!,
///     clientID: "reports",
///     clientSecret: secret
/// )
/// let credential = try await client.clientCredentials(scope: "read")
/// ```
///
/// The server must be reached over `https`; `http` only on this machine (RFC 6749 §3.2).
///
/// Counterpart of `AFOAuth2Manager`.
public struct OAuth2Client: Sendable {
    /// The way in which the program proves who it is (RFC 6749 §2.3.1). A struct, so that a new one
    /// does not break a `switch`.
    public struct ClientAuthentication: Sendable, Hashable, CustomStringConvertible {
        /// The name of the way: `header`.
        public let description: String

        /// By Basic: identifier and secret in `Authorization`.
        public static let header = ClientAuthentication(description: "header")
        /// In the body of the request, for servers that know nothing else.
        public static let body = ClientAuthentication(description: "body")
    }

    /// The URL at which tokens are issued.
    public var tokenEndpoint: URL

    /// The identifier of the program.
    public var clientID: String

    /// The secret of the program; nil for one that cannot keep one, such as a command.
    public var clientSecret: String?

    /// The way in which the secret is sent. Default: header.
    public var clientAuthentication = ClientAuthentication.header

    /// The session that sends the requests for tokens.
    public var session: SessionManager

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - tokenEndpoint: The URL at which tokens are issued.
    ///   - clientID: The identifier of the program.
    ///   - clientSecret: The secret of the program. Default: none.
    ///   - session: The session that sends the requests. Default: ``SessionManager/shared``.
    public init(
        tokenEndpoint: URL,
        clientID: String,
        clientSecret: String? = nil,
        session: SessionManager = .shared
    ) {
        self.tokenEndpoint = tokenEndpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.session = session
    }

    // MARK: Grants

    /// Tokens for a user's name and password (RFC 6749 §4.3). For the owner's own programs: others
    /// should not see the password.
    ///
    /// - Parameters:
    ///   - username: The name.
    ///   - password: The password.
    ///   - scope: What the tokens are to be good for. Default: what the server gives.
    /// - Returns: The tokens.
    /// - Throws: ``NetworkingError/Code/authenticationFailed`` with an ``OAuth2Error`` for a
    ///   refusal, ``NetworkingError/Code/invalidRequest`` for a URL that is not secure,
    ///   ``NetworkingError/Code/responseSerializationFailed`` for a response that is not one of
    ///   RFC 6749, and what sending throws.
    public func password(
        username: String,
        password: String,
        scope: String? = nil
    ) async throws(NetworkingError) -> OAuth2Credential {
        try await token([
            ("grant_type", "password"), ("username", username), ("password", password), ("scope", scope),
        ])
    }

    /// Tokens for the program itself (RFC 6749 §4.4).
    ///
    /// - Parameter scope: What the tokens are to be good for. Default: what the server gives.
    /// - Returns: The tokens.
    /// - Throws: As ``password(username:password:scope:)``.
    public func clientCredentials(scope: String? = nil) async throws(NetworkingError) -> OAuth2Credential {
        try await token([("grant_type", "client_credentials"), ("scope", scope)])
    }

    /// Tokens for a code that the user has allowed the program to have (RFC 6749 §4.1.3).
    ///
    /// - Parameters:
    ///   - code: The code; see ``code(in:state:)``.
    ///   - redirectURI: The URL with which the code was asked for; nil where there was none.
    ///   - verifier: The verifier with which the code was asked for (RFC 7636 §4.5). Default: none.
    /// - Returns: The tokens.
    /// - Throws: As ``password(username:password:scope:)``.
    public func authorizationCode(
        _ code: String,
        redirectURI: String?,
        verifier: CodeVerifier? = nil
    ) async throws(NetworkingError) -> OAuth2Credential {
        try await token([
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", verifier?.value), ("client_id", clientSecret == nil ? clientID : nil),
        ])
    }

    /// New tokens for a refresh token (RFC 6749 §6).
    ///
    /// - Parameters:
    ///   - credential: The tokens so far. Its refresh token stays where the server gives no other.
    ///   - scope: What the tokens are to be good for. Default: as before.
    /// - Returns: The tokens.
    /// - Throws: As ``password(username:password:scope:)``, and
    ///   ``NetworkingError/Code/authenticationFailed`` where there is no refresh token.
    public func refresh(
        _ credential: OAuth2Credential,
        scope: String? = nil
    ) async throws(NetworkingError) -> OAuth2Credential {
        guard let refreshToken = credential.refreshToken else {
            throw NetworkingError(
                .authenticationFailed,
                "The token has to be refreshed, and there is no refresh token."
            )
        }
        var new = try await token([
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken), ("scope", scope),
        ])
        new.refreshToken = new.refreshToken ?? refreshToken
        new.scope = new.scope ?? credential.scope
        return new
    }

    // MARK: The user's consent

    /// The URL to open in the user's browser, so that they allow the program what it wants (RFC
    /// 6749 §4.1.1).
    ///
    /// - Parameters:
    ///   - endpoint: The server's URL for that.
    ///   - redirectURI: The URL to which the browser goes with the code, as it is known to the
    ///     server. Default: the only one that the server knows.
    ///   - scope: What the tokens are to be good for. Default: what the server gives.
    ///   - state: A random text that the browser brings back (RFC 6749 §10.12).
    ///   - verifier: The secret that binds the code to this program. Default: none; use one.
    /// - Returns: The URL.
    public func authorizationURL(
        _ endpoint: URL,
        redirectURI: String? = nil,
        scope: String? = nil,
        state: String,
        verifier: CodeVerifier? = nil
    ) -> URL {
        let pairs: [(String, String?)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI), ("scope", scope),
            ("state", state), ("code_challenge", verifier?.challenge),
            ("code_challenge_method", verifier == nil ? nil : "S256"),
        ]
        guard var components = URLComponents(url: endpoint, resolvingAgainstBaseURL: true) else { return endpoint }
        let known = components.percentEncodedQuery.map { "\($0)&" } ?? ""
        components.percentEncodedQuery = known + Self.form(pairs)
        return components.url ?? endpoint
    }

    /// The code in the URL to which the server has sent the browser (RFC 6749 §4.1.2).
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - state: The text with which the code was asked for.
    /// - Returns: The code.
    /// - Throws: ``NetworkingError/Code/authenticationFailed`` with an ``OAuth2Error`` where the
    ///   user or the server refused, and for another state: somebody else may have made the URL.
    public func code(in url: URL, state: String) throws(NetworkingError) -> String {
        var values: [String: String] = [:]
        for pair in (url.query(percentEncoded: true) ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            values[SecretNames.name(encoded: parts[0])] = parts.count > 1 ? SecretNames.name(encoded: parts[1]) : ""
        }
        guard values["state"] == state else {
            throw NetworkingError(
                .authenticationFailed,
                "The code came with another state than it was asked for with (RFC 6749 §10.12)."
            )
        }
        if let error = values["error"] {
            throw Self.refusal(
                OAuth2Error(code: error, details: values["error_description"], page: values["error_uri"])
            )
        }
        guard let code = values["code"] else {
            throw NetworkingError(.authenticationFailed, "The URL has no code in it (RFC 6749 §4.1.2).")
        }
        return code
    }

    // MARK: Requests

    private func token(_ pairs: [(String, String?)]) async throws(NetworkingError) -> OAuth2Credential {
        var pairs = pairs
        var request = Request(method: .post, url: tokenEndpoint)
        try Self.check(tokenEndpoint)
        request.headerFields[.accept] = "application/json"
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        if let clientSecret, clientAuthentication == .header {
            // RFC 6749 §2.3.1: both are encoded as in a form before they are put together.
            request.headerFields[.authorization] = try RequestHeaders.basicCredentials(
                username: Self.encoded(clientID),
                password: Self.encoded(clientSecret)
            )
        } else if !pairs.contains(where: { $0.0 == "client_id" && $0.1 != nil }) {
            pairs += [("client_id", clientID), ("client_secret", clientSecret)]
        }
        request.body = .string(Self.form(pairs))
        request.redirectPolicy = .error
        let asked = Date.now
        let response = try await session.data(for: request)
        return try Self.credential(response, asked: asked, request)
    }

    /// A token endpoint without TLS would show secrets to everybody on the way (RFC 6749 §3.2).
    private static func check(_ url: URL) throws(NetworkingError) {
        let target = try RequestTarget(url)
        guard !target.origin.isSecure, case .host(let host, _) = target.origin.endpoint else { return }
        guard host == "localhost" || isLoopback(host) else {
            throw NetworkingError(
                .invalidRequest,
                "Tokens are asked for over https only, or on this machine: \(url.redactedDescription)."
            )
        }
    }

    /// Whether a host is an address of this machine (RFC 6890 §2.2): a name such as
    /// `127.example.com` can be that of any machine.
    private static func isLoopback(_ host: String) -> Bool {
        switch try? SocketAddress(ipAddress: host, port: 0) {
        case .v4: host.utf8.starts(with: "127.".utf8)
        case .v6: host == "::1"
        default: false
        }
    }

    private static func credential(
        _ response: Response<Data>,
        asked: Date,
        _ request: Request
    ) throws(NetworkingError) -> OAuth2Credential {
        let json = try? JSONValue(parsing: response.value)
        let status = response.head.statusCode
        // Some servers refuse with 200, which RFC 6749 §5.2 does not have.
        if let code = json?["error"]?.string, status != 200 || json?["access_token"]?.string == nil {
            throw refusal(
                OAuth2Error(code: code, details: json?["error_description"]?.string, page: json?["error_uri"]?.string)
            ).completed(request: request, response: response.head)
        }
        guard status == 200 else {
            throw NetworkingError(
                .authenticationFailed,
                "The authorization server refused \(request) with status \(status)."
            ).completed(request: request, response: response.head)
        }
        guard let json, let accessToken = json["access_token"]?.string, let type = json["token_type"]?.string else {
            // The message of a parser could show a part of a token.
            throw NetworkingError(
                .responseSerializationFailed,
                "The response to \(request) is not one with a token (RFC 6749 §5.1)."
            ).completed(request: request, response: response.head)
        }
        // Some servers write the number as a string.
        let seconds = json["expires_in"].flatMap { $0.double ?? $0.string.flatMap { Double($0) } }
        return OAuth2Credential(
            accessToken: accessToken,
            tokenType: type,
            refreshToken: json["refresh_token"]?.string,
            expiresAt: seconds.flatMap { $0.isFinite ? asked.addingTimeInterval(min(max($0, 0), 1e10)) : nil },
            scope: json["scope"]?.string
        )
    }

    private static func refusal(_ error: OAuth2Error) -> NetworkingError {
        NetworkingError(.authenticationFailed, "The authorization server refused: \(error)", underlying: error)
    }

    /// Names and values as in a form (RFC 6749 appendix B); a value that is nil is left out.
    private static func form(_ pairs: [(String, String?)]) -> String {
        pairs.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String { QueryString().escape(text) }
}

extension OAuth2Client: CustomStringConvertible, CustomReflectable {
    /// The identifier and the URL, without the secret: `the client reports of
    /// https://accounts.example.com/token`.
    public var description: String { "the client \(clientID.shortened) of \(tokenEndpoint.redactedDescription)" }

    /// Nothing, so that `dump` does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
