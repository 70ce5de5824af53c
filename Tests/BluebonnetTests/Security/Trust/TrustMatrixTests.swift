import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Every server of the cases with each kind of policy, over sockets: the verdict follows from
/// whether the chain is good and whether the pin is that of the server, and from nothing else.
@Suite(.timeLimit(.minutes(10)))
struct TrustMatrixTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok"), .close] }

    private let shop: TrustWorkshop
    private let certificates: TestCertificates

    init() throws {
        shop = try TrustWorkshop.shared()
        certificates = try TestCertificates.shared()
    }

    /// A policy, and the rule by which it must refuse the server of a case: nil where it must
    /// accept it.
    private struct Row {
        var name: String
        var policy: SecurityPolicy
        var rule: TrustRule?
    }

    private func rows(_ item: TrustCase, _ scene: TrustScene) throws -> [Row] {
        let leaf = try #require(scene.shown.first)
        let summary = try #require(CertificateSummary(derRepresentation: Data(leaf.der)))
        let stranger = try PublicKeyPin("sha256/" + certificates.client.publicKeyPin)
        let isGood = item.rule == nil
        let isRevoked = scene.result().findings.contains { $0.rule == .revocation && $0.fields?.bytes == leaf.der }
        func policy(_ policy: SecurityPolicy, _ change: (inout SecurityPolicy) -> Void) -> SecurityPolicy {
            var policy = policy
            change(&policy)
            return policy
        }
        let blind: (inout SecurityPolicy) -> Void = {
            $0.allowsInvalidCertificates = true
            $0.validatesDomainName = false
        }
        let own = SecurityPolicy.pinning(keys: [summary.publicKeyPin])
        let other = SecurityPolicy.pinning(keys: [stranger])
        let backup = SecurityPolicy.pinning(keys: [stranger], backups: [summary.publicKeyPin])
        let trusted = try Set(scene.trusted.map { try PinnedCertificate(derRepresentation: Data($0.der)) })
        let untrusted = try Set([PinnedCertificate(derRepresentation: Data(certificates.untrusted.certificateDER))])
        return [
            Row(name: "no pins", policy: .standard, rule: item.rule),
            Row(name: "the server's key", policy: own, rule: item.rule),
            Row(name: "the server's key as a backup", policy: backup, rule: item.rule),
            Row(name: "another key", policy: other, rule: isGood ? .pin : item.rule),
            Row(name: "another key, too late", policy: policy(other) { $0.pinsExpire = .distantPast }, rule: item.rule),
            Row(name: "another key, reported", policy: policy(other) { $0.reportsOnly = true }, rule: item.rule),
            Row(
                name: "the trusted certificates",
                policy: .pinning(.certificate, trusted),
                rule: item.rule
            ),
            Row(
                name: "another certificate",
                policy: .pinning(.certificate, untrusted),
                rule: isGood ? .pin : item.rule
            ),
            Row(name: "no pins, all certificates", policy: .acceptingAnyCertificate, rule: nil),
            Row(
                name: "the server's key, all certificates",
                policy: policy(own, blind),
                rule: isRevoked ? .revocation : nil
            ),
            Row(name: "another key, all certificates", policy: policy(other, blind), rule: .pin),
            Row(name: "empty pins", policy: .pinning(keys: []), rule: isGood ? .pin : item.rule),
            Row(
                name: "all certificates with a name, no pins",
                policy: policy(.standard) { $0.allowsInvalidCertificates = true },
                rule: .namesNeedPins
            ),
        ]
    }

    @Test(arguments: TrustCase.live)
    func `each policy has its verdict about a server, and a refused one gets no byte`(item: TrustCase) async throws {
        let scene = try item.make(shop)
        let tls = try #require(scene.serverTLS(.tls13, certificates.localhost))
        let rows = try rows(item, scene)
        try await scene.withConfiguration { configuration, _ in
            for row in rows { try await check(row, scene, tls, configuration) }
        }
    }

    private func check(
        _ row: Row,
        _ scene: TrustScene,
        _ tls: ServerTLS,
        _ configuration: SessionConfiguration
    ) async throws {
        var configuration = configuration
        configuration.securityPolicy = row.policy
        try await FaultServer.run(Self.ok, options: scene.options(tls)) { server in
            try await withSession(configuration) { session in
                let request = try Request(to: "https://\(scene.urlHost):\(server.port)/")
                guard let rule = row.rule else {
                    let response = try await session.data(for: request)
                    #expect(response.value == Data("ok".utf8), "\(row.name)")
                    return
                }
                let error = try await networkingError { _ = try await session.data(for: request) }
                #expect(error.trustRefusal?.rule == rule && error.code == rule.code, "\(row.name): \(error)")
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections.count == 1 && server.connections[0].bytesReceived == 0, "\(row.name)")
            }
        }
    }

    // MARK: Other programs

    /// The reasons why OpenSSL 3.0, and with it curl and Python, decides otherwise.
    private enum Difference {
        /// Refused here by a rule of an RFC that OpenSSL does not have, or not unless it is strict.
        case stricter
        /// Refused here, because it is not understood or needs too much work.
        case limited
        /// OpenSSL tries one path where there are several.
        case onePath
        /// OpenSSL wants the purpose itself in an authority's certificate.
        case anyPurpose
        /// OpenSSL always requires lists of revoked certificates, where it has some.
        case listsRequired
        /// Python before 3.13 wants a self-signed root; curl does not.
        case partialChain
        /// OpenSSL, which compares the names for Python, has no underscore under a wildcard; curl
        /// compares them itself.
        case underscore

        var isOfPythonAlone: Bool { self == .partialChain || self == .underscore }
    }

    private static let differences: [String: Difference] = [
        "a common name only": .stricter, "names that are not ASCII": .stricter,
        "a wildcard that covers an excluded name": .stricter, "a network whose mask has holes": .stricter,
        "a limited URI with an address": .stricter, "an excluded URI with the dot of the root": .stricter,
        "a root without basic constraints": .stricter,
        "version 1": .stricter, "an authority of version 1": .stricter,
        "a list without an end": .stricter, "a policy that is required": .limited, "a chain without end": .limited,
        "too many certificates": .limited,
        "two authorities of one name": .onePath, "a new root that the trusted one has signed": .onePath,
        "two paths, of which one is limited to other names": .onePath,
        "an authority's certificate for itself does not count": .onePath,
        "an authority for any purpose": .anyPurpose,
        "an underscore under a wildcard": .underscore,
        "an authority that is trusted without its root": .partialChain,
        "a trusted authority that the server shows": .partialChain,
        "the server's certificate, trusted without its authority": .partialChain,
        "a list that has expired and does not name it": .listsRequired,
        "a list with its name and another signature": .listsRequired,
        "a list by another authority, with its number": .listsRequired,
    ]

    @Test(.needs("curl"), .needs("python3"), arguments: TrustCase.live)
    func `curl and Python decide the same about a server, or the difference is known`(item: TrustCase) async throws {
        let scene = try item.make(shop)
        let tls = try #require(scene.serverTLS(.tls13, certificates.localhost))
        try await withDirectory { directory in
            let file = directory.appending(path: "trusted.pem")
            try Data(scene.trustedPEM.utf8).write(to: file)
            var lists: [String] = []
            if let pem = scene.revocationPEM {
                lists = [directory.appending(path: "lists.pem").path]
                try Data(pem.utf8).write(to: URL(filePath: lists[0]))
            }
            try await FaultServer.run(Self.ok, options: scene.options(tls)) { server in
                try await scene.withConfiguration { _, files in
                    let (curl, python) = try await verdicts(scene, server.port, file.path, lists, files)
                    let difference = Self.differences[item.testDescription]
                    let isGood = item.rule == nil
                    // Other versions may agree where these do not.
                    let isKnown = try await Self.areVersionsKnown.value
                    if difference.map(\.isOfPythonAlone) ?? true {
                        #expect((curl == 0) == isGood, "curl: \(curl)")
                    } else if isKnown {
                        #expect((curl == 0) != isGood, "curl: \(curl)")
                    }
                    if difference == nil {
                        #expect((python == 0) == isGood, "Python: \(python)")
                    } else if isKnown {
                        #expect((python == 0) != isGood, "Python: \(python)")
                    }
                }
            }
        }
    }

    /// The exit statuses of curl and Python.
    private func verdicts(
        _ scene: TrustScene,
        _ port: Int,
        _ roots: String,
        _ lists: [String],
        _ client: TestCertificateFiles?
    ) async throws -> (curl: Int32, python: Int32) {
        let identity = client.map { [$0.path("client.pem"), $0.path("client.key")] } ?? []
        var options = ["--silent", "--max-time", "20", "--noproxy", "*", "--cacert", roots]
        if scene.address != scene.host { options += ["--resolve", "\(scene.host):\(port):\(scene.address)"] }
        options += zip(["--cert", "--key"], identity).flatMap { [$0, $1] } + lists.flatMap { ["--crlfile", $0] }
        let curl = try await OtherProgram.run("curl", options + ["https://\(scene.urlHost):\(port)/"])
        let arguments = [scene.host, scene.address, "\(port)", roots, identity.joined(separator: ",")]
        return (curl, try await OtherProgram.run("python3", ["-c", Self.python] + arguments + lists))
    }

    /// Whether the programs are those that the differences were found with.
    private static let areVersionsKnown = Task {
        let python = """
            import ssl, sys
            sys.exit(ssl.OPENSSL_VERSION_INFO[:2] != (3, 0) or sys.version_info >= (3, 13))
            """
        let curl = try await OtherProgram.run("sh", ["-c", "curl --version | grep -q 'OpenSSL/3[.]0[.]'"])
        return try await OtherProgram.run("python3", ["-c", python]) == 0 && curl == 0
    }

    private static let python = """
        import socket, ssl, sys
        host, address, port, roots, client = sys.argv[1:6]
        context = ssl.create_default_context(cafile=roots)
        if client:
            context.load_cert_chain(*client.split(","))
        for lists in sys.argv[6:]:
            context.load_verify_locations(lists)
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_CHAIN
        with socket.create_connection((address, int(port)), timeout=20) as plain:
            try:
                context.wrap_socket(plain, server_hostname=host).close()
            except ssl.SSLError:
                sys.exit(60)
        """
}
