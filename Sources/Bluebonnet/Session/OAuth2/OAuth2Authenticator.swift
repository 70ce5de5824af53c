public import FoundationEssentials
import HTTPTypes

/// Puts the access token of OAuth 2.0 into the requests for one API (RFC 6750), and gets a new one
/// when it has ended.
///
/// <!-- snippet:
/// let accounts = URL(string: "https://accounts.example.com/token")!
/// let client = OAuth2Client(tokenEndpoint: accounts, clientID: "reports")
/// let saved = OAuth2Credential(accessToken: "…") -->
/// ```swift
/// let url = URL(string: "https://api.example.com/v1/")!
/// let authenticator = OAuth2Authenticator(client, for: url)
/// let tokens = AuthenticationInterceptor(authenticator, token: saved)
/// configuration.interceptors = [tokens]
/// ```
///
/// Counterpart of `AFOAuthCredential` in the hands of an `AFHTTPSessionManager`.
public struct OAuth2Authenticator: Authenticator {
    /// Gets new tokens for old ones.
    public typealias Renewal = @Sendable (OAuth2Client, OAuth2Credential) async throws -> OAuth2Credential

    private let client: OAuth2Client
    private let origin: Origin?
    /// The segments of its path, the last one empty where a slash ends it.
    private let path: [[UInt8]]
    private let margin: Duration
    private let renew: Renewal

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - client: The program at the authorization server.
    ///   - api: The URL of the API: requests to its origin whose path is its path, or below it, get
    ///     the token, and no others. `/v1` covers `/v1/users`, not `/v10`. Where the API redirects
    ///     a request to another path of its origin, the token goes along.
    ///   - margin: A token is refreshed before a request where it ends within this time. If that
    ///     fails, it is sent as long as it has not ended. Default: 10 seconds.
    ///   - renewal: Gets new tokens, and may store them. Default: by the refresh token.
    public init(
        _ client: OAuth2Client,
        for api: URL,
        margin: Duration = .seconds(10),
        renewal: @escaping Renewal = { client, credential in try await client.refresh(credential) }
    ) {
        self.client = client
        let target = try? RequestTarget(api)
        origin = target?.origin
        path = target.map { Self.plainPath($0.path) } ?? []
        self.margin = margin
        renew = renewal
    }

    /// Whether the request is for the API.
    ///
    /// - Parameter request: The request.
    /// - Returns: Whether it gets the token.
    public func applies(to request: Request) -> Bool {
        guard let origin, let target = try? request.target else { return false }
        guard target.origin == origin else { return false }
        // The empty segment behind the last slash stands for all that may be there.
        let prefix = path.last?.isEmpty == true ? path.dropLast() : path[...]
        let asked = Self.plainPath(target.path)
        return asked.starts(with: prefix) && asked.count >= path.count
    }

    /// The segments of a path without its query and without dot segments (RFC 3986 §5.2.4), which
    /// servers also see in `%2e`.
    private static func plainPath(_ target: String) -> [[UInt8]] {
        let slash = UInt8(ascii: "/")
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }.dropFirst()
        let segments = path.split(separator: slash, omittingEmptySubsequences: false)
        var plain: [[UInt8]] = []
        for (position, segment) in segments.enumerated() {
            let decoded = ASCII.percentDecoded(segment)
            let isUp = decoded.elementsEqual("..".utf8)
            guard isUp || decoded.elementsEqual(".".utf8) else {
                plain.append(Array(segment))
                continue
            }
            if isUp, !plain.isEmpty { plain.removeLast() }
            if position == segments.count - 1 { plain.append([]) }
        }
        return plain
    }

    /// Sets `Authorization` to the access token (RFC 6750 §2.1).
    ///
    /// - Parameters:
    ///   - token: The tokens.
    ///   - request: The request.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for an access token that cannot be in a
    ///   field, ``NetworkingError/Code/authenticationFailed`` for one of another type than
    ///   `Bearer` (RFC 6749 §7.1).
    public func apply(_ token: OAuth2Credential, to request: inout Request) throws(NetworkingError) {
        guard AuthenticationScheme(token.tokenType) == .bearer else {
            throw NetworkingError(
                .authenticationFailed,
                "The token is of the type “\(token.tokenType.shortened)”, and only Bearer is known (RFC 6749 §7.1)."
            )
        }
        request.headerFields[.authorization] = try Credential(token: token.accessToken).field()
    }

    /// Whether the access token ends within the margin.
    ///
    /// - Parameter token: The tokens.
    /// - Returns: Whether it does.
    public func needsRefresh(_ token: OAuth2Credential) -> Bool { token.isExpired(within: margin) }

    /// Whether the access token has ended: within the margin it is good still.
    ///
    /// - Parameter token: The tokens.
    /// - Returns: Whether it has.
    public func hasEnded(_ token: OAuth2Credential) -> Bool { token.isExpired() }

    /// Gets new tokens from the authorization server.
    ///
    /// - Parameter token: The tokens so far.
    /// - Returns: The new ones.
    /// - Throws: What the renewal throws.
    public func refresh(_ token: OAuth2Credential) async throws -> OAuth2Credential {
        try await renew(client, token)
    }
}

extension OAuth2Authenticator: CustomStringConvertible, CustomReflectable {
    /// The client, without its secret.
    public var description: String { "an authenticator by \(client)" }

    /// Nothing, so that `dump` does not show the secret of the client.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
