/// Knows how requests carry a token, and how to get a new one: for an
/// ``AuthenticationInterceptor``.
///
/// <!-- snippet: let accounts = HTTPSessionManager(baseURL: "https://accounts.example.com/") -->
/// ```swift
/// struct Accounts: Authenticator {
///     let accounts: HTTPSessionManager
///
///     func apply(_ token: String, to request: inout Request) {
///         request.headerFields[.authorization] = "Bearer \(token)"
///     }
///
///     func refresh(_ token: String) async throws -> String {
///         try await accounts.post("refresh", parameters: ["token": token], as: .string)
///     }
/// }
/// ```
///
/// ``OAuth2Authenticator`` is one for OAuth 2.0.
///
/// Counterpart of Alamofire's `Authenticator`.
public protocol Authenticator<Token>: Sendable {
    /// What requests carry: a string, or a value with all that a refresh needs.
    associatedtype Token: Sendable

    /// Whether a request gets the token. Default: true, every request that passes through the
    /// interceptor.
    ///
    /// - Parameter request: The request.
    /// - Returns: Whether it gets it. Others are sent as they are.
    func applies(to request: Request) -> Bool

    /// Puts the token into a request, as a rule into `Authorization`.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - request: The request to change.
    /// - Throws: Any error; the request then fails with
    ///   ``NetworkingError/Code/authenticationFailed``, unless it is a ``NetworkingError``.
    func apply(_ token: Token, to request: inout Request) throws

    /// Whether the token is too old to be sent, so that it is refreshed before the request.
    /// Default: false.
    ///
    /// - Parameter token: The token.
    /// - Returns: Whether it needs a refresh.
    func needsRefresh(_ token: Token) -> Bool

    /// Whether the token has ended, so that a server would refuse it. It is asked where
    /// ``needsRefresh(_:)`` is true and the refresh has failed: a token that has not ended is sent
    /// all the same, and for one that has the request fails. Default: true.
    ///
    /// - Parameter token: The token.
    /// - Returns: Whether it has ended.
    func hasEnded(_ token: Token) -> Bool

    /// Whether a response says that the token of its request is not valid. Default: its status is
    /// 401.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request as it was sent.
    /// - Returns: Whether the token was refused.
    func isRefusal(_ response: ResponseHead, to request: Request) -> Bool

    /// Gets a new token. It is called once at a time; all requests that need it wait.
    ///
    /// Requests that it sends through the interceptor itself are sent without a token.
    ///
    /// - Parameter token: The token that is too old.
    /// - Returns: The new one.
    /// - Throws: Any error; the requests that wait then fail with
    ///   ``NetworkingError/Code/authenticationFailed``, unless it is a ``NetworkingError``.
    func refresh(_ token: Token) async throws -> Token
}

extension Authenticator {
    /// True: every request.
    ///
    /// - Parameter request: The request.
    /// - Returns: True.
    public func applies(to request: Request) -> Bool { true }

    /// False: a token is sent until a server refuses it.
    ///
    /// - Parameter token: The token.
    /// - Returns: False.
    public func needsRefresh(_ token: Token) -> Bool { false }

    /// True: a token that needs a refresh is not sent without one.
    ///
    /// - Parameter token: The token.
    /// - Returns: True.
    public func hasEnded(_ token: Token) -> Bool { true }

    /// Whether the status is 401.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request as it was sent.
    /// - Returns: Whether the token was refused.
    public func isRefusal(_ response: ResponseHead, to request: Request) -> Bool { response.statusCode == 401 }
}

/// How often an ``AuthenticationInterceptor`` may refresh its token.
///
/// Counterpart of Alamofire's `AuthenticationInterceptor.RefreshWindow`.
public struct RefreshLimit: Sendable, Hashable {
    /// The most refreshes within the ``interval``. Default: 5.
    public var count: Int

    /// The time in which they count. Default: 30 seconds.
    public var interval: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: The most refreshes; less than one counts as one. Default: 5.
    ///   - interval: The time in which they count. Default: 30 seconds.
    public init(count: Int = 5, interval: Duration = .seconds(30)) {
        self.count = max(count, 1)
        self.interval = interval
    }
}
