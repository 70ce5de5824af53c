import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization

/// Answers the challenges of servers (RFC 9110 §11), and sends credentials without being asked
/// where a server has accepted them before.
///
/// - A credential is for an origin, and goes to no other one: each hop of a redirect is looked at
///   by itself.
/// - Each credential is sent to a protection space once; when the server refuses it, the next
///   source is asked. Sources are the request, the session, and then ``SessionConfiguration``'s
///   store and `.netrc`, about which a handler decides. Requests that need the same answer at the
///   same time wait for one.
/// - Of several challenges the strongest is answered for which there is a credential: Digest, by
///   its hash, then Bearer, then Basic.
/// - A request with a field `Authorization` of its own is left alone.
///
/// It costs a request that needs none of this two comparisons.
final class SessionAuthentication: Sendable {
    /// Sends a request of one hop.
    typealias Send = (Request) async throws -> TransportResponse

    /// What a handler or a store has decided for all who wait.
    enum Decision: Sendable {
        case credential(Credential)
        /// The handler has rejected the protection space, for all; or else a task had no
        /// credential.
        case rejected(byHandler: Bool)
        case failed(NetworkingError)
    }

    /// What a request was sent with.
    struct Sent: Sendable {
        var choice: KnownSpaces.Choice
        var digest: DigestSession.Authorization?
        var nonce: String?
        /// Whether the server had not asked.
        var isPreemptive: Bool
    }

    /// The most requests of one hop: a server that refuses each credential, and a handler that has
    /// ever others, end there.
    static let mostAttempts = 10
    /// The most of them because a nonce was too old.
    static let mostStale = 4

    let store: (any CredentialStore)?
    let netrc: Netrc?
    let spaces = Mutex(KnownSpaces())
    let decisions = SharedWork<ProtectionSpace, Decision>()
    private let hasSpaces = Atomic(false)

    init(_ configuration: SessionConfiguration) {
        store = configuration.credentialStore
        netrc = configuration.netrc
    }

    // MARK: Before a request

    /// Whether a request may have to be sent with credentials at once.
    func concerns(_ request: Request) -> Bool {
        request.hasCredential || hasSpaces.load(ordering: .relaxed) || netrc?.isPreemptive == true
    }

    /// The request with a credential that the server is known to want; nil where there is none.
    func prepared(_ request: Request, _ context: ExchangeContext) async throws -> (request: Request, sent: Sent)? {
        guard !request.headerFields.contains(.authorization), let target = try? request.target else { return nil }
        let own = request.credential(for: target.origin)
        let known = spaces.withLock { $0.choice(for: target.origin, target: target.path, own: own) }
        if let known {
            // Its hash would use up a body that can be read once, as after a challenge.
            if known.challenge?.bodyAlgorithm != nil, request.body?.isReplayable == false { return nil }
            return try await authorized(request, known, target, context, isPreemptive: true)
        }
        guard let credential = own.flatMap({ $0.isPreemptive ? $0 : nil }) ?? preemptive(own, target.origin, context),
            let scheme = [AuthenticationScheme.basic, .bearer].first(where: credential.fits)
        else { return nil }
        let choice = KnownSpaces.Choice(space: nil, scheme: scheme, credential: credential, challenge: nil)
        return try await authorized(request, choice, target, context, isPreemptive: true)
    }

    private func preemptive(_ own: Credential?, _ origin: Origin, _ context: ExchangeContext) -> Credential? {
        guard own == nil, let netrc, netrc.isPreemptive else { return nil }
        return netrc.credential(for: origin, context)
    }

    // MARK: After a response

