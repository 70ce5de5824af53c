import FoundationEssentials
import X509

/// Decides whether a chain of certificates, as a server has shown it, leads to one that is trusted:
/// a function of its arguments, without input or output.
///
/// X509 reads certificates and checks signatures. Its `Verifier` is not used: its work has no
/// limit, which an attacker could use, its refusals are texts without a rule, and it refuses every
/// constraint of directory names and e-mail addresses.
struct TrustVerifier: Sendable {
    /// The most that a server may show, in certificates and in bytes.
    static let mostCertificates = 64
    static let mostBytes = 262_144

    var anchors: TrustAnchors
    /// The server that is meant; nil where any will do.
    var identity: ServerIdentity?
    var now: Date
    var limits = PathSearch.Limits()

    /// The result for a chain.
    struct Result: Sendable {
        /// From the server's certificate to a trusted one. For a chain that is refused, the path
        /// that is least wrong; each certificate in it has the signature of the next one in any
        /// case.
        var path: [ChainCertificate] = []
        /// The rules that the path breaks, the most severe first; none when it is trusted.
        var findings: [TrustFinding] = []

        var isTrusted: Bool { findings.isEmpty }

        /// The result for certificates of which no chain can be made.
        fileprivate static func unread(_ finding: TrustFinding) -> Result {
            Result(findings: [finding, .untrusted(finding.fields)])
        }
    }

    /// The result for a chain.
    ///
    /// - Parameters:
    ///   - presented: The certificates in DER, the server's own first, the others in any order.
    ///   - take: Whether a path that breaks no rule is also good for the caller; the search goes on
    ///     where not. Its findings count after those of the rules.
    ///   - isGoodEnough: Whether a path is good for the caller, whatever it breaks and wherever it
    ///     leads: it is returned where no path breaks no rule.
    /// - Returns: The path that was found, or the one that is least wrong.
    func verify(
        _ presented: [[UInt8]],
        taking take: ([ChainCertificate]) -> [TrustFinding] = { _ in [] },
        orAlso isGoodEnough: ([ChainCertificate]) -> Bool = { _ in false }
    ) -> Result {
        var result = examine(presented, take, isGoodEnough)
        if anchors.count == 0 { result.findings = Self.sorted([.noAnchors] + result.findings) }
        return result
    }

    private func examine(
        _ presented: [[UInt8]],
        _ take: ([ChainCertificate]) -> [TrustFinding],
        _ isGoodEnough: ([ChainCertificate]) -> Bool
    ) -> Result {
        guard let first = presented.first else {
            return .unread(TrustFinding(.certificate, nil, "has shown no certificate"))
        }
        guard presented.count <= Self.mostCertificates, presented.reduce(0, { $0 + $1.count }) <= Self.mostBytes else {
            let finding = TrustFinding(
                .chainSize,
                nil,
                "has shown too many certificates: at most \(Self.mostCertificates) of \(Self.mostBytes / 1024) KiB together "
                    + "are read"
            )
            return .unread(finding)
        }
        guard let fields = try? CertificateFields(first) else {
            return .unread(TrustFinding(.encoding, nil, "has shown a certificate that is not well-formed"))
        }
        let leaf: ChainCertificate
        do throws(TrustFinding) {
            leaf = try ChainCertificate(fields)
        } catch {
            return .unread(error)
        }
        return search(leaf, among: Self.others(presented), take, isGoodEnough)
    }

    /// The certificates behind the first one, each once. What is not a certificate is left out: no
    /// chain can need it.
    private static func others(_ presented: [[UInt8]]) -> [CertificateFields] {
        var seen: Set<[UInt8]> = Set(presented.prefix(1))
        return presented.dropFirst().filter { seen.insert($0).inserted }.compactMap { try? CertificateFields($0) }
    }

