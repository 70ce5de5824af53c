import FoundationEssentials

/// Applies a policy to the certificates of a server, in the order of AFNetworking's
/// `evaluateServerTrust:forDomain:`: a function of its arguments, without input or output.
struct PolicyEvaluation: Sendable {
    var policy: SecurityPolicy
    /// The server that is meant; nil where the policy takes any, or the host is none that a
    /// certificate can be for.
    var identity: ServerIdentity?
    var anchors: TrustAnchors
    var now: Date
    var limits = PathSearch.Limits()

    init(
        _ policy: SecurityPolicy,
        identity: ServerIdentity?,
        anchors: TrustAnchors,
        now: Date,
        limits: PathSearch.Limits = .init()
    ) {
        let policy = policy.at(now)
        self.policy = policy
        self.identity = policy.validatesDomainName ? identity : nil
        self.anchors = anchors
        self.now = now
        self.limits = limits
    }

    /// The result for the certificates, the server's own first.
    func verdict(_ presented: [[UInt8]]) -> TrustVerdict {
        if policy.allowsInvalidCertificates, policy.validatesDomainName,
            policy.pinningMode == .none || !policy.hasPins
        {
            return TrustVerdict(refusal: Self.namesNeedPins)
        }
        // To the verifier, no identity means any server.
        if policy.validatesDomainName, identity == nil { return TrustVerdict(refusal: Self.noIdentity) }
        guard policy.pinningMode != .none else { return withoutPins(presented) }
        guard policy.pinningMode == .publicKey else { return pinningCertificates(presented) }
        return pinningKeys(presented)
    }

    private static let namesNeedPins = TrustFinding(
        .namesNeedPins,
        nil,
        "cannot be verified: a policy that accepts invalid certificates can check the host only with pins, or not at all"
    )

    private static let noIdentity = TrustFinding(
        .host,
        nil,
        "cannot be verified: it is neither a host name nor a whole IP address, so no certificate can be for it"
    )

    private func verify(
        _ presented: [[UInt8]],
        _ anchors: TrustAnchors,
        taking take: ([ChainCertificate]) -> [TrustFinding] = { _ in [] },
        orAlso isGoodEnough: ([ChainCertificate]) -> Bool = { _ in false }
    ) -> TrustVerifier.Result {
        TrustVerifier(anchors: anchors, identity: identity, now: now, limits: limits)
            .verify(presented, taking: take, orAlso: isGoodEnough)
    }

    private func withoutPins(_ presented: [[UInt8]]) -> TrustVerdict {
        let result = verify(presented, anchors)
        return TrustVerdict(result, refusal: policy.allowsInvalidCertificates ? nil : result.findings.first)
    }

    // MARK: Certificates

    private func pinningCertificates(_ presented: [[UInt8]]) -> TrustVerdict {
        var verdict = withoutPins(presented)
        guard verdict.refusal == nil else { return verdict }
        // The pins are now the only trusted certificates, so that a chain that is verified
        // contains one of them: its last.
        let pins = TrustAnchors(
            policy.pinnedCertificates.map { Array($0.derRepresentation) },
            revocations: anchors.revocations
        )
        let pinned = verify(presented, pins)
        if pinned.isTrusted {
            // By the list of an authority above the pinned certificate, where certificates may be
            // invalid.
            let revocation = anchors.revocations?.findings(verdict.path, at: now).first { finding in
                finding.rule == .revocation && pinned.path.contains { $0.fields.bytes == finding.fields?.bytes }
            }
            let found = TrustVerifier.Result(path: pinned.path, findings: revocation.map { [$0] } ?? [])
            var result = TrustVerdict(found, refusal: revocation)
            result.pin = pinned.path.last.map { PublicKeyPin(hash: $0.fields.publicKeyHash) }
            return result
        }
        let mismatches: [TrustRule] = [.trustRoots, .issuer, .selfSigned, .signature]
        let finding = pinned.findings.first.flatMap { mismatches.contains($0.rule) ? nil : $0 }
        verdict.refuse(finding ?? mismatch(verdict.path), isEnforced: !policy.reportsOnly)
        return verdict
    }

    // MARK: Keys

    private func pinningKeys(_ presented: [[UInt8]]) -> TrustVerdict {
        let accepted = policy.acceptedKeys
        func place(in path: [ChainCertificate]) -> Int? {
            path.firstIndex { accepted.contains(PublicKeyPin(hash: $0.fields.publicKeyHash)) }
        }
        var constraints = NameConstraintRules()
        var vouched = 0
        var result = verify(presented, anchors) {
            place(in: $0) == nil ? [mismatch($0)] : []
        } orAlso: { path in
            guard policy.allowsInvalidCertificates, vouched < limits.paths, let place = place(in: path) else {
                return false
            }
            vouched += 1
            return faults(upTo: place, path, &constraints).isEmpty
        }
        if let place = place(in: result.path) {
            var refusal = result.findings.first
            if policy.allowsInvalidCertificates {
                let faults = faults(upTo: place, result.path, &constraints)
                result.findings += faults.filter { fault in !result.findings.contains { $0.rule == fault.rule } }
                refusal = faults.first
            }
            return verdict(result, refusal, result.path[place].fields)
        }
        // A certificate that cannot be read has no path; but its key can be had, unlike its names.
        if policy.allowsInvalidCertificates, result.path.isEmpty, let leaf = presented.first,
            let fields = try? CertificateFields(leaf), accepted.contains(PublicKeyPin(hash: fields.publicKeyHash))
        {
            return verdict(result, policy.validatesDomainName ? result.findings.first : nil, fields)
        }
        if result.findings.first?.rule == .pin {
            // Only the pin is wrong.
            let finding = result.findings.removeFirst()
            var verdict = TrustVerdict(result, refusal: nil)
            verdict.refuse(finding, isEnforced: !policy.reportsOnly)
            return verdict
        }
        return TrustVerdict(
            result,
            refusal: policy.allowsInvalidCertificates ? mismatch(result.path) : result.findings.first
        )
    }

