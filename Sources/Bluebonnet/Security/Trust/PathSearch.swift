import FoundationEssentials

/// The search for a chain from a server's certificate to a trusted one (RFC 4158), among the
/// certificates that the server has shown and those that are trusted.
///
/// The server chooses what is searched, so that the work has limits. Each certificate of a chain is
/// known to be signed by the next one before the search goes on.
struct PathSearch {
    struct Limits {
        /// Certificates of one chain, both ends included.
        var pathLength = 10
        /// Chains that were begun.
        var steps = 200
        /// Signatures that were checked; each costs a tenth of a millisecond.
        var signatures = 64
        /// Chains that ended at a trusted certificate.
        var paths = 32
    }

    /// The way in which a chain ended that leads to no trusted certificate.
    struct DeadEnd {
        var path: [ChainCertificate]
        /// The reason, and then what is wrong with the certificates that could not be used.
        var findings: [TrustFinding]
    }

    private struct Pair: Hashable {
        var issuer: ObjectIdentifier
        var subject: ObjectIdentifier
    }

    private enum Candidate {
        case unread(CertificateFields)
        case read(ChainCertificate)
        case unusable(TrustFinding)
    }

    private let anchors: TrustAnchors
    private let now: Date
    private let limits: Limits
    private var candidates: [CanonicalName: [Candidate]] = [:]
    private var signatures: [Pair: Bool] = [:]
    private var steps = 0
    private var paths = 0
    /// The longest chain that leads nowhere, or the one that is preferred.
    private(set) var deadEnd: DeadEnd?
    private(set) var isDeadEndPreferred = false
    /// Whether the search ended because it would have cost too much.
    private(set) var isExhausted = false

    /// A search among the certificates of the server but for its own, in any order, each once.
    init(_ presented: [CertificateFields], anchors: TrustAnchors, now: Date, limits: Limits = Limits()) {
        self.anchors = anchors
        self.now = now
        self.limits = limits
        for fields in presented {
            guard let name = try? CanonicalName(fields.subject) else { continue }
            candidates[name, default: []].append(.unread(fields))
        }
    }

    /// Calls back with each chain, the leaf first and the trusted certificate last, until one is
    /// taken. A chain may go on above a trusted certificate. Of those that lead nowhere, the first
    /// that is preferred is ``deadEnd``, or else the longest.
    ///
    /// - Returns: Whether one was taken.
    mutating func run(
        _ leaf: ChainCertificate,
        prefer: ([ChainCertificate]) -> Bool = { _ in false },
        take: ([ChainCertificate]) -> Bool
    ) -> Bool {
        extend([leaf], prefer, take)
    }

    private mutating func extend(
        _ path: [ChainCertificate],
        _ prefer: ([ChainCertificate]) -> Bool,
        _ take: ([ChainCertificate]) -> Bool
    ) -> Bool {
        guard let tip = path.last else { return false }
        steps += 1
        guard steps <= limits.steps, paths < limits.paths else {
            isExhausted = true
            return false
        }
        let isTrusted = anchors.contains(tip)
        if isTrusted {
            paths += 1
            if take(path) { return true }
        }
        let trusted = anchors.authorities(named: tip.issuer)
        let shown = shown(named: tip.issuer)
        var faults = trusted.faults + shown.faults
        var namesakes = 0
        var isExtended = false
        var isTooLong = false
        let authorities =
            sorted(trusted.usable, asIssuersOf: tip)
            + sorted(shown.usable, asIssuersOf: tip).filter { !anchors.contains($0) }
        for (place, authority) in authorities.enumerated() where !contains(path, authority) {
            namesakes += 1
            // One that is not trusted needs another one above it.
            guard path.count + (place < trusted.usable.count ? 0 : 1) < limits.pathLength else {
                isTooLong = true
                continue
            }
            if let fault = authority.keyFault { faults.append(fault) }
            guard isSigned(tip, by: authority) else { continue }
            isExtended = true
            if extend(path + [authority], prefer, take) { return true }
            if isExhausted { return false }
        }
        guard !isExtended, !isTrusted, !isDeadEndPreferred else { return false }
        isDeadEndPreferred = prefer(path)
        if isDeadEndPreferred || path.count > longest {
            let tooLong = TrustFinding(.chainSize, tip.fields, "needs more than \(limits.pathLength) certificates")
            let findings = isTooLong ? [tooLong] : findings(at: tip, namesakes: namesakes, faults: faults)
            deadEnd = DeadEnd(path: path, findings: findings)
        }
        return false
    }