    private func search(
        _ leaf: ChainCertificate,
        among others: [CertificateFields],
        _ take: ([ChainCertificate]) -> [TrustFinding],
        _ isGoodEnough: ([ChainCertificate]) -> Bool
    ) -> Result {
        let rules = PathRules(identity: identity, now: now)
        var constraints = NameConstraintRules()
        var best: Result?
        var search = PathSearch(others, anchors: anchors, now: now, limits: limits)
        var isBestEnough = false
        let isFound = search.run(leaf, prefer: isGoodEnough) { path in
            var findings = rules.findings(path) + constraints.findings(path)
            findings += anchors.revocations?.findings(path, at: now) ?? []
            if findings.isEmpty { findings = take(path) }
            findings = Self.sorted(findings)
            guard !findings.isEmpty else {
                best = Result(path: path)
                return true
            }
            let isEnough = isGoodEnough(path)
            let isBetter =
                isEnough == isBestEnough
                ? best.map { Self.severity($0) < Self.severity(findings) } ?? true : isEnough
            if isBetter {
                best = Result(path: path, findings: findings)
                isBestEnough = isEnough
            }
            return false
        }
        if isFound || isBestEnough, let best { return best }
        if search.isDeadEndPreferred { best = nil }
        if search.isExhausted, !search.isDeadEndPreferred {
            let finding = TrustFinding(.chainSize, nil, "has shown certificates that need too much work to verify")
            return Result(
                path: best?.path ?? [leaf],
                findings: [finding]
                    + (best?.findings ?? [.untrusted(leaf.fields)] + Self.sorted(rules.findings([leaf])))
            )
        }
        if let best { return best }
        guard let deadEnd = search.deadEnd else {
            return Result(path: [leaf], findings: [.untrusted(leaf.fields)])
        }
        // The rules for the part of the chain that there is, too: they are shown with the first
        // finding, which is more severe than most of them. Not those that cost much: anybody can
        // make such a chain, and what an authority without trust constrains or revokes means
        // nothing.
        let others = rules.findings(deadEnd.path).filter { finding in
            !deadEnd.findings.contains { $0.rule == finding.rule && $0.fields?.bytes == finding.fields?.bytes }
        }
        return Result(path: deadEnd.path, findings: deadEnd.findings + Self.sorted(others))
    }

    private static func severity(_ result: Result) -> Int { severity(result.findings) }

    /// The severity of the worst finding: less is worse.
    private static func severity(_ findings: [TrustFinding]) -> Int { findings.first?.rule.severity ?? .max }

    /// Findings of the same severity keep their order.
    static func sorted(_ findings: [TrustFinding]) -> [TrustFinding] {
        findings.enumerated().sorted { left, right in
            let (leftRule, rightRule) = (left.element.rule.severity, right.element.rule.severity)
            return leftRule == rightRule ? left.offset < right.offset : leftRule < rightRule
        }.map(\.element)
    }
}

extension TrustRefusal {
    /// The refusal of a server by the most severe of the findings.
    init?(_ result: TrustVerifier.Result, host: String, serverName: String) {
        guard let finding = result.findings.first else { return nil }
        self.init(finding, path: result.path, host: host, serverName: serverName)
    }

    init(_ finding: TrustFinding, path: [ChainCertificate], host: String, serverName: String) {
        let isLeaf = finding.fields.map { $0.bytes == path.first?.fields.bytes || path.isEmpty } ?? true
        var message: String
        if let fields = finding.fields, !isLeaf {
            let name = fields.shortName
            message = "The certificate of \(host) depends on that of “\(name)”, which \(finding.predicate)."
        } else if finding.fields == nil {
            message = "\(host) \(finding.predicate)."
        } else {
            message = "The certificate of \(host) \(finding.predicate)."
        }
        if finding.rule.warns {
            message += " You might be connecting to a server that is pretending to be “\(serverName)”."
        }
        self.init(
            rule: finding.rule,
            message: message,
            host: host,
            certificate: finding.fields.map { CertificateSummary($0) },
            chain: path.map { CertificateSummary($0.fields) }
        )
    }
}

extension TrustRule {
    /// Whether a refusal is a sign of an attack rather than of a mistake.
    fileprivate var warns: Bool {
        [.issuer, .selfSigned, .signature, .host, .pin, .signatureHash].contains(self)
    }
}