    private func verdict(
        _ result: TrustVerifier.Result,
        _ refusal: TrustFinding?,
        _ pinned: CertificateFields
    ) -> TrustVerdict {
        var verdict = TrustVerdict(result, refusal: refusal)
        let pin = PublicKeyPin(hash: pinned.publicKeyHash)
        verdict.pin = pin
        verdict.isBackupPin = policy.backupKeys.contains(pin) && !policy.pinnedKeys.contains(pin)
        return verdict
    }

    /// The reasons why a pinned key does not vouch for the server, where certificates may be
    /// invalid; the most severe first.
    ///
    /// Everybody who has a certificate below the pinned key could sign another one with his own
    /// key, for any host. So what is between the two must be authorities, in use as the pinned key
    /// and they allow. Dates do not count, nor what is above the pinned key, nor what its own
    /// certificate says of its use: anybody can make another one for that key.
    ///
    /// AFNetworking has none of this, so that an authority's key that is pinned lets any chain pass
    /// that ends there.
    private func faults(
        upTo place: Int,
        _ whole: [ChainCertificate],
        _ constraints: inout NameConstraintRules
    ) -> [TrustFinding] {
        let path = Array(whole[...place])
        var findings = PathRules(identity: identity, now: now).findings(path) + constraints.findings(path)
        // Also by the list of the authority above the pinned key, where there is one.
        findings += anchors.revocations?.findings(Array(whole.prefix(place + 2)), at: now) ?? []
        return TrustVerifier.sorted(findings.filter { counts($0, in: path) })
    }

    /// Whether a finding counts where the key of the last certificate of a path is pinned, and
    /// certificates may be invalid.
    private func counts(_ finding: TrustFinding, in path: [ChainCertificate]) -> Bool {
        let pinned = path.count - 1
        let place = path.firstIndex { $0.fields.bytes == finding.fields?.bytes } ?? path.count
        return switch finding.rule {
        case .host: true
        case .notBefore, .notAfter, .revocationUnknown: false
        case .revocation: place <= pinned
        case .nameConstraints, .pathLength, .chainSize, .encoding: pinned > 0
        case .signatureHash, .key: place < pinned
        // The uses of the server's own certificate do not count.
        default: place > 0 && place < pinned
        }
    }

    private func mismatch(_ path: [ChainCertificate]) -> TrustFinding {
        let predicate =
            if !policy.hasPins {
                "cannot be compared with pins: there are none, and the policy requires one"
            } else if policy.pinningMode == .certificate {
                "leads to none of the pinned certificates"
            } else {
                "leads to none of the pinned keys"
            }
        return TrustFinding(
            .pin,
            path.first?.fields,
            path.isEmpty ? "has shown a certificate that \(predicate)" : predicate
        )
    }
}

/// The result of a policy for a server's certificates.
struct TrustVerdict: Sendable {
    /// The path from the server's certificate to a trusted one, or the part of it that there is.
    var path: [ChainCertificate] = []
    /// Everything that is wrong, the most severe first.
    var findings: [TrustFinding] = []
    /// The reason for a refusal, which may only be reported.
    private(set) var refusal: TrustFinding?
    /// Whether a connection is refused.
    private(set) var isRefused = false
    /// The pin that the path contains.
    var pin: PublicKeyPin?
    var isBackupPin = false

    init(refusal: TrustFinding) {
        findings = [refusal]
        self.refusal = refusal
        isRefused = true
    }

    init(_ result: TrustVerifier.Result, refusal: TrustFinding?) {
        path = result.path
        findings = result.findings
        self.refusal = refusal
        isRefused = refusal != nil
    }

    mutating func refuse(_ finding: TrustFinding, isEnforced: Bool) {
        findings.append(finding)
        refusal = finding
        isRefused = isEnforced
    }

    /// The times between which the same certificates have the same verdict; nil for a server that
    /// is refused, or accepted in spite of something.
    var validity: ClosedRange<Date>? {
        guard refusal == nil, findings.isEmpty, let first = path.map(\.fields.notBefore).max(),
            let last = path.map(\.fields.notAfter).min(), first <= last
        else { return nil }
        return first...last
    }
}
