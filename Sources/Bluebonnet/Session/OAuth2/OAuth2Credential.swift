public import FoundationEssentials

/// The tokens that an authorization server has issued (RFC 6749 §5.1). Its description does not
/// show them.
///
/// It is `Codable`, to be kept: whoever reads it can act for the user.
///
/// Counterpart of `AFOAuthCredential` of AFOAuth2Manager.
public struct OAuth2Credential: Sendable, Hashable, Codable {
    /// The token for requests.
    public var accessToken: String

    /// The type of the access token: as a rule `Bearer`, in whatever case.
    public var tokenType: String

    /// The token with which new ones are had; nil for none.
    public var refreshToken: String?

    /// The time at which the access token ends; nil where the server does not say.
    public var expiresAt: Date?

    /// What the access token is good for (RFC 6749 §3.3); nil for what was asked for.
    public var scope: String?

    /// Makes a credential.
    ///
    /// - Parameters:
    ///   - accessToken: The token for requests.
    ///   - tokenType: The type of the access token. Default: Bearer.
    ///   - refreshToken: The token with which new ones are had. Default: none.
    ///   - expiresAt: The time at which the access token ends. Default: not known.
    ///   - scope: What the access token is good for. Default: not known.
    public init(
        accessToken: String,
        tokenType: String = "Bearer",
        refreshToken: String? = nil,
        expiresAt: Date? = nil,
        scope: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.scope = scope
    }

    /// Whether the access token has ended, or will within a time.
    ///
    /// - Parameter time: The time from now on. Default: zero.
    /// - Returns: Whether it has ended; false where its end is not known.
    public func isExpired(within time: Duration = .zero) -> Bool {
        guard let expiresAt else { return false }
        let (seconds, attoseconds) = time.components
        return expiresAt <= Date.now.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
    }
}

extension OAuth2Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type, the end and the scope, without the tokens.
    public var description: String {
        let end = expiresAt.map { " until \($0.formatted(.iso8601))" } ?? ""
        return "a token of type \(tokenType.shortened)\(end)\(refreshToken == nil ? "" : ", with a refresh token")"
    }

    /// The ``description``.
    public var debugDescription: String { description }

    /// Nothing, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The refusal of an authorization server (RFC 6749 §5.2), as ``NetworkingError/underlying`` of
/// ``NetworkingError/Code/authenticationFailed``.
///
/// Counterpart of the errors in the domain `AFOAuth2ErrorDomain` of AFOAuth2Manager.
public struct OAuth2Error: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code, such as `invalid_grant`.
    public let code: String

    /// The server's text for a developer; nil for none.
    public let details: String?

    /// A page about the error; nil for none.
    public let page: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The code, such as `invalid_grant`.
    ///   - details: The server's text. Default: none.
    ///   - page: A page about the error. Default: none.
    public init(code: String, details: String? = nil, page: String? = nil) {
        self.code = code
        self.details = details
        self.page = page
    }

    /// The code, and the text of the server.
    public var description: String { details.map { "\(code.shortened): \($0.shortened)" } ?? String(code.shortened) }
}
