import Bluebonnet
import FoundationEssentials

/// What is known of the trust in a server, as text for people.
struct TrustText {
    let paint: Paint
    let now: Date
    let hasRevocationLists: Bool

    private static let width = 88

    func text(_ report: TrustReport) -> String {
        var blocks = [verdict(report), chain(report), rules(report)]
        if let policy = policy(report) { blocks.append(policy) }
        return blocks.joined(separator: "\n\n")
    }

    // MARK: The verdict

    private func verdict(_ report: TrustReport) -> String {
        let host = ShownText.harmless(report.host)
        guard let refusal = report.refusal else {
            return "\(host)  "
                + paint(report.isAccepted ? "trusted" : "refused", report.isAccepted ? .success : .failure)
        }
        let word = report.isAccepted ? "accepted in spite of this" : "not trusted"
        return "\(host)  \(paint(word, .failure))\n" + Self.wrapped(ShownText.harmless(refusal.message), indent: 2)
    }

    // MARK: The chain

    private func chain(_ report: TrustReport) -> String {
        // The chain that was verified says more, but of a refused server it may be empty.
        let isVerified = report.refusal == nil && !report.verifiedChain.isEmpty
        let certificates = isVerified ? report.verifiedChain : report.presentedChain
        let title = isVerified ? "Chain, verified" : "Chain, as the server has shown it"
        guard !certificates.isEmpty else { return paint(title, .name) + "\n  none" }
        let lines = certificates.enumerated().map { position, certificate in
            self.lines(certificate, position, isAtFault: certificate == report.refusal?.certificate)
        }
        return ([paint(title, .name)] + lines).joined(separator: "\n")
    }

    private func lines(_ certificate: CertificateSummary, _ position: Int, isAtFault: Bool) -> String {
        let (first, last) = (certificate.notBefore, certificate.notAfter)
        let days = "\(CertificateSummary.day(first)) to \(CertificateSummary.day(last))"
        let fields = [
            ("issuer", certificate.issuer), ("valid", "\(days), \(left(certificate))"),
            ("key", certificate.keyDescription), ("serial", certificate.serialNumber),
            ("pin", certificate.publicKeyPin.description),
        ]
        let title = "  \(position)  \(ShownText.harmless(certificate.subject))"
        let lines = fields.map { name, value in
            "     \(paint(ShownText.fitted(name, to: 8), .faint))\(ShownText.harmless(value))"
        }
        return ([title + (isAtFault ? "  " + paint("at fault", .failure) : "")] + lines).joined(separator: "\n")
    }

    /// How long a certificate still lives.
    private func left(_ certificate: CertificateSummary) -> String {
        func days(_ seconds: TimeInterval) -> String {
            let days = Int(seconds / 86_400)
            return days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
        }
        if now > certificate.notAfter { return "expired \(days(now.timeIntervalSince(certificate.notAfter))) ago" }
        if now < certificate.notBefore { return "begins in \(days(certificate.notBefore.timeIntervalSince(now)))" }
        return "\(days(certificate.notAfter.timeIntervalSince(now))) left"
    }

    // MARK: The rules

    private func rules(_ report: TrustReport) -> String {
        let broken = report.brokenRules + [report.refusal?.rule].compactMap(\.self)
        let unknown = unknown(report, broken)
        // Those of a policy are kept only where the policy has pins or its like.
        let kept = TrustRule.all.filter { rule in
            !broken.contains(rule) && !unknown.contains(rule)
                && ![.namesNeedPins, .hostPolicy, .decision].contains(rule)
                && (rule != .pin || report.matchedPin != nil)
        }
        var lines = [paint("Rules", .name)]
        for rule in TrustRule.all where broken.contains(rule) {
            lines.append("  \(paint(ShownText.fitted("broken", to: 8), .failure))\(rule)")
        }
        lines += line("kept", kept, .success) + line("unknown", unknown, .faint)
        if let pin = report.matchedPin { lines.append("  \(ShownText.fitted("pinned", to: 8))\(pin)") }
        return lines.joined(separator: "\n")
    }

    private func line(_ word: String, _ rules: [TrustRule], _ part: Paint.Part) -> [String] {
        guard !rules.isEmpty else { return [] }
        let names = Self.wrapped(rules.map(\.description).joined(separator: ", "), indent: 10)
        return ["  \(paint(ShownText.fitted(word, to: 8), part))" + names.dropFirst(10)]
    }

    /// The rules that could not be checked: without a list of revoked certificates, without a chain
    /// to a trusted certificate, or without a certificate that can be read.
    private func unknown(_ report: TrustReport, _ broken: [TrustRule]) -> [TrustRule] {
        let ofChain: [TrustRule] = [
            .trustRoots, .issuer, .selfSigned, .signature, .pathLength, .nameConstraints, .revocation,
            .revocationUnknown,
        ]
        let ofPolicy: [TrustRule] = [.namesNeedPins, .hostPolicy, .pin, .decision]
        let rules: [TrustRule] =
            if report.verifiedChain.isEmpty, !broken.isEmpty {
                TrustRule.all.filter { !ofPolicy.contains($0) }
            } else if !Set(broken).isDisjoint(with: [.trustRoots, .issuer, .selfSigned, .signature, .chainSize]) {
                ofChain
            } else {
                hasRevocationLists ? [] : [.revocation, .revocationUnknown]
            }
        return rules.filter { !broken.contains($0) }
    }

    // MARK: The policy

    /// The policy that pins the key of the server, and that of the authority above as a backup; nil
    /// for a server that is not to be trusted.
    private func policy(_ report: TrustReport) -> String? {
        guard report.isAccepted, report.refusal == nil, let server = report.verifiedChain.first else { return nil }
        let backup = report.verifiedChain.dropFirst().first
        var lines = [
            paint("Policy", .name), "  configuration.hostSecurityPolicies[\"\(report.serverName)\"] = .pinning(",
            "      keys: [try PublicKeyPin(\"\(server.publicKeyPin)\")]" + (backup == nil ? "" : ","),
        ]
        if let backup { lines.append("      backups: [try PublicKeyPin(\"\(backup.publicKeyPin)\")]") }
        lines.append("  )")
        return lines.joined(separator: "\n")
    }

    /// The words in lines of at most ``width`` columns.
    private static func wrapped(_ text: String, indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, ShownText.width(of: last) + 1 + ShownText.width(of: String(word)) <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(space + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
