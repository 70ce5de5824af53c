/// A demand for credentials, as ``SessionHooks/taskDidReceiveChallenge`` gets it.
///
/// Counterpart of `NSURLAuthenticationChallenge`.
public struct AuthenticationChallenge: Sendable {
    /// What the credentials are for.
    public let protectionSpace: ProtectionSpace

    /// The challenge as the server wrote it.
    public let challenge: HTTPChallenge

    /// The request that was refused, without credentials of its URL.
    public let request: Request

    /// The response with the challenge: a 401.
    public let response: ResponseHead

    /// The number of credentials for this protection space that the server has refused since one
    /// was accepted. A handler that asks a person tells them by it that the password was wrong.
    public let previousFailureCount: Int

    /// The credential that ``ChallengeDisposition/performDefaultHandling`` would send; nil for
    /// none.
    public let proposedCredential: Credential?

    /// Makes a challenge: for testing a handler.
    ///
    /// - Parameters:
    ///   - protectionSpace: What the credentials are for.
    ///   - challenge: The challenge as a server writes it.
    ///   - request: The request that was refused.
    ///   - response: The response with the challenge.
    ///   - previousFailureCount: The number of refused credentials. Default: 0.
    ///   - proposedCredential: The credential of the default handling. Default: none.
    public init(
        protectionSpace: ProtectionSpace,
        challenge: HTTPChallenge,
        request: Request,
        response: ResponseHead,
        previousFailureCount: Int = 0,
        proposedCredential: Credential? = nil
    ) {
        self.protectionSpace = protectionSpace
        self.challenge = challenge
        self.request = request
        self.response = response
        self.previousFailureCount = previousFailureCount
        self.proposedCredential = proposedCredential
    }
}

/// What a handler decides about an ``AuthenticationChallenge``. A struct, so that a new decision
/// does not break a `switch`.
///
/// Counterpart of `NSURLSessionAuthChallengeDisposition`, and of the values that the block of
/// `setAuthenticationChallengeHandler:` returns.
public struct ChallengeDisposition: Sendable {
    enum Kind: Sendable {
        case use(Credential)
        case performDefaultHandling
        case cancel
        case reject
        case fail(any Error)
    }

    let kind: Kind

    /// Sends this credential. One that does not fit the scheme, or that the server has just
    /// refused, rejects the protection space.
    ///
    /// - Parameter credential: The credential.
    /// - Returns: The decision.
    public static func use(_ credential: Credential) -> ChallengeDisposition {
        ChallengeDisposition(kind: .use(credential))
    }

    /// Does what the session would do without a handler: sends
    /// ``AuthenticationChallenge/proposedCredential``, or rejects the protection space if there is
    /// none.
    public static let performDefaultHandling = ChallengeDisposition(kind: .performDefaultHandling)

    /// Fails the task with ``NetworkingError/Code/authenticationCancelled``.
    public static let cancel = ChallengeDisposition(kind: .cancel)

    /// Sends no credentials for this protection space. The next challenge of the response counts;
    /// after the last one, the 401 is the response of the task.
    public static let rejectProtectionSpace = ChallengeDisposition(kind: .reject)

    /// Fails the task with ``NetworkingError/Code/authenticationFailed``, whose
    /// ``NetworkingError/underlying`` is this error; a ``NetworkingError`` is thrown as it is.
    ///
    /// - Parameter error: The error.
    /// - Returns: The decision.
    public static func fail(_ error: any Error) -> ChallengeDisposition {
        ChallengeDisposition(kind: .fail(error))
    }
}
