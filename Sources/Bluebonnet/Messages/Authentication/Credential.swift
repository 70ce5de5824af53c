import FoundationEssentials

/// Who somebody is: a user with a password, a token, or a client certificate. Its description does
/// not show them.
///
/// ```swift
/// let me = Credential(user: "ada", password: "secret")
/// let report = try await api.get("report", options: [.credential(me)], as: .json)
/// ```
///
/// A client certificate belongs to a connection and not to a request: it is an answer to
/// ``SessionHooks/sessionDidReceiveChallenge``. Those that are known before are in ``TLSSettings``.
///
/// Counterpart of `NSURLCredential`.
public struct Credential: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// Bytes, since those of a URL need not be UTF-8.
        case password(user: [UInt8], password: [UInt8])
        case token(String)
        case identity(TLSSettings.Identity)
    }

    let kind: Kind

    /// The time for which it is kept once a server has accepted it. Default: session.
    public var persistence: Persistence

    /// The schemes that it may be sent with. Default: nil, all that fit: Digest and Basic for a
    /// password, Bearer for a token.
    ///
    /// With `[.digest]` the password is never sent readably, whatever the server asks for.
    public var schemes: Set<AuthenticationScheme>?

    /// Whether it is sent before a server has asked for it: a password by Basic, a token by Bearer.
    /// Only for the credential of one request. Default: false.
    ///
    /// It is true for user and password of a URL.
    public var isPreemptive = false

    /// Makes a credential of a user with a password.
    ///
    /// - Parameters:
    ///   - user: The name. Basic cannot send one with a colon (RFC 7617 §2).
    ///   - password: The password.
    ///   - persistence: The time for which it is kept. Default: session.
    public init(user: String, password: String, persistence: Persistence = .session) {
        self.init(user: Array(user.utf8), password: Array(password.utf8), persistence: persistence)
    }

    /// Makes a credential of a user with a password, of which one is not UTF-8.
    ///
    /// - Parameters:
    ///   - user: The bytes of the name.
    ///   - password: The bytes of the password.
    ///   - persistence: The time for which it is kept. Default: session.
    public init(user: [UInt8], password: [UInt8], persistence: Persistence = .session) {
        kind = .password(user: user, password: password)
        self.persistence = persistence
    }

    /// Makes a credential of a token, for Bearer.
    ///
    /// - Parameters:
    ///   - token: The token (RFC 6750 §2.1).
    ///   - persistence: The time for which it is kept. Default: session.
    public init(token: String, persistence: Persistence = .session) {
        kind = .token(token)
        self.persistence = persistence
    }

    /// Makes a credential of a client certificate with its key, for
    /// ``SessionHooks/sessionDidReceiveChallenge``. No request sends it, and no store keeps it.
    ///
    /// - Parameter identity: The client certificate.
    public init(identity: TLSSettings.Identity) {
        kind = .identity(identity)
        persistence = .task
    }

    /// The time for which a credential is kept. A struct, so that a new one does not break a
    /// `switch`.
    ///
    /// Counterpart of `NSURLCredentialPersistence`.
    public struct Persistence: Sendable, Hashable, CustomStringConvertible {
        /// The name: `session`.
        public let description: String

        /// It is used for this task alone.
        public static let task = Persistence(description: "task")
        /// The session keeps it in memory, for its protection space.
        public static let session = Persistence(description: "session")
        /// It is kept in ``SessionConfiguration/credentialStore``; without a store, as long as the
        /// session lives.
        public static let permanent = Persistence(description: "permanent")
    }

    /// The name of the user; nil for the others.
    public var user: String? {
        if case .password(let user, _) = kind { String(decoding: user, as: UTF8.self) } else { nil }
    }

    /// The password; nil for the others.
    public var password: String? {
        if case .password(_, let password) = kind { String(decoding: password, as: UTF8.self) } else { nil }
    }

    /// The token; nil for the others.
    public var token: String? {
        if case .token(let token) = kind { token } else { nil }
    }

    /// The client certificate; nil for the others.
    public var identity: TLSSettings.Identity? {
        if case .identity(let identity) = kind { identity } else { nil }
    }

    /// Whether both would prove the same to a server.
    func isSame(as other: Credential) -> Bool { kind == other.kind }

    /// Whether it may be sent with a scheme.
    func fits(_ scheme: AuthenticationScheme) -> Bool {
        if let schemes, !schemes.contains(scheme) { return false }
        return switch kind {
        case .password: scheme == .basic || scheme == .digest
        case .token: scheme == .bearer
        case .identity: false
        }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the persistence, without a secret.
    public var description: String {
        switch kind {
        case .password: "a user with a password (\(persistence))"
        case .token: "a token (\(persistence))"
        case .identity: "a client certificate (\(persistence))"
        }
    }

    /// The ``description``.
    public var debugDescription: String { description }

    /// Nothing, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Credential {
    /// The value of `Authorization` for Basic (RFC 7617 §2) or Bearer (RFC 6750 §2.1).
    ///
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for what the scheme cannot send. The
    ///   message does not show it.
    func field() throws(NetworkingError) -> String {
        switch kind {
        case .password(let user, let password):
            // A server would take what follows a colon for the password.
            guard !user.contains(UInt8(ascii: ":")) else {
                throw NetworkingError(
                    .invalidRequest,
                    "The user name contains a colon, which Basic authorization does not allow."
                )
            }
            guard (user + password).allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw NetworkingError(
                    .invalidRequest,
                    """
                    The user name or the password contains a control character, which Basic authorization does not \
                    allow.
                    """
                )
            }
            return "Basic \(Data(user + [UInt8(ascii: ":")] + password).base64EncodedString())"
        case .token(let token):
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw NetworkingError(
                    .invalidRequest,
                    "A bearer token has only visible ASCII characters and no spaces (RFC 6750 §2.1)."
                )
            }
            return "Bearer \(token)"
        case .identity:
            throw NetworkingError(
                .invalidRequest,
                "A client certificate belongs to the connection, and cannot be sent with a request."
            )
        }
    }
}
