import Crypto
import FoundationEssentials
import Synchronization

/// Decides about the servers of a session: finds the policy of a host, applies it on a thread that
/// may take its time, and asks the user's closures.
final class TrustEvaluator: Sendable {
    typealias Completion = @Sendable (Result<Void, NetworkingError>) -> Void

    /// A decision under way. Cancelling it cancels the Swift task of the user's closure.
    final class Ticket: Sendable {
        private struct State {
            var task: Task<Void, Never>?
            var isCancelled = false
        }

        private let state = Mutex(State())

        func cancel() {
            state.withLock { state in
                state.isCancelled = true
                state.task?.cancel()
                state.task = nil
            }
        }

        fileprivate func run(_ work: @escaping @Sendable () async -> Void) {
            state.withLock { state in
                let task = Task { await work() }
                if state.isCancelled { task.cancel() } else { state.task = task }
            }
        }
    }

    private struct Key: Hashable {
        var certificates: SHA256.Digest
        var host: String
        var pinGeneration: Int
    }

    private struct Known: Sendable {
        var verdict: TrustVerdict
        var validity: ClosedRange<Date>
    }

    /// Chains of at most so many certificates and bytes are first verified on the event loop, with
    /// these limits: those of most servers are good, and cost a tenth of a millisecond, to which a
    /// change of threads would add half.
    private static let mostAtOnce = (certificates: 4, bytes: 8 << 10)
    private static let limitsAtOnce = PathSearch.Limits(steps: 8, signatures: 4, paths: 2)

    /// The chains whose verdict is stored; all are forgotten when there would be more.
    static let mostKnown = 256

    private let configuration: SessionConfiguration
    private let now: @Sendable () -> Date
    private let known = Mutex<[Key: Known]>([:])
    private let evaluations = Atomic(0)

    init(_ configuration: SessionConfiguration, now: @escaping @Sendable () -> Date = { Date() }) {
        self.configuration = configuration
        self.now = now
    }

    /// The number of chains that were verified, for tests; those whose verdict was known are not
    /// counted.
    var evaluationCount: Int { evaluations.load(ordering: .relaxed) }

    /// The policy of a host.
    ///
    /// - Throws: ``NetworkingError/Code/invalidTrustConfiguration`` when it has none, and must have
    ///   one, or a key of the policies is no host.
    func policy(for origin: Origin) throws(NetworkingError) -> SecurityPolicy {
        try policy(for: origin, at: now())
    }

    private func policy(for origin: Origin, at now: Date) throws(NetworkingError) -> SecurityPolicy {
        if let policy = try configuration.policy(for: origin.serverName, at: now) { return policy }
        let finding = TrustFinding(
            .hostPolicy,
            nil,
            "has no security policy, and every host of this session must have one"
        )
        throw NetworkingError(
            TrustRefusal(finding, path: [], host: origin.description, serverName: origin.serverName)
        )
    }

    /// Whether certificates must now be for the host: also where the policy does not say so, when
    /// its pins have expired or only report.
    func validatesDomainName(_ policy: SecurityPolicy) -> Bool { policy.at(now()).validatesDomainName }

    /// Decides about the certificates of a server, the server's own first, by the policy that it
    /// has now: pins may have expired since the handshake began. Calls back once: at once where the
    /// verdict is known, or a small chain is good without fault, else on another thread.
    func evaluate(
        _ presented: [[UInt8]],
        of origin: Origin,
        identity: ServerIdentity?,
        anchors: TrustAnchors,
        completion: @escaping Completion
    ) -> Ticket {
        let ticket = Ticket()
        // One time for all, so that pins that count here do not expire on the way.
        let now = self.now()
        let policy: SecurityPolicy
        do throws(NetworkingError) {
            policy = try self.policy(for: origin, at: now)
        } catch {
            completion(.failure(error))
            return ticket
        }
        let question = Question(presented: presented, origin: origin, policy: policy)
        let key = Key(
            certificates: Self.digest(presented),
            host: origin.serverName,
            pinGeneration: policy.pinGeneration
        )
        let evaluation = PolicyEvaluation(policy, identity: identity, anchors: anchors, now: now)
        if let verdict = verdictAtOnce(presented, evaluation, key, policy) {
            finish(verdict, question, ticket, completion)
            return ticket
        }
        // A chain that was made to cost much must not delay the other connections of the event
        // loop.
        BlockingThreads.trust.submit { [evaluation] _ in
            self.evaluations.add(1, ordering: .relaxed)
            let verdict = evaluation.verdict(presented)
            // Lists of revoked certificates have times of their own.
            if anchors.revocations == nil { self.store(verdict, for: key, at: now, policy) }
            self.finish(verdict, question, ticket, completion)
        }
        return ticket
    }

    /// The verdict that is known, or that a small chain gets because it is good without fault; nil
    /// where another thread has to find it.
    private func verdictAtOnce(
        _ presented: [[UInt8]],
        _ evaluation: PolicyEvaluation,
        _ key: Key,
        _ policy: SecurityPolicy
    ) -> TrustVerdict? {
        if let verdict = verdict(key, at: evaluation.now) { return verdict }
        guard Self.isSmall(presented), evaluation.anchors.revocations == nil else { return nil }
        var evaluation = evaluation
        evaluation.limits = Self.limitsAtOnce
        let verdict = evaluation.verdict(presented)
        guard verdict.validity != nil else { return nil }
        evaluations.add(1, ordering: .relaxed)
        store(verdict, for: key, at: evaluation.now, policy)
        return verdict
    }

