import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The certificates of one case: what a server shows, and what the client trusts.
struct TrustScene: Sendable {
    /// The server's own certificate first.
    var shown: [MintedCertificate]
    var trusted: [MintedCertificate]
    var host = "localhost"
    var revocationLists: TLSSettings.RevocationLists?
    /// The authorities of the certificate that the server wants of its clients; none where it wants
    /// none.
    var clientAuthorities: [TestIdentity] = []

    init(_ shown: [MintedCertificate], trusting trusted: [MintedCertificate], host: String = "localhost") {
        (self.shown, self.trusted, self.host) = (shown, trusted, host)
    }

    var anchors: TrustAnchors {
        // Lists that cannot be read are no part of a scene.
        TrustAnchors(trusted.map(\.der), revocations: revocationLists.flatMap { try? RevocationIndex($0) })
    }

    func result(at now: Date = Date(), limits: PathSearch.Limits = .init()) -> TrustVerifier.Result {
        TrustVerifier(anchors: anchors, identity: ServerIdentity(host: host), now: now, limits: limits)
            .verify(shown.map(\.der))
    }

    /// What the client trusts, in PEM. Nothing is one certificate that no case has: lists must not
    /// be empty.
    var trustedPEM: String {
        guard trusted.isEmpty else { return trusted.map(\.pem).joined() }
        return (try? TestCertificates.shared().untrusted.certificatePEM) ?? ""
    }

    /// The lists of revoked certificates in PEM; nil where there are none.
    var revocationPEM: String? {
        guard let revocationLists else { return nil }
        return revocationLists.sources.map { if case .pem(let text) = $0 { text } else { "" } }.joined()
    }

    /// The settings of a session that trusts the certificates.
    var configuration: SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.tls.trustRoots = .pem(trustedPEM)
        configuration.tls.revocationLists = revocationLists
        if host.hasSuffix(".example.com") { configuration.nameResolver = StubResolver([host: [address]]) }
        return configuration
    }

    /// Runs the body with the settings of a session that trusts the certificates. Where the server
    /// wants a certificate of its clients, the session has one, and the body gets its files.
    func withConfiguration(
        _ body: (SessionConfiguration, TestCertificateFiles?) async throws -> Void
    ) async throws {
        guard !clientAuthorities.isEmpty else { return try await body(configuration, nil) }
        try await TestCertificates.shared().withFiles { files in
            var configuration = configuration
            configuration.tls.identity = TLSSettings.Identity(
                certificateFile: files.path("client.pem"),
                privateKeyFile: files.path("client.key")
            )
            try await body(configuration, files)
        }
    }

    /// The address that the server listens on.
    var address: String { host.contains(":") ? host : "127.0.0.1" }

    /// The host as URLs have it.
    var urlHost: String { host.contains(":") ? "[\(host)]" : host }

    /// The options of a server that shows the certificates.
    func options(_ tls: ServerTLS) -> FaultServer.Options { FaultServer.Options(tls: tls, host: address) }

    /// The settings of a server that shows the certificates.
    func serverTLS(
        _ version: ServerTLS.Version,
        _ identity: TestIdentity
    ) -> ServerTLS? {
        guard let key = shown.first?.mint.key.pem else { return nil }
        var tls = ServerTLS(identity, minimumVersion: version, maximumVersion: version)
        tls.chainPEM = shown.map(\.pem).joined()
        tls.privateKeyPEM = key
        tls.clientAuthorities = clientAuthorities
        return tls
    }
}

/// A chain of certificates and the rule that must refuse it.
struct TrustCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Nil where the chain is good.
    var rule: TrustRule?
    /// Whether a server can show it: BoringSSL must be able to read it.
    var isLive: Bool
    /// The versions of TLS in which a server can show it.
    var versions: [ServerTLS.Version]
    var make: @Sendable (TrustWorkshop) throws -> TrustScene

    init(
        _ description: String,
        _ rule: TrustRule? = nil,
        isLive: Bool = true,
        versions: [ServerTLS.Version] = [.tls12, .tls13],
        _ make: @escaping @Sendable (TrustWorkshop) throws -> TrustScene
    ) {
        (testDescription, self.rule, self.isLive, self.make) = (description, rule, isLive, make)
        self.versions = versions
    }

    /// All cases that a server can show.
    static let live = (GoodTrustCases.all + BadTrustCases.all).filter(\.isLive)

    /// Whether a server can listen on `::1`; containers often have no IPv6.
    static let hasIPv6 =
        (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?
        .contains("00000000000000000000000000000001") == true
}

