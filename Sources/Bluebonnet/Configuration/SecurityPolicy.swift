public import FoundationEssentials

/// The rules by which a session trusts servers, and the certificates or keys that it expects.
///
/// Counterpart of `AFSecurityPolicy`, with its order of evaluation, and of `ServerTrustEvaluating`
/// in Alamofire. It is evaluated on each new TLS connection, before a byte of a request is sent.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.securityPolicy = .pinning(
///     keys: [try PublicKeyPin("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
/// )
/// ```
///
/// An invalid certificate is one that breaks any of the rules ``TrustRule`` about the chain but
/// ``TrustRule/host``: whether it is for the host is a question of its own.
public struct SecurityPolicy: Sendable {
    /// The way in which certificates are compared with the pins. Counterpart of
    /// `AFSSLPinningMode`.
    public struct PinningMode: Sendable, Hashable, CustomStringConvertible {
        /// The name of the mode: `publicKey`.
        public let description: String

        /// Pins are not used. The default.
        public static let none = PinningMode(description: "none")
        /// A key in the chain must be that of a pinned certificate or one of the pinned keys.
        public static let publicKey = PinningMode(description: "publicKey")
        /// The chain must be valid, and also lead to a pinned certificate when the pinned ones
        /// alone are trusted.
        public static let certificate = PinningMode(description: "certificate")
    }

    /// The way in which certificates are compared with the pins. Default: none. With another mode
    /// and without pins, every server is refused.
    public var pinningMode = PinningMode.none

    /// The pinned certificates. Default: none.
    public var pinnedCertificates: Set<PinnedCertificate> = []

    /// The pinned keys, for the mode ``PinningMode/publicKey``; those of ``pinnedCertificates`` are
    /// added. Default: none.
    public var pinnedKeys: Set<PublicKeyPin> = []

    /// Pinned keys that no server shows yet, for the day on which a key is lost or replaced. They
    /// are as good as ``pinnedKeys``; a ``TrustReport`` tells which of them a server has shown.
    /// Default: none.
    public var backupKeys: Set<PublicKeyPin> = []

    /// The time after which the pins are not used any more, so that programs that are never updated
    /// do not lose their server. Certificates must then be valid and for the host, whatever
    /// ``allowsInvalidCertificates`` and ``validatesDomainName`` say. Default: nil, never.
    public var pinsExpire: Date?

    /// Whether servers are also accepted with invalid certificates. Default: false.
    ///
    /// Without pins every server is accepted then, so that anyone can listen in, and it must not be
    /// combined with ``validatesDomainName``: the name in a certificate that anyone can make says
    /// nothing. With pinned certificates, a chain must still lead to one of them. With pinned keys,
    /// the signatures from the server's certificate up to the pinned key must be good, and what is
    /// between the two must be authorities that may sign for the names; none of these certificates
    /// may be in ``TLSSettings/revocationLists``.
    public var allowsInvalidCertificates = false

    /// Whether certificates must be for the host of the URL (over a Unix-domain socket, for
    /// `localhost`). Default: true.
    public var validatesDomainName = true

    /// Whether pins only report: a server without one of the pins is accepted, and ``report``
    /// called with the refusal that there would have been. Certificates must then be valid and for
    /// the host, whatever ``allowsInvalidCertificates`` and ``validatesDomainName`` say. Default:
    /// false.
    public var reportsOnly = false

    /// Called for each new connection whose server was judged, on an event loop or another thread:
    /// it must not block. Not called when a host begins to use an HTTP/2 connection that was made
    /// for another one, whose certificates fulfil its policy. Default: nil.
    public var report: (@Sendable (TrustReport) -> Void)?

    /// Decides about each new connection after the rest of the policy, whatever its result, before
    /// a byte of the request is sent, within the time for connecting. A host whose policy has it
    /// never uses an HTTP/2 connection that was made for another host. Default: nil, the rest of
    /// the policy decides.
    public var decision: (@Sendable (TrustReport) async -> TrustDecision)?

    /// Makes the default policy: valid certificates for the host of the URL, without pins.
    public init() {}

    /// The default policy: valid certificates for the host of the URL, without pins.
    public static let standard = SecurityPolicy()