    /// Answers the challenges of a response, until one is not refused or there is nothing to
    /// answer with.
    ///
    /// - Parameters:
    ///   - first: The response to the request.
    ///   - request: The request as it came, without credentials.
    ///   - sent: What it was sent with; nil for nothing.
    ///   - context: Its context.
    ///   - send: Sends it again.
    /// - Returns: The last response.
    /// - Throws: ``NetworkingError``, and what `send` throws.
    func answer(
        _ first: TransportResponse,
        to request: Request,
        _ sent: Sent?,
        _ context: ExchangeContext,
        send: Send
    ) async throws -> TransportResponse {
        var (response, request, sent) = (first, request, sent)
        // One with a field of its own, or for a URL that cannot be taken apart.
        guard !request.headerFields.contains(.authorization), let target = try? request.target else { return first }
        var hop = Hop(target: target)
        while true {
            hop.attempts += 1
            guard response.statusCode == 401 else {
                if let sent { try await accepted(sent, target, request, response, context) }
                return response
            }
            guard hop.attempts < Self.mostAttempts,
                let choice = try await choice(after: response, to: request, sent, &hop, context)
            else { return response }
            if let body = request.body, !body.isReplayable, !response.isRequestBodyUntouched {
                guard let newBody = try await context.newBody() else {
                    throw NetworkingError(
                        .requestBodyNotReplayable,
                        """
                        \(request) was refused without credentials after its body was sent, and the source of the \
                        body can be read only once. With expectsContinue the body is sent when the server wants it.
                        """
                    ).completed(request: request, response: response.head)
                }
                request.body = newBody
            }
            // As after a redirect: a short body is read so that its connection serves again.
            await response.body.discard()
            // Nobody decodes it any more: its transaction is over before the next one begins.
            response.observed?.endDecoding()
            try context.checkStopped()
            let next = try await authorized(request, choice, target, context, isPreemptive: false)
            sent = next.sent
            response = try await send(next.request)
        }
    }

    /// The request with the field `Authorization` of a choice.
    private func authorized(
        _ request: Request,
        _ choice: KnownSpaces.Choice,
        _ target: RequestTarget,
        _ context: ExchangeContext,
        isPreemptive: Bool
    ) async throws -> (request: Request, sent: Sent) {
        var request = request
        var sent = Sent(choice: choice, isPreemptive: isPreemptive)
        let value: [UInt8]
        if let challenge = choice.challenge {
            // It is the credential of a user with a password, as Digest needs it.
            (sent.digest, sent.nonce) = try await digest(request, choice, challenge, target, context, isPreemptive)
            value = sent.digest?.value ?? []
        } else {
            value = Array(try choice.credential.field().utf8)
        }
        if let fault = HTTPField.fault(of: String(decoding: value, as: UTF8.self)) {
            throw NetworkingError(.invalidRequest, "The credential of \(request) \(fault), which no field can have.")
        }
        // As bytes: a name or a realm need not be UTF-8. The request has no such field yet.
        request.headerFields.append(HTTPField(name: .authorization, lenientValue: value))
        return (request, sent)
    }

    /// The field of Digest for a request, and the nonce that it has.
    private func digest(
        _ request: Request,
        _ choice: KnownSpaces.Choice,
        _ challenge: DigestChallenge,
        _ target: RequestTarget,
        _ context: ExchangeContext,
        _ isPreemptive: Bool
    ) async throws -> (DigestSession.Authorization?, nonce: String?) {
        var message = DigestSession.Message(method: request.method.rawValue, target: target.path)
        var hashed: DigestAlgorithm?
        var needed = challenge.bodyAlgorithm
        while true {
            if let algorithm = needed {
                message.bodyDigest = try await Self.bodyDigest(of: request, algorithm, context)
                hashed = algorithm
            }
            let result = spaces.withLock { spaces -> (DigestSession.Authorization?, nonce: String?)? in
                // While the body was hashed, the server may have sent another challenge to another
                // request. One that can be read once is not there for another hash.
                let used = spaces.challenge(for: target.origin, choice, challenge, isKnown: isPreemptive)
                needed = request.body?.isReplayable == false ? nil : used.bodyAlgorithm
                guard needed == nil || needed == hashed else { return nil }
                return (
                    spaces.authorization(for: target.origin, choice, challenge, message, isKnown: isPreemptive),
                    choice.space.flatMap { spaces.nonce(of: $0, at: target.origin) }
                )
            }
            if let result { return result }
        }
    }

