import FoundationEssentials
import SwiftASN1
import X509

/// The rules for a chain whose signatures are known to be good (RFC 5280 §6.1, RFC 9525), but for
/// those of ``NameConstraintRules`` and ``RevocationIndex``, which cost more.
///
/// They hold for each certificate, the trusted one at the end included: an authority that has
/// expired or may sign no more is refused also where it is trusted.
struct PathRules {
    /// The server that is meant; nil where any will do.
    var identity: ServerIdentity?
    var now: Date

    /// The rules that a chain breaks, the server's certificate first and the trusted one last; none
    /// where it is good.
    func findings(_ path: [ChainCertificate]) -> [TrustFinding] {
        var findings: [TrustFinding] = []
        for (place, certificate) in path.enumerated() {
            findings += Self.format(certificate, isLast: place == path.count - 1)
            findings += dates(certificate)
            findings += place == 0 ? Self.leaf(certificate) : Self.authority(certificate, below: path[1..<place])
        }
        if let identity, let leaf = path.first { findings += Self.names(leaf, identity) }
        return findings
    }

    // MARK: Every certificate

    /// RFC 5280 §4.2: extensions that this code knows, with all that they can say.
    ///
    /// Policies, their mappings (§4.2.1.5) and that any policy is inhibited (§4.2.1.14) are among
    /// them because no policy is required here: then they can only restrict each other. That one
    /// is required is itself a critical extension (§4.2.1.11), and unknown here.
    private static let known: Set<ASN1ObjectIdentifier> = [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.nameConstraints, .X509ExtensionID.subjectAlternativeName, certificatePolicies, policyMappings,
        inhibitAnyPolicy,
    ]
    private static let certificatePolicies: ASN1ObjectIdentifier = [2, 5, 29, 32]
    private static let policyMappings: ASN1ObjectIdentifier = [2, 5, 29, 33]
    private static let inhibitAnyPolicy: ASN1ObjectIdentifier = [2, 5, 29, 54]

    private static func format(_ certificate: ChainCertificate, isLast: Bool) -> [TrustFinding] {
        var findings: [TrustFinding] = []
        let fields = certificate.fields
        if certificate.version != 3 {
            findings.append(TrustFinding(.version, fields, "is not of version 3"))
        }
        // The last one is trusted as it is, whatever signature it has.
        if !isLast, fields.hasWeakSignature { findings.append(.weakSignature(fields)) }
        if let fault = certificate.keyFault { findings.append(fault) }
        for item in certificate.extensions where item.critical && !known.contains(item.oid) {
            let predicate = "has a critical extension that is unknown here (\(item.oid.shown))"
            findings.append(TrustFinding(.criticalExtension, fields, predicate))
        }
        return findings
    }

    private func dates(_ certificate: ChainCertificate) -> [TrustFinding] {
        let fields = certificate.fields
        if now > fields.notAfter {
            return [TrustFinding(.notAfter, fields, "expired on \(CertificateSummary.day(fields.notAfter))")]
        }
        if now < fields.notBefore {
            return [TrustFinding(.notBefore, fields, "is not valid before \(CertificateSummary.day(fields.notBefore))")]
        }
        return []
    }

    // MARK: Authorities

    /// The rules for an authority, below which there are others above the server's certificate.
    private static func authority(
        _ certificate: ChainCertificate,
        below: ArraySlice<ChainCertificate>
    ) -> [TrustFinding] {
        var findings: [TrustFinding] = []
        let fields = certificate.fields
        switch certificate.basicConstraints {
        case .isCertificateAuthority(let limit):
            // RFC 5280 §4.2.1.9: certificates of an authority for itself do not count.
            let count = below.count { !$0.isSelfIssued }
            if let limit, count > limit {
                findings.append(
                    TrustFinding(.pathLength, fields, "allows \(limit) authorities below it, and there are \(count)")
                )
            }
        case .notCertificateAuthority, nil:
            findings.append(TrustFinding(.basicConstraints, fields, "is not that of an authority"))
        }
        if let usage = certificate.keyUsage, !usage.keyCertSign {
            findings.append(TrustFinding(.keyUsage, fields, "has a key that must not sign certificates"))
        }
        if let usages = certificate.extendedKeyUsage, !usages.contains(.serverAuth), !usages.contains(.any) {
            findings.append(TrustFinding(.extendedKeyUsage, fields, "must not sign certificates of TLS servers"))
        }
        return findings
    }

    // MARK: The server's certificate

    private static func leaf(_ certificate: ChainCertificate) -> [TrustFinding] {
        var findings: [TrustFinding] = []
        let fields = certificate.fields
        // RFC 5280 §4.2.1.3: which of the three TLS needs depends on its cipher.
        if let usage = certificate.keyUsage, !usage.digitalSignature, !usage.keyEncipherment, !usage.keyAgreement {
            findings.append(TrustFinding(.keyUsage, fields, "has a key that must not be used for TLS"))
        }
        if let usages = certificate.extendedKeyUsage, !usages.contains(.serverAuth) {
            findings.append(TrustFinding(.extendedKeyUsage, fields, "is not for TLS servers"))
        }
        return findings
    }

    private static func names(_ leaf: ChainCertificate, _ identity: ServerIdentity) -> [TrustFinding] {
        var presented = PresentedIdentifiers(of: leaf)
        guard !presented.contain(identity) else { return [] }
        presented.commonName = PresentedIdentifiers.commonName(of: leaf.fields.subject)
        return [TrustFinding(.host, leaf.fields, presented.refusal(of: identity))]
    }
}
