import FoundationEssentials
import HTTPTypes
import Synchronization

/// Where a credential for a challenge comes from.
extension SessionAuthentication {
    /// A challenge that can be answered.
    private struct Candidate {
        let space: ProtectionSpace
        let challenge: HTTPChallenge
        let digest: DigestChallenge?

        /// Nil for a scheme, or an algorithm of Digest, that is not known.
        init?(_ challenge: HTTPChallenge, _ target: RequestTarget, _ url: URL) {
            switch challenge.scheme {
            case .digest:
                guard let digest = DigestChallenge(challenge, from: url) else { return nil }
                self.digest = digest
            case .basic, .bearer: digest = nil
            default: return nil
            }
            self.challenge = challenge
            space = ProtectionSpace(target.origin, challenge)
        }

        /// The greater the stronger (RFC 7616 §3.7 has the server order them; the strongest that is
        /// known is safer).
        var strength: Int { digest.map { 2 + $0.algorithm.hash.rawValue } ?? (space.scheme == .bearer ? 1 : 0) }
    }

    /// What to send after a 401; nil where nobody has a credential.
    func choice(
        after response: TransportResponse,
        to request: Request,
        _ sent: Sent?,
        _ hop: inout Hop,
        _ context: ExchangeContext
    ) async throws -> KnownSpaces.Choice? {
        let target = hop.target
        let found = HTTPChallenge.challenges(of: response.head)
            .compactMap { Candidate($0, target, request.url) }
            .filter { $0.digest?.bodyAlgorithm == nil || request.body?.isReplayable != false }
        // Those of the same strength in the order of the server.
        let candidates = found.enumerated()
            .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }.map(\.element)
        if let sent, let again = judge(sent, candidates, &hop) { return again }
        for candidate in candidates {
            let credential = try await credential(for: candidate, response, request, hop, context)
            guard let credential else { continue }
            return choice(candidate, credential)
        }
        return nil
    }

    private func choice(_ candidate: Candidate, _ credential: Credential) -> KnownSpaces.Choice {
        KnownSpaces.Choice(
            space: candidate.space,
            scheme: candidate.space.scheme,
            credential: credential,
            challenge: candidate.digest
        )
    }

    /// Looks whether the credential that was sent has been refused, or only a nonce that is too old
    /// (RFC 7616 §3.3): then it is sent again.
    private func judge(_ sent: Sent, _ candidates: [Candidate], _ hop: inout Hop) -> KnownSpaces.Choice? {
        let credential = sent.choice.credential
        var isRefused = false
        for candidate in candidates where candidate.space.scheme == sent.choice.scheme {
            // The field of Basic and of Bearer is the same for every realm (RFC 7617 §2, RFC 6750
            // §2.1): it was refused for this one, too.
            let isSameField = candidate.digest == nil || sent.choice.space == nil
            guard isSameField || sent.choice.space == candidate.space else { continue }
            // A server that has forgotten a nonce does not always say that it was one of its own.
            if let digest = candidate.digest, digest.isStale || sent.isPreemptive && digest.nonce != sent.nonce,
                hop.staleAnswers < Self.mostStale
            {
                hop.staleAnswers += 1
                return choice(candidate, credential)
            }
            // Two of Digest in one realm differ by their algorithms; the refusal is for both.
            guard !isRefused || candidate.space.scheme != .digest else { continue }
            isRefused = true
            hop.refuse(credential, for: candidate.space)
            spaces.withLock { $0.refuse(credential, for: candidate.space, at: hop.target.origin) }
        }
        return nil
    }

    /// A credential for a challenge that was not refused before; nil for none.
    private func credential(
        for candidate: Candidate,
        _ response: TransportResponse,
        _ request: Request,
        _ hop: Hop,
        _ context: ExchangeContext
    ) async throws -> Credential? {
        let (space, origin) = (candidate.space, hop.target.origin)
        let scope = DecisionScope.Element(session: ObjectIdentifier(self), space: space)
        func isUsable(_ credential: Credential) -> Bool {
            credential.fits(space.scheme) && !hop.wasRefused(credential, for: space)
        }
        if let own = request.credential(for: origin), isUsable(own) { return own }
        while true {
            if let known = spaces.withLock({ $0.credential(for: space, at: origin) }), isUsable(known) { return known }
            let handler = context.call.hooks.flatMap { $0.hooks.taskDidReceiveChallenge }
            // Nobody to ask, nothing to wait for.
            guard handler != nil || store != nil || netrc != nil else { return nil }
            // The requests of those who decide would wait for themselves.
            guard !DecisionScope.current.contains(scope) else { return nil }
            guard decisions.begin(space) else {
                let decision = try await StoppableCall.run(for: request, context, .here) { [decisions] in
                    await decisions.outcome(of: space)
                }
                switch decision {
                case nil: try context.checkStopped()
                case .credential(let credential): return isUsable(credential) ? credential : nil
                // What a `.netrc` has for it depends on the task; then this one asks for itself.
                case .rejected(let byHandler):
                    guard !byHandler, netrc?.credential(for: origin, context).map(isUsable) == true else { return nil }
                case .failed(let error): throw error.completed(request: request, response: response.head)
                }
                continue
            }
            return try await DecisionScope.$current.withValue(DecisionScope.current.union([scope])) {
                try await ask(candidate, response, request, hop, context, isUsable)
            }
        }
    }

    /// Decides for all tasks that wait, and tells them.
    private func ask(
        _ candidate: Candidate,
        _ response: TransportResponse,
        _ request: Request,
        _ hop: Hop,
        _ context: ExchangeContext,
        _ isUsable: (Credential) -> Bool
    ) async throws -> Credential? {
        let (space, origin) = (candidate.space, hop.target.origin)
        let decision: Decision
        do {
            // While this one was about to ask, another may have received an answer.
            if let known = spaces.withLock({ $0.credential(for: space, at: origin) }), isUsable(known) {
                decision = .credential(known)
            } else {
                decision = try await decide(candidate, response, request, hop, context, isUsable)
            }
        } catch {
            // Its task was stopped: another one asks.
            decisions.end(space, with: nil)
            throw error
        }
        switch decision {
        case .credential(let credential) where credential.persistence == .task:
            // That is for this task alone: the others ask for themselves.
            decisions.end(space, with: nil)
            return credential
        case .credential(let credential):
            spaces.withLock { $0.keep(credential, for: space, at: origin) }
            decisions.end(space, with: decision)
            return credential
        case .rejected:
            decisions.end(space, with: decision)
            return nil
        case .failed(let error):
            decisions.end(space, with: decision)
            throw error.completed(request: request, response: response.head)
        }
    }

    /// Asks the store, the `.netrc` and the handler.
    private func decide(
        _ candidate: Candidate,
        _ response: TransportResponse,
        _ request: Request,
        _ hop: Hop,
        _ context: ExchangeContext,
        _ isUsable: (Credential) -> Bool
    ) async throws -> Decision {
        let space = candidate.space
        var proposed: Credential?
        if let store {
            do {
                proposed = try await StoppableCall.run(for: request, context, .here) {
                    try await store.credential(for: space)
                }
            } catch {
                try context.checkStopped()
                return .failed(
                    error as? NetworkingError
                        ?? NetworkingError(
                            .storeFailed,
                            "The store of credentials failed for \(request): \(error)",
                            underlying: error
                        )
                )
            }
        }
        if proposed.map(isUsable) != true { proposed = netrc?.credential(for: hop.target.origin, context) }
        if let credential = proposed, !isUsable(credential) { proposed = nil }
        guard let lane = context.call.hooks, let handler = lane.hooks.taskDidReceiveChallenge else {
            return proposed.map { .credential($0) } ?? .rejected(byHandler: false)
        }
        let known = spaces.withLock { $0.failures(in: space, at: hop.target.origin) }
        let challenge = AuthenticationChallenge(
            protectionSpace: space,
            challenge: candidate.challenge,
            request: request,
            response: response.head,
            previousFailureCount: max(known, hop.failures(in: space)),
            proposedCredential: proposed
        )
        let task = context.call.presented
        switch try await lane.call(in: context, { await handler(task, challenge) }).kind {
        case .use(let credential):
            return isUsable(credential) ? .credential(credential) : .rejected(byHandler: true)
        case .performDefaultHandling: return proposed.map { .credential($0) } ?? .rejected(byHandler: false)
        case .reject: return .rejected(byHandler: true)
        case .cancel:
            return .failed(
                NetworkingError(.authenticationCancelled, "The authentication of \(request) was cancelled.")
            )
        case .fail(let error):
            return .failed(
                error as? NetworkingError
                    ?? NetworkingError(
                        .authenticationFailed,
                        "\(request) could not be authenticated: \(error)",
                        underlying: error
                    )
            )
        }
    }
}

/// The protection spaces for which the present Swift task decides: a handler or a store may send
/// requests by the session that asks it.
private enum DecisionScope {
    struct Element: Hashable {
        let session: ObjectIdentifier
        let space: ProtectionSpace
    }

    @TaskLocal static var current: Set<Element> = []
}
