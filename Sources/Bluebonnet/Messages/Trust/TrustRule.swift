/// A rule that decides whether a server is trusted. A struct, so that a new rule does not break a
/// `switch`. No counterpart in AFNetworking.
public struct TrustRule: Sendable, Hashable, CustomStringConvertible {
    /// The name of the rule in kebab-case: `unknown-issuer`.
    public let rawValue: String
    /// The error code of a refusal by this rule.
    public let code: NetworkingError.Code
    /// The more severe of two refusals is the one that is reported: it has the lower number.
    let severity: Int

    private init(_ rawValue: String, _ code: NetworkingError.Code, _ severity: Int) {
        self.rawValue = rawValue
        self.code = code
        self.severity = severity
    }

    /// The ``rawValue``.
    public var description: String { rawValue }

    /// Rules are equal when their names are.
    public static func == (left: TrustRule, right: TrustRule) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    // MARK: The chain

    /// The server shows a certificate.
    public static let certificate = Self("certificate", .certificateInvalid, 0)
    /// The server shows at most 64 certificates of 256 KiB together, and to find a chain among them
    /// needs no more work than a limit allows.
    public static let chainSize = Self("chain-size", .certificateInvalid, 0)
    /// A certificate that is needed is well-formed (RFC 5280 §4.1).
    public static let encoding = Self("encoding", .certificateInvalid, 1)
    /// There are trusted certificates that can be read: ``TLSSettings/trustRoots``, or the pinned
    /// certificates.
    public static let trustRoots = Self("trust-roots", .invalidTrustConfiguration, 2)
    /// An authority in the chain is trusted. Also broken where the way to it cannot be checked, as
    /// with a signature of an unknown kind or an authority whose key is too short; the message and
    /// ``TrustReport/brokenRules`` then have that reason, too.
    public static let issuer = Self("issuer", .certificateUntrusted, 2)
    /// A certificate that its own key has signed is among the trusted ones.
    public static let selfSigned = Self("self-signed", .certificateUntrusted, 2)
    /// A certificate has the signature of the authority that it names (RFC 5280 §6.1.3).
    public static let signature = Self("signature", .certificateUntrusted, 2)
    /// Signatures are of a kind that can be checked here.
    public static let signatureAlgorithm = Self("signature-algorithm", .certificateInvalid, 3)
    /// Signatures are not made with SHA-1 or an older hash, but for that of a root over itself.
    public static let signatureHash = Self("signature-hash", .certificateWeak, 4)
    /// Keys are RSA with 2048 to 8192 bits, P-256, P-384, P-521 or Ed25519. A server with P-521
    /// must have TLS 1.3; in TLS 1.2 the handshake fails with ``NetworkingError/Code/tlsFailed``.
    public static let key = Self("key", .certificateWeak, 4)
    /// Certificates are of version 3.
    public static let version = Self("version", .certificateInvalid, 5)
    /// No critical extension is unknown here (RFC 5280 §4.2).
    public static let criticalExtension = Self("critical-extension", .certificateInvalid, 5)
    /// An issuer is an authority by its basic constraints (RFC 5280 §4.2.1.9).
    public static let basicConstraints = Self("basic-constraints", .certificateInvalid, 5)
    /// No more authorities follow an authority than it may have below it (RFC 5280 §4.2.1.9).
    public static let pathLength = Self("path-length", .certificateInvalid, 5)
    /// A key may be used so: that of an authority to sign certificates (RFC 5280 §4.2.1.3).
    public static let keyUsage = Self("key-usage", .certificateInvalid, 5)
    /// Certificates are for TLS servers (RFC 5280 §4.2.1.12).
    public static let extendedKeyUsage = Self("extended-key-usage", .certificateInvalid, 5)
    /// No list of ``TLSSettings/revocationLists`` names a certificate (RFC 5280 §5).
    public static let revocation = Self("revocation", .certificateRevoked, 5)
    /// Every certificate but the trusted one is in the scope of a list of revoked certificates that
    /// is valid now, where such lists are required.
    public static let revocationUnknown = Self("revocation-unknown", .certificateInvalid, 8)
    /// Names are among those that the authorities above may sign for (RFC 5280 §4.2.1.10).
    public static let nameConstraints = Self("name-constraints", .certificateInvalid, 5)
    /// The certificate is for the host of the URL (RFC 9525).
    public static let host = Self("host", .certificateHostMismatch, 6)
    /// Certificates are already valid.
    public static let notBefore = Self("not-before", .certificateNotYetValid, 7)
    /// Certificates are still valid.
    public static let notAfter = Self("not-after", .certificateExpired, 7)

    // MARK: The policy

    /// A policy that accepts invalid certificates and checks names has pins (as in AFNetworking).
    public static let namesNeedPins = Self("names-need-pins", .invalidTrustConfiguration, 0)
    /// A certificate or key of the chain is among the pins.
    public static let pin = Self("pin", .certificateNotPinned, 8)
    /// There is a policy for the host, where every host must have one.
    public static let hostPolicy = Self("host-policy", .invalidTrustConfiguration, 0)
    /// The ``SecurityPolicy/decision`` of the policy accepts the server.
    public static let decision = Self("decision", .certificateRefused, 9)

    /// Every rule there is today, in the order in which a refusal is more severe.
    public static let all: [TrustRule] = [
        .certificate, .chainSize, .namesNeedPins, .hostPolicy, .encoding, .trustRoots, .issuer, .selfSigned, .signature,
        .signatureAlgorithm, .signatureHash, .key, .version, .criticalExtension, .basicConstraints, .pathLength,
        .keyUsage, .extendedKeyUsage, .revocation, .nameConstraints, .host, .notBefore, .notAfter, .revocationUnknown,
        .pin, .decision,
    ]
}

/// The reason why a server is not trusted: the rule, and the certificate at fault. Counterpart of
/// `AFError.ServerTrustFailureReason` in Alamofire.
///
/// It is the ``NetworkingError/underlying`` error of a refused request;
/// ``NetworkingError/trustRefusal`` finds it.
public struct TrustRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that refused.
    public let rule: TrustRule
    /// The sentence about it.
    public let message: String
    /// The host of the URL with its port.
    public let host: String
    /// The certificate at fault; nil when none can be named.
    public let certificate: CertificateSummary?
    /// The chain that was examined, from the server's own certificate to the last one that could be
    /// found.
    public let chain: [CertificateSummary]

    /// The message, and the chain with a line for each certificate.
    public var description: String {
        var lines = ["\(rule): \(message)"]
        for (position, certificate) in chain.enumerated() {
            lines.append("\(position). \(certificate)" + (certificate == self.certificate ? " (at fault)" : ""))
        }
        return lines.joined(separator: "\n")
    }
}

extension NetworkingError {
    /// The rule that refused the server and the certificates, when the code is one of
    /// ``Code/Family/trust``; nil otherwise.
    public var trustRefusal: TrustRefusal? {
        var error = underlying
        while let current = error {
            if let refusal = current as? TrustRefusal { return refusal }
            error = (current as? NetworkingError)?.underlying
        }
        return nil
    }
}