    /// The hash of the body that is sent (RFC 7616 §3.4.3). What stops the task also stops a source
    /// that waits.
    private static func bodyDigest(
        of request: Request,
        _ algorithm: DigestAlgorithm,
        _ context: ExchangeContext
    ) async throws -> String {
        let hasher = Mutex((hash: DigestAlgorithm.Hasher(algorithm.hash), count: 0))
        let body = request.body
        do {
            try await StoppableCall.run(for: request, context, .elsewhere) {
                try await body?.produce(
                    .bytes { piece in
                        try Task.checkCancellation()
                        let count = hasher.withLock { hasher in
                            hasher.hash.update(Array(piece.readableBytesView))
                            hasher.count += piece.readableBytes
                            return hasher.count
                        }
                        // A source without an end has one here.
                        if let length = body?.length, count > length {
                            throw RequestBodyLengthMismatch.more(than: length)
                        }
                    }
                )
            }
        } catch {
            try context.checkStopped()
            throw NetworkingError.ofRequestBody(error).completed(request: request)
        }
        return hasher.withLock { $0.hash.finalized() }
    }

    // MARK: An accepted credential

    private func accepted(
        _ sent: Sent,
        _ target: RequestTarget,
        _ request: Request,
        _ response: TransportResponse,
        _ context: ExchangeContext
    ) async throws {
        guard let space = sent.choice.space else { return }
        let info = sent.digest == nil ? nil : response.head[.authenticationInfo].flatMap { AuthenticationInfo($0) }
        if let info, let digest = sent.digest, info.contradicts(digest) {
            throw NetworkingError(
                .authenticationFailed,
                """
                The server of \(request) does not know the password that it asks for: it confirms another one \
                (RFC 7616 §3.5).
                """
            ).completed(request: request, response: response.head)
        }
        let credential = sent.choice.credential
        // A refusal of another kind, as of somebody who has tried too often, does not say that the
        // password is right.
        let isProof = response.statusCode < 400
        let isNew = spaces.withLock { spaces in
            if let nonce = info?.nextNonce, let old = sent.nonce {
                spaces.take(nextNonce: nonce, after: old, for: space, at: target.origin)
            }
            if !sent.isPreemptive { spaces.accept(credential, for: space, at: target.origin, target: target.path) }
            return isProof && spaces.prove(credential, for: space, at: target.origin)
        }
        hasSpaces.store(true, ordering: .relaxed)
        guard isNew, credential.persistence == .permanent, let store else { return }
        // What the store refuses stays in memory: the request was successful.
        try? await StoppableCall.run(for: request, context, .here) { try await store.set(credential, for: space) }
    }
}

extension SessionAuthentication {
    /// What one hop has tried.
    struct Hop {
        let target: RequestTarget
        var attempts = 0
        var staleAnswers = 0
        private var refused: [(space: ProtectionSpace, credential: Credential)] = []

        init(target: RequestTarget) {
            self.target = target
        }

        mutating func refuse(_ credential: Credential, for space: ProtectionSpace) {
            refused.append((space, credential))
        }

        func wasRefused(_ credential: Credential, for space: ProtectionSpace) -> Bool {
            refused.contains { $0.space == space && $0.credential.isSame(as: credential) }
        }

        func failures(in space: ProtectionSpace) -> Int { refused.count { $0.space == space } }
    }
}

extension Request {
    /// The credential of the request, where it is for this origin.
    func credential(for origin: Origin) -> Credential? {
        guard let access, access.origin == nil || access.origin == origin else { return nil }
        return access.credential
    }

    /// The request, whose credential is tied to its origin if it was to none.
    func tyingCredential() -> Request {
        guard let access, access.origin == nil, let origin = try? target.origin else { return self }
        var request = self
        request.access = Access(credential: access.credential, origin: origin)
        return request
    }
}

extension Netrc {
    /// The credential for an origin. What is for every host goes only to the one that the task
    /// was made for; and nothing goes in the clear to where a redirect leads from `https`.
    func credential(for origin: Origin, _ context: ExchangeContext) -> Credential? {
        guard case .host(let host, _) = origin.endpoint, origin.isSecure || !context.wasSecure else { return nil }
        let (original, security) = (
            context.call.originalRequest, context.settings.configuration.strictTransportSecurity
        )
        // As it was sent: by https to a host that has asked for that.
        let first = try? (security?.secured(original) ?? original).target.origin
        if let first, first != origin, first.isSecure, !origin.isSecure { return nil }
        return credential(forHost: host, allowsDefault: first == nil || first == origin)
    }
}