    private func contains(_ path: [ChainCertificate], _ authority: ChainCertificate) -> Bool {
        path.contains { $0.isSameAuthority(as: authority) }
    }

    /// The reason why the chain ends here, which is always that nobody is trusted: whatever else is
    /// wrong, anybody can have made the chain.
    private mutating func findings(
        at tip: ChainCertificate,
        namesakes: Int,
        faults: [TrustFinding]
    ) -> [TrustFinding] {
        var causes: [TrustFinding] = []
        for cause in [tip.signatureFault].compactMap(\.self) + faults
        where !causes.contains(where: { $0.rule == cause.rule }) {
            causes.append(cause)
        }
        if tip.isSelfIssued, namesakes == 0 || isSigned(tip, by: tip) {
            return [TrustFinding(.selfSigned, tip.fields, "is self-signed and not among the trusted ones")] + causes
        }
        if let cause = causes.first {
            let isOwn = cause.fields?.bytes == tip.fields.bytes
            let predicate =
                isOwn ? cause.predicate : "is issued by an authority that cannot be used: \(cause.sentence)"
            return [TrustFinding(.issuer, tip.fields, predicate)] + causes
        }
        guard namesakes == 0 else {
            return [TrustFinding(.signature, tip.fields, "is not signed by the authority whose name it has")]
        }
        return [.untrusted(tip.fields)]
    }

    private var longest: Int { deadEnd?.path.count ?? 0 }

    /// Those that fit by their key identifiers first, and of these the ones that are valid now.
    private func sorted(_ authorities: [ChainCertificate], asIssuersOf tip: ChainCertificate) -> [ChainCertificate] {
        guard authorities.count > 1 else { return authorities }
        func rank(_ authority: ChainCertificate) -> Int {
            authority.preference(asIssuerOf: tip) * 2 + (authority.isValid(at: now) ? 1 : 0)
        }
        return authorities.enumerated().sorted { left, right in
            let (leftRank, rightRank) = (rank(left.element), rank(right.element))
            return leftRank == rightRank ? left.offset < right.offset : leftRank > rightRank
        }.map(\.element)
    }

    private mutating func isSigned(_ subject: ChainCertificate, by issuer: ChainCertificate) -> Bool {
        let pair = Pair(issuer: ObjectIdentifier(issuer), subject: ObjectIdentifier(subject))
        if let known = signatures[pair] { return known }
        guard issuer.publicKey != nil, subject.signatureFault == nil else { return false }
        guard signatures.count < limits.signatures else {
            isExhausted = true
            return false
        }
        let isSigned = issuer.hasSigned(subject)
        signatures[pair] = isSigned
        return isSigned
    }

    /// The certificates of a name that the server has shown.
    private mutating func shown(named name: CanonicalName) -> (usable: [ChainCertificate], faults: [TrustFinding]) {
        guard var named = candidates[name] else { return ([], []) }
        var (usable, faults): ([ChainCertificate], [TrustFinding]) = ([], [])
        for place in named.indices {
            if case .unread(let fields) = named[place] {
                do throws(TrustFinding) {
                    named[place] = .read(try ChainCertificate(fields))
                } catch {
                    named[place] = .unusable(error)
                }
            }
            switch named[place] {
            case .read(let certificate): usable.append(certificate)
            case .unusable(let fault): faults.append(fault)
            case .unread: break
            }
        }
        candidates[name] = named
        return (usable, faults)
    }
}
