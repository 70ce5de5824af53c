/// The authorities that a session trusts, and its client certificate.
///
/// No counterpart in AFNetworking or Alamofire: they trust the authorities of the system, and take
/// a client certificate as a credential of the authentication challenge. Whether a server is
/// trusted is decided with these authorities by the ``SecurityPolicy``.
public struct TLSSettings: Sendable, Hashable {
    /// The certificate authorities that are trusted.
    public struct TrustRoots: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case system
            case file(String)
            case pem(String)
        }

        let sources: [Source]

        /// The system's, found as OpenSSL and curl find them: `SSL_CERT_FILE` and `SSL_CERT_DIR`
        /// first, then the system's places.
        public static let system = TrustRoots(sources: [.system])

        /// The PEM file or directory at a path, instead of the system's.
        ///
        /// - Parameter path: The path.
        /// - Returns: The authorities.
        public static func file(_ path: String) -> TrustRoots { TrustRoots(sources: [.file(path)]) }

        /// PEM text, instead of the system's.
        ///
        /// - Parameter text: The certificates.
        /// - Returns: The authorities.
        public static func pem(_ text: String) -> TrustRoots { TrustRoots(sources: [.pem(text)]) }

        /// These authorities and others: `.system.adding(.file("company.pem"))`.
        ///
        /// - Parameter others: The others.
        /// - Returns: All of them.
        public func adding(_ others: TrustRoots) -> TrustRoots { TrustRoots(sources: sources + others.sources) }
    }

    /// The certificate authorities that are trusted. Default: the system's.
    ///
    /// A certificate that no other one has signed, or that of a server itself, is trusted like that
    /// of an authority: as itself.
    public var trustRoots = TrustRoots.system

    /// Lists of certificates that were revoked. Default: nil, revoked certificates are accepted.
    public var revocationLists: RevocationLists?

    /// The client certificate. Default: none.
    public var identity: Identity?

    /// The client certificates of single hosts, in place of ``identity``. The keys are as those of
    /// ``HostSecurityPolicies/policies``: a name, an IP address, or `*.` and a domain for the hosts
    /// directly below it. With a key that is no host, or two that are the same one, every secure
    /// connection fails with ``NetworkingError/Code/invalidTrustConfiguration``. Default: none.
    public var hostIdentities: [String: Identity] = [:]

    /// The lowest version of TLS. Default: 1.2, since RFC 8996 forbids those before.
    public var minimumVersion = TLSVersion.tls1_2

    /// The highest version of TLS. Default: nil, 1.3.
    public var maximumVersion: TLSVersion?

    /// The cipher suites for TLS 1.2, the preferred one first. Default: nil, those of SwiftNIO: the
    /// ones with forward secrecy and authenticated encryption first.
    public var cipherSuites: [TLSCipherSuite]?

    /// The path of a file to which the secrets of each connection are appended, so that Wireshark
    /// can show what was sent: whoever has the file can decrypt it. The usual place is that of the
    /// variable `SSLKEYLOGFILE`, which is not read by itself. The file is made with the mode 0600.
    /// Default: nil.
    public var keyLogFile: String?

    /// The time a server has to send its closing alert in return (RFC 8446 §6.1), before the
    /// connection is closed without it.
    var closingTime = Duration.milliseconds(250)

    /// Makes the default settings.
    public init() {}
}