/// Makes certificates for tests. Keys are few, since those of RSA take long to make.
struct TrustWorkshop: Sendable {
    typealias Change = (inout CertificateMint) throws -> Void

    let now: Date
    let keys: [CertificateKey]
    let otherKeys: [CertificateKey.Kind: CertificateKey]
    let root: MintedCertificate
    let middle: MintedCertificate

    private static let common = Result { try TrustWorkshop() }

    static func shared() throws -> TrustWorkshop { try common.get() }

    init() throws {
        now = Date()
        keys = try (0..<12).map { _ in try CertificateKey(.p256) }
        otherKeys = try Dictionary(
            uniqueKeysWithValues: CertificateKey.Kind.allCases.map { ($0, try CertificateKey($0)) }
        )
        root = try Self.authority("Root", keys[0], now).made()
        middle = try Self.authority("Middle", keys[1], now).made(by: root)
    }

    func key(_ kind: CertificateKey.Kind) throws -> CertificateKey {
        guard let key = otherKeys[kind] else { return try CertificateKey(kind) }
        return key
    }

    private static func authority(_ name: String, _ key: CertificateKey, _ now: Date) throws -> CertificateMint {
        var mint = try CertificateMint(name, key: key, at: now)
        mint.extensions = [.authority(), .keyUsage(0x06)]
        return mint
    }

    /// An authority; of its own without an issuer.
    func authority(
        _ name: String,
        _ key: Int,
        by issuer: MintedCertificate? = nil,
        _ change: Change = { _ in }
    ) throws -> MintedCertificate {
        var mint = try Self.authority(name, keys[key], now)
        try change(&mint)
        return try mint.made(by: issuer)
    }

    /// The certificate of a server, for `localhost`.
    func leaf(by issuer: MintedCertificate?, _ change: Change = { _ in }) throws -> MintedCertificate {
        var mint = try CertificateMint("server", key: keys[11], at: now)
        mint.extensions = [.keyUsage(0x80), try .purposes([1]), .names([.dns("localhost")])]
        try change(&mint)
        return try mint.made(by: issuer)
    }

    /// The server's certificate, from the root by way of ``middle``.
    func scene(host: String = "localhost", _ change: Change = { _ in }) throws -> TrustScene {
        TrustScene([try leaf(by: middle, change), middle], trusting: [root], host: host)
    }

    /// The same with another authority in place of ``middle``.
    func scene(
        middle change: Change,
        host: String = "localhost",
        leaf changeLeaf: Change = { _ in }
    ) throws -> TrustScene {
        let middle = try authority("Other middle", 2, by: root, change)
        return TrustScene([try leaf(by: middle, changeLeaf), middle], trusting: [root], host: host)
    }

    /// The same with constraints for the names of the certificates below ``root``.
    func scene(
        permitted: [TestAlternativeName] = [],
        excluded: [TestAlternativeName] = [],
        names: [TestAlternativeName] = [.dns("localhost")],
        host: String = "localhost",
        leaf change: Change = { _ in }
    ) throws -> TrustScene {
        try scene(
            middle: { $0.extensions.append(.nameConstraints(permitted: permitted, excluded: excluded)) },
            host: host,
            leaf: { mint in
                mint.setNames(names)
                try change(&mint)
            }
        )
    }
}

extension CertificateMint {
    mutating func setNames(_ names: [TestAlternativeName]?) {
        extensions.removeAll { $0.identifier == [2, 5, 29, 17] }
        if let names { extensions.append(.names(names)) }
    }

    mutating func replace(_ item: Extension) {
        remove(item.identifier)
        extensions.append(item)
    }

    mutating func remove(_ identifier: [UInt]) {
        extensions.removeAll { $0.identifier == identifier }
    }

    mutating func expire() {
        notBefore.addTimeInterval(-172_800)
        notAfter.addTimeInterval(-172_800)
    }

    mutating func delay() {
        notBefore.addTimeInterval(172_800)
        notAfter.addTimeInterval(172_800)
    }
}
