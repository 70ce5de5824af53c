public import FoundationEssentials

/// A place where processes share a token, of which one refreshes it for all: for a
/// ``SharedTokenAuthenticator``.
///
/// `RedisTokenStore` of the product `BluebonnetStores` is one, for processes on several machines.
/// What it keeps is a secret: whoever reads it can act for the user.
///
/// No counterpart in AFNetworking or Alamofire, where each process refreshes for itself.
public protocol TokenSharing: Sendable {
    /// The token that all processes have now. One of those that need another one gets it, and the
    /// others wait for it.
    ///
    /// Where the place itself fails, the process refreshes for itself: no request fails for that.
    /// The refresh is called once at most: what it uses up cannot be used again.
    ///
    /// - Parameters:
    ///   - isUsable: Whether a shared token is what the caller needs.
    ///   - refresh: Gets a new token, from the shared one if there is one.
    /// - Returns: The token.
    /// - Throws: What the refresh throws, and `CancellationError`.
    func token(
        isUsable: @escaping @Sendable (_ shared: Data) -> Bool,
        refresh: @escaping @Sendable (_ shared: Data?) async throws -> Data
    ) async throws -> Data

    /// Shares a token in place of the one that is there: after the user has signed in.
    ///
    /// - Parameter token: The token; nil to remove it, when the user signs out.
    /// - Throws: ``NetworkingError/Code/storeFailed``.
    func share(_ token: Data?) async throws
}

/// An authenticator whose token is refreshed once for several processes.
///
/// ```swift
/// func interceptor(
///     for authenticator: OAuth2Authenticator,
///     _ credential: OAuth2Credential,
///     sharing place: any TokenSharing
/// ) -> any Interceptor {
///     let shared = SharedTokenAuthenticator(authenticator, sharing: place)
///     return AuthenticationInterceptor(shared, token: credential)
/// }
/// ```
///
/// Call ``share(_:)`` when the user has signed in, so that no process goes on with what was shared
/// before.
///
/// No counterpart in AFNetworking or Alamofire.
public struct SharedTokenAuthenticator<Base: Authenticator>: Authenticator
where Base.Token: Codable & Equatable {
    /// What requests carry: that of the wrapped authenticator.
    public typealias Token = Base.Token

    private let base: Base
    private let place: any TokenSharing

    /// Wraps an authenticator.
    ///
    /// - Parameters:
    ///   - base: The one that puts tokens into requests, and gets new ones.
    ///   - place: Where the token is shared.
    public init(_ base: Base, sharing place: any TokenSharing) {
        self.base = base
        self.place = place
    }

    /// Whether a request gets the token.
    ///
    /// - Parameter request: The request.
    /// - Returns: What the wrapped authenticator says.
    public func applies(to request: Request) -> Bool { base.applies(to: request) }

    /// Puts the token into a request.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - request: The request to change.
    /// - Throws: What the wrapped authenticator throws.
    public func apply(_ token: Token, to request: inout Request) throws { try base.apply(token, to: &request) }

    /// Whether the token is too old to be sent.
    ///
    /// - Parameter token: The token.
    /// - Returns: What the wrapped authenticator says.
    public func needsRefresh(_ token: Token) -> Bool { base.needsRefresh(token) }

    /// Whether the token has ended.
    ///
    /// - Parameter token: The token.
    /// - Returns: What the wrapped authenticator says.
    public func hasEnded(_ token: Token) -> Bool { base.hasEnded(token) }

    /// Whether a response says that the token is not valid.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request as it was sent.
    /// - Returns: What the wrapped authenticator says.
    public func isRefusal(_ response: ResponseHead, to request: Request) -> Bool {
        base.isRefusal(response, to: request)
    }

    /// Gets the token that another process has got, or a new one that is then shared.
    ///
    /// - Parameter token: The token that is too old.
    /// - Returns: The new one.
    /// - Throws: What the wrapped authenticator throws.
    public func refresh(_ token: Token) async throws -> Token {
        let base = base
        let bytes = try await place.token { shared in
            guard let shared = Self.decoded(shared) else { return false }
            return shared != token && !base.needsRefresh(shared)
        } refresh: { shared in
            // The newest token has the newest means of a refresh (RFC 6749 §6).
            let newest = shared.flatMap(Self.decoded) ?? token
            return try JSONEncoder().encode(try await base.refresh(newest))
        }
        guard let token = Self.decoded(bytes) else {
            throw NetworkingError(.authenticationFailed, "The shared token cannot be read.")
        }
        return token
    }

    /// Shares a token in place of the one that is there: after the user has signed in.
    ///
    /// - Parameter token: The token; nil to remove it, when the user signs out.
    /// - Throws: ``NetworkingError/Code/storeFailed``, and what an encoder throws.
    public func share(_ token: Token?) async throws {
        try await place.share(try token.map { try JSONEncoder().encode($0) })
    }

    private static func decoded(_ bytes: Data) -> Token? {
        try? JSONDecoder().decode(Token.self, from: bytes)
    }
}