    /// Accepts every server. For tests: anyone can listen in.
    public static let acceptingAnyCertificate: SecurityPolicy = {
        var policy = SecurityPolicy()
        policy.allowsInvalidCertificates = true
        policy.validatesDomainName = false
        return policy
    }()

    /// The default policy with pinned keys.
    ///
    /// - Parameters:
    ///   - keys: The pins, of which a chain must contain one.
    ///   - backups: Pins of keys that are not in use yet. Default: none.
    ///   - expire: The time after which the pins are not used any more. Default: never.
    /// - Returns: The policy.
    public static func pinning(
        keys: Set<PublicKeyPin>,
        backups: Set<PublicKeyPin> = [],
        until expire: Date? = nil
    ) -> SecurityPolicy {
        var policy = SecurityPolicy()
        policy.pinningMode = .publicKey
        policy.pinnedKeys = keys
        policy.backupKeys = backups
        policy.pinsExpire = expire
        return policy
    }

    /// The default policy with pinned certificates. Counterpart of
    /// `policyWithPinningMode:withPinnedCertificates:`.
    ///
    /// - Parameters:
    ///   - mode: Whether the certificates or their keys are pinned.
    ///   - certificates: The certificates.
    /// - Returns: The policy.
    public static func pinning(_ mode: PinningMode, _ certificates: Set<PinnedCertificate>) -> SecurityPolicy {
        var policy = SecurityPolicy()
        policy.pinningMode = mode
        policy.pinnedCertificates = certificates
        return policy
    }

    /// The generation of the ``PinList`` that the pins are from; 0 for those of the program.
    var pinGeneration = 0

    /// All keys that may be in a chain.
    var acceptedKeys: Set<PublicKeyPin> {
        pinnedKeys.union(backupKeys).union(pinnedCertificates.map(\.publicKeyPin))
    }

    /// Whether there is a pin for the mode.
    var hasPins: Bool {
        pinningMode == .certificate ? !pinnedCertificates.isEmpty : !acceptedKeys.isEmpty
    }

    /// The policy as it counts at a time: without pins when they have expired. Pins that are gone
    /// or only report leave valid certificates for the host, and nothing that the pins were to make
    /// up for.
    func at(_ now: Date) -> SecurityPolicy {
        guard pinningMode != .none else { return self }
        let areExpired = pinsExpire.map { now > $0 } ?? false
        guard areExpired || reportsOnly else { return self }
        var policy = self
        if areExpired { policy.pinningMode = .none }
        policy.allowsInvalidCertificates = false
        policy.validatesDomainName = true
        return policy
    }
}

/// The policies of single hosts. Counterpart of `ServerTrustManager` in Alamofire.
///
/// ```swift
/// var configuration = SessionConfiguration()
/// configuration.hostSecurityPolicies = [
///     "test.example.com": .acceptingAnyCertificate,
///     "*.example.org": .standard,
/// ]
/// ```
public struct HostSecurityPolicies: Sendable, ExpressibleByDictionaryLiteral {
    /// The policies by host: a name, an IP address, or `*.` and a domain, for the hosts directly
    /// below it. A name is preferred to a pattern. Default: none.
    ///
    /// A key that is no host, as a URL or a host with a port, would leave the host that was meant
    /// without its policy. So every secure connection of the session then fails with
    /// ``NetworkingError/Code/invalidTrustConfiguration``, also when two keys are the same host.
    public var policies: [String: SecurityPolicy] {
        didSet { patterns = Self.patterns(policies) }
    }

    /// Whether every host must have a policy here; the others are refused with
    /// ``NetworkingError/Code/invalidTrustConfiguration``. Default: false, they have
    /// ``SessionConfiguration/securityPolicy``.
    public var isEveryHostRequired = false

    private var patterns: HostPatterns<SecurityPolicy>

    /// Makes policies.
    ///
    /// - Parameters:
    ///   - policies: The policies by host.
    ///   - isEveryHostRequired: Whether every host must have one. Default: false.
    public init(_ policies: [String: SecurityPolicy], isEveryHostRequired: Bool = false) {
        self.policies = policies
        self.isEveryHostRequired = isEveryHostRequired
        patterns = Self.patterns(policies)
    }