    /// Whether a server that has shown certificates for one host may be taken for another one, too:
    /// the policy of that host accepts them without fault, and wants them to be for the host. Asks
    /// no closure, and is false where only a closure or much work could tell.
    func accepts(
        _ presented: [[UInt8]],
        of origin: Origin,
        identity: ServerIdentity,
        anchors: TrustAnchors
    ) -> Bool {
        let now = self.now()
        guard let policy = try? self.policy(for: origin, at: now), policy.decision == nil,
            policy.at(now).validatesDomainName
        else { return false }
        let key = Key(
            certificates: Self.digest(presented),
            host: origin.serverName,
            pinGeneration: policy.pinGeneration
        )
        let evaluation = PolicyEvaluation(policy, identity: identity, anchors: anchors, now: now)
        // One that is known has no fault.
        return verdictAtOnce(presented, evaluation, key, policy) != nil
    }

    private static func isSmall(_ presented: [[UInt8]]) -> Bool {
        presented.count <= mostAtOnce.certificates && presented.reduce(0) { $0 + $1.count } <= mostAtOnce.bytes
    }

    // MARK: Known verdicts

    private static func digest(_ presented: [[UInt8]]) -> SHA256.Digest {
        var hash = SHA256()
        for certificate in presented {
            // With the lengths, no two lists have the same bytes.
            hash.update(data: (0..<4).map { UInt8(truncatingIfNeeded: certificate.count >> ($0 * 8)) })
            hash.update(data: certificate)
        }
        return hash.finalize()
    }

    private func verdict(_ key: Key, at now: Date) -> TrustVerdict? {
        known.withLock { known in
            guard let verdict = known[key] else { return nil }
            guard verdict.validity.contains(now) else {
                known[key] = nil
                return nil
            }
            return verdict.verdict
        }
    }

    /// Stores a verdict that accepts a server without fault.
    private func store(_ verdict: TrustVerdict, for key: Key, at now: Date, _ policy: SecurityPolicy) {
        guard var validity = verdict.validity else { return }
        // A verdict with pins is another one than that without them, also when the clock is set
        // back.
        if let end = policy.pinsExpire {
            validity = validity.clamped(to: now...(now <= end ? end : max(now, validity.upperBound)))
        }
        known.withLock { known in
            if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
            known[key] = Known(verdict: verdict, validity: validity)
        }
    }

    // MARK: The user's closures

    private struct Question: Sendable {
        var presented: [[UInt8]]
        var origin: Origin
        var policy: SecurityPolicy

        func report(_ verdict: TrustVerdict) -> TrustReport {
            TrustReport(
                host: origin.description,
                serverName: origin.serverName,
                presentedChain: presented.compactMap { CertificateSummary(derRepresentation: Data($0)) },
                verifiedChain: verdict.path.map { CertificateSummary($0.fields) },
                isAccepted: !verdict.isRefused,
                refusal: refusal(verdict.refusal, verdict),
                brokenRules: verdict.findings.map(\.rule),
                matchedPin: verdict.pin,
                isBackupPin: verdict.isBackupPin
            )
        }

        func refusal(_ finding: TrustFinding?, _ verdict: TrustVerdict) -> TrustRefusal? {
            finding.map {
                TrustRefusal($0, path: verdict.path, host: origin.description, serverName: origin.serverName)
            }
        }

        func result(_ verdict: TrustVerdict) -> Result<Void, NetworkingError> {
            guard verdict.isRefused, let refusal = refusal(verdict.refusal, verdict) else { return .success(()) }
            return .failure(NetworkingError(refusal))
        }

        func result(_ decision: TrustDecision, _ verdict: TrustVerdict) -> Result<Void, NetworkingError> {
            switch decision.kind {
            case .byPolicy: return result(verdict)
            case .accept: return .success(())
            case .refuse(let reason):
                let finding = TrustFinding(
                    .decision,
                    verdict.path.first?.fields,
                    "was refused by this program: \(reason)"
                )
                return .failure(
                    NetworkingError(
                        TrustRefusal(
                            finding,
                            path: verdict.path,
                            host: origin.description,
                            serverName: origin.serverName
                        )
                    )
                )
            }
        }
    }

    private func finish(
        _ verdict: TrustVerdict,
        _ question: Question,
        _ ticket: Ticket,
        _ completion: @escaping Completion
    ) {
        let policy = question.policy
        guard policy.report != nil || policy.decision != nil else { return completion(question.result(verdict)) }
        let report = question.report(verdict)
        policy.report?(report)
        guard let decision = policy.decision else { return completion(question.result(verdict)) }
        ticket.run { completion(question.result(await decision(report), verdict)) }
    }
}

extension NetworkingError {
    /// The error of a request whose server is not trusted.
    init(_ refusal: TrustRefusal) {
        self.init(refusal.rule.code, refusal.message, underlying: refusal)
    }
}
