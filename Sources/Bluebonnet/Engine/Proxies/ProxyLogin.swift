/// What is known of the authentication to one proxy (RFC 9110 §11.7), as a value: the scheme that
/// it wants, and the nonce of Digest.
struct ProxyLogin: Sendable {
    /// The value of `Proxy-Authorization` of a request, and what must be known to judge its
    /// response.
    struct Authorization: Sendable, Equatable {
        var value: [UInt8]
        var scheme: AuthenticationScheme
        /// That of Digest.
        var nonce: String?
    }

    private enum Scheme: Sendable {
        /// The proxy has not said what it wants.
        case unknown
        /// Basic or Bearer, which need nothing of the proxy.
        case plain(AuthenticationScheme)
        case digest(DigestSession)
    }

    private let credential: Credential
    private var scheme = Scheme.unknown

    init(_ credential: Credential) {
        self.credential = credential
        guard credential.isPreemptive else { return }
        let plain = [AuthenticationScheme.basic, .bearer].first(where: credential.fits)
        if let plain { scheme = .plain(plain) }
    }

    /// The field for the next request; nil as long as nobody has asked for it.
    ///
    /// - Parameters:
    ///   - method: The method, which a digest is over.
    ///   - target: The request target as it is sent, which a digest is over.
    /// - Returns: The field.
    /// - Throws: ``NetworkingError/Code/invalidRequest`` for a credential that cannot be sent.
    mutating func authorization(_ method: String, _ target: String) throws(NetworkingError) -> Authorization? {
        switch scheme {
        case .unknown: return nil
        case .plain(let name):
            return Authorization(value: Array(try credential.field().utf8), scheme: name)
        case .digest(var session):
            guard session.isUsable, case .password(let user, let password) = credential.kind else { return nil }
            let message = DigestSession.Message(method: method, target: target)
            let made = session.authorization(user: user, password: password, message)
            scheme = .digest(session)
            return Authorization(value: made.value, scheme: .digest, nonce: session.nonce)
        }
    }

    /// Looks at the challenges of a 407 (RFC 9110 §15.5.8).
    ///
    /// - Parameters:
    ///   - challenges: The challenges of `Proxy-Authenticate`.
    ///   - sent: What the refused request was sent with; nil for nothing.
    ///   - wasKnown: Whether the nonce of a digest was known before the request of the same caller
    ///     was challenged: then the proxy may have forgotten it.
    /// - Returns: Whether the request is to be sent again, with what is known now.
    mutating func answer(_ challenges: [HTTPChallenge], to sent: Authorization?, wasKnown: Bool) -> Bool {
        guard let best = strongest(of: challenges) else { return false }
        switch best {
        case .unknown: return false
        case .plain(let name):
            // Refused, or the proxy wants another one of this scheme.
            if sent?.scheme == name { return false }
            scheme = best
            return true
        case .digest(let new):
            if let sent, sent.scheme == .digest {
                // RFC 7616 §3.3: only the nonce was too old. A proxy that was started anew does not
                // always say so.
                guard new.challenge.isStale || wasKnown, new.nonce != sent.nonce else { return false }
            }
            // Another request may have had the same challenge: its count goes on.
            if case .digest(let known) = scheme, known.nonce == new.nonce { return true }
            scheme = best
            return true
        }
    }

    /// Takes the next nonce of Digest from a response that accepted a request (RFC 7615 §4).
    mutating func accepted(_ sent: Authorization, info: String) {
        guard let nonce = sent.nonce, let next = AuthenticationInfo(info)?.nextNonce,
            case .digest(var session) = scheme
        else { return }
        session.take(nextNonce: next, after: nonce)
        scheme = .digest(session)
    }

    /// The strongest scheme for which there is a credential: Digest by its hash, Bearer, Basic.
    private func strongest(of challenges: [HTTPChallenge]) -> Scheme? {
        var best: (strength: Int, scheme: Scheme)?
        for challenge in challenges where credential.fits(challenge.scheme) {
            let found: (strength: Int, scheme: Scheme)
            switch challenge.scheme {
            case .digest:
                // RFC 7616 §3.4.3: the body is not hashed for a proxy.
                guard let digest = DigestChallenge(challenge, from: nil), digest.bodyAlgorithm == nil else { continue }
                found = (2 + digest.algorithm.hash.rawValue, .digest(DigestSession(digest)))
            case .basic, .bearer:
                found = (challenge.scheme == .bearer ? 1 : 0, .plain(challenge.scheme))
            default: continue
            }
            // Those of the same strength in the order of the proxy.
            if let best, best.strength >= found.strength { continue }
            best = found
        }
        return best?.scheme
    }
}