    private static func patterns(_ policies: [String: SecurityPolicy]) -> HostPatterns<SecurityPolicy> {
        HostPatterns(policies, in: "hostSecurityPolicies")
    }

    /// Makes policies; the last one of a key counts.
    ///
    /// - Parameter elements: The hosts with their policies.
    public init(dictionaryLiteral elements: (String, SecurityPolicy)...) {
        self.init(Dictionary(elements) { _, last in last })
    }

    /// Sets or removes the policy of a host.
    ///
    /// - Parameter host: The host, as in ``policies``.
    public subscript(host: String) -> SecurityPolicy? {
        get { policies[host] }
        set { policies[host] = newValue }
    }

    /// The policy of a host; nil where it has none.
    func policy(for host: String) throws(NetworkingError) -> SecurityPolicy? { try patterns.value(for: host) }
}

extension SessionConfiguration {
    /// The policy of a host at a time, with the pins of the list in place of its own; nil for a
    /// host that has none where every host must have one.
    func policy(for host: String, at now: Date) throws(NetworkingError) -> SecurityPolicy? {
        let own = try hostSecurityPolicies.policy(for: host)
        guard let (pins, generation) = try pinList?.pins(of: host) else {
            return own ?? (hostSecurityPolicies.isEveryHostRequired ? nil : securityPolicy)
        }
        let base = own ?? securityPolicy
        // Where the list has expired, the program's own pins are better than none.
        if let expire = pins.expire, now > expire, base.pinningMode != .none { return base }
        var policy = pins.replacing(in: base)
        policy.pinGeneration = generation
        return policy
    }
}

/// The verdict about one new connection, for ``SecurityPolicy/report`` and
/// ``SecurityPolicy/decision``. Takes the place of the `SecTrust` of a challenge, to which
/// AFNetworking and Alamofire have no counterpart.
public struct TrustReport: Sendable {
    /// The host of the URL with its port, or the path of a Unix-domain socket.
    public let host: String
    /// The host that the certificate must be for, as ``HostSecurityPolicies/policies`` name it:
    /// that of the URL, or `localhost` for a Unix-domain socket.
    public let serverName: String
    /// The certificates as the server has shown them, its own first; those that are not well-formed
    /// are missing.
    public let presentedChain: [CertificateSummary]
    /// The chain that was verified, from the server's certificate to a trusted one. Where the
    /// server was refused, the part of it that could be found; its signatures are good in any case.
    public let verifiedChain: [CertificateSummary]
    /// Whether the policy accepts the server.
    public let isAccepted: Bool
    /// The reason why the policy refuses the server, or would do so if it did not report only; nil
    /// otherwise.
    public let refusal: TrustRefusal?
    /// Every rule that the chain breaks, the most severe first. Where no trusted certificate was
    /// found, one of ``TrustRule/issuer``, ``TrustRule/selfSigned``, ``TrustRule/signature`` and
    /// ``TrustRule/chainSize`` is among them, and the names that authorities may sign for and the
    /// lists of revoked certificates were not looked at, unless a pinned key was to vouch for the
    /// server.
    public let brokenRules: [TrustRule]
    /// The pin that a certificate of the chain has; nil without pins, and where there is none.
    public let matchedPin: PublicKeyPin?
    /// Whether the pin is one of ``SecurityPolicy/backupKeys``.
    public let isBackupPin: Bool
}

/// The result of ``SecurityPolicy/decision``. Takes the place of
/// `NSURLSessionAuthChallengeDisposition`, to which AFNetworking has no counterpart.
public struct TrustDecision: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case byPolicy
        case accept
        case refuse(String)
    }

    let kind: Kind

    /// The result of the rest of the policy counts.
    public static let byPolicy = TrustDecision(kind: .byPolicy)

    /// The server is accepted, whatever is wrong with its certificates.
    public static let accept = TrustDecision(kind: .accept)

    /// The server is refused.
    ///
    /// - Parameter reason: The reason, for the message of the error.
    /// - Returns: The decision.
    public static func refuse(_ reason: String) -> TrustDecision { TrustDecision(kind: .refuse(reason)) }
}
