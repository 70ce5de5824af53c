import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOPosix
import Testing

@testable import Bluebonnet

/// Whether a server is the intended one: real handshakes with certificates made for each test.
@Suite(.timeLimit(.minutes(5)))
struct CertificateVerificationTests {
    struct Presented: Sendable, CustomTestStringConvertible {
        var host = "localhost"
        var names: [TestAlternativeName]?
        var commonName = "issued"
        var testDescription: String

        init(
            _ description: String,
            _ names: [TestAlternativeName]?,
            for host: String = "localhost",
            commonName: String = "issued"
        ) {
            (self.host, self.names, self.commonName) = (host, names, commonName)
            testDescription = description
        }
    }

    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]
    private static let loopback: [UInt8] = [127, 0, 0, 1]
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff] + loopback

    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func trusting(_ change: (inout TLSSettings) -> Void = { _ in }) -> SessionConfiguration {
        SessionConfiguration(trusting: certificates.authority, change)
    }

    private var insecure: SessionConfiguration {
        var configuration = trusting()
        configuration.securityPolicy = .acceptingAnyCertificate
        return configuration
    }

    private func options(
        _ presented: Presented,
        _ version: ServerTLS.Version = .tls13
    ) throws -> FaultServer.Options {
        let identity = try certificates.issue(for: presented.names, commonName: presented.commonName)
        return FaultServer.Options(tls: ServerTLS(identity, minimumVersion: version, maximumVersion: version))
    }

    // MARK: Through a session

    static let good = [
        Presented("the name", [.dns("localhost")]),
        Presented("the name in capitals", [.dns("LOCALHOST")]),
        Presented("the name and another subject", [.dns("localhost")], commonName: "other.example"),
        Presented(
            "the name among others",
            [.email("a@b.example"), .dns("*"), .address([10, 0, 0, 1]), .dns("localhost")]
        ),
        Presented("the address", [.address(loopback)], for: "127.0.0.1"),
        Presented("the address among others", [.dns("localhost"), .address(loopback)], for: "127.0.0.1"),
    ]

    @Test(arguments: good, [ServerTLS.Version.tls12, .tls13])
    func `a certificate for the host is accepted`(presented: Presented, version: ServerTLS.Version) async throws {
        try await FaultServer.run(Self.ok, options: options(presented, version)) { server in
            try await withSession(trusting()) { session in
                let url = "https://\(presented.host):\(server.port)/"
                let response = try await session.data(for: Request(to: url))
                #expect(response.value == Data("ok".utf8))
            }
        }
    }

    static let bad = [
        // RFC 9110 §4.3.4: the name is checked, not the address that the name server gave.
        Presented("the address of the connection", [.address(loopback)]),
        Presented("the address of the connection and a name", [.dns("evil.example"), .address(loopback)]),
        Presented("another name", [.dns("example.com")]),
        Presented("another name, and the common name", [.dns("example.com")], commonName: "localhost"),
        Presented("the common name alone", nil, commonName: "localhost"),
        Presented("no name at all", nil, commonName: ""),
        Presented(
            "an e-mail address and a URI",
            [.email("localhost"), .uri("https://localhost/")],
            commonName: "localhost"
        ),
        Presented("a part of a label", [.dns("local*")]),
        Presented("a part of a label in front", [.dns("*host")]),
        Presented("any name", [.dns("*")]),
        Presented("any name below it", [.dns("*.localhost")]),
        Presented("a zero byte inside", [.dns("localhost\0.evil.example")]),
        Presented("the dot of the root", [.dns("localhost.")]),
        Presented("an empty name", [.dns("")]),
        Presented("the address as a name", [.dns("127.0.0.1")], for: "127.0.0.1"),
        Presented("the address as a common name", nil, for: "127.0.0.1", commonName: "127.0.0.1"),
        Presented("the address under a wildcard", [.dns("*.0.0.1"), .dns("*")], for: "127.0.0.1"),
        Presented("the name for the address", [.dns("localhost")], for: "127.0.0.1"),
        Presented("another address", [.address([127, 0, 0, 2])], for: "127.0.0.1"),
        Presented("the address in the form of IPv6", [.address(mapped)], for: "127.0.0.1"),
        Presented("a network", [.address(loopback + [255, 0, 0, 0])], for: "127.0.0.1"),
    ]

    @Test(arguments: bad, [ServerTLS.Version.tls12, .tls13])
    func `a certificate for another host is refused, and no byte of the request is sent`(
        presented: Presented,
        version: ServerTLS.Version
    ) async throws {
        try await FaultServer.run(Self.ok, options: options(presented, version)) { server in
            try await withEngine(trusting()) { session, engine in
                let error = try await networkingError {
                    let url = "https://\(presented.host):\(server.port)/secret"
                    _ = try await session.data(for: Request(to: url))
                }
                #expect(error.code == .certificateHostMismatch, "\(error)")
                #expect(error.message.contains("\(presented.host):\(server.port)"))
                #expect(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "\(error)")
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections.count == 1 && server.connections[0].bytesReceived == 0)
                // The client never ended the handshake.
                #expect(server.connections[0].tlsVersion == nil)
                #expect(engine.openConnections == 0)
            }
        }
    }

    @Test func `a response sent before the request does not help a refused certificate`() async throws {
        let script: FaultServer.Script = [.respond(body: "hasty"), .stall]
        try await FaultServer.run(script, options: options(Presented("another", [.dns("example.com")]))) { server in
            try await withEngine(trusting()) { session, engine in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .certificateHostMismatch, "\(error)")
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections[0].bytesReceived == 0 && engine.openConnections == 0)
            }
        }
    }

    @Test func `the error about a refused certificate says which names it is for`() async throws {
        let presented = Presented("two names", [.dns("a.example"), .dns("\u{1b}[31m"), .address([10, 0, 0, 1])])
        try await FaultServer.run(Self.ok, options: options(presented)) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(
                    error.message
                        == "The certificate of localhost:\(server.port) is for “a.example”, “\\x1B[31m” and the "
                        + "address 10.0.0.1, not for “localhost”. You might be connecting to a server that is pretending to "
                        + "be “localhost”."
                )
            }
        }
    }

    @Test func `a certificate with thousands of names is read to the end`() async throws {
        let names = (0..<3000).map { TestAlternativeName.dns("name-\($0).domain.example") }
        for (last, isGood) in [("localhost", true), ("other.example", false)] {
            let presented = Presented("many", names + [.dns(last)])
            try await FaultServer.run(Self.ok, options: options(presented)) { server in
                try await withSession(trusting()) { session in
                    let request = try Request(to: server.baseURL)
                    if isGood {
                        let response = try await session.data(for: request)
                        #expect(response.value == Data("ok".utf8))
                    } else {
                        let error = try await networkingError { _ = try await session.data(for: request) }
                        #expect(error.code == .certificateHostMismatch && error.message.utf8.count < 400, "\(error)")
                    }
                }
            }
        }
    }

    @Test func `a certificate whose names cannot be read is refused`() async throws {
        // IA5String holds ASCII only (RFC 5280 §4.2.1.6).
        let presented = Presented("UTF-8", [.dns("localhost"), .dns("bücher.example")])
        try await FaultServer.run(Self.ok, options: options(presented)) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: server.baseURL))
                }
                #expect(error.code == .certificateInvalid && error.trustRefusal?.rule == .encoding, "\(error)")
                #expect(error.message.hasSuffix("is not well-formed."), "\(error)")
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections[0].bytesReceived == 0)
            }
        }
    }

    @Test func `with verification off every certificate is accepted for every name`() async throws {
        for presented in [Presented("none", nil), Presented("UTF-8", [.dns("bücher.example")])] {
            try await FaultServer.run(Self.ok, options: options(presented)) { server in
                try await withSession(insecure) { session in
                    for host in ["localhost", "127.0.0.1", "127.1"] {
                        let url = "https://\(host):\(server.port)/"
                        let response = try await session.data(for: Request(to: url))
                        #expect(response.value == Data("ok".utf8))
                    }
                    #expect(server.record.serverNames == ["localhost"])
                }
            }
        }
    }

    @Test func `an IP address in another form cannot be checked, and the error says how to write it`() async throws {
        try await FaultServer.run(Self.ok, options: options(Presented("local", TestAlternativeName.local))) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https://127.1:\(server.port)/"))
                }
                #expect(error.code == .invalidURL, "\(error)")
                #expect(error.message.contains("“127.1” is neither a host name nor a whole IP address"), "\(error)")
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections[0].bytesReceived == 0)
            }
        }
    }

    // MARK: Keys

    /// Options of `openssl req -newkey`.
    @Test(
        arguments: [
            ("rsa:2048", true), ("rsa:3072", true), ("ec -pkeyopt ec_paramgen_curve:P-256", true),
            ("ec -pkeyopt ec_paramgen_curve:P-384", true), ("rsa:1024", false), ("rsa:2040", false),
        ],
        [ServerTLS.Version.tls12, .tls13]
    )
    func `a certificate is accepted with a key of a usual size, and refused with a smaller one`(
        key: (kind: String, isAccepted: Bool),
        version: ServerTLS.Version
    ) async throws {
        try await withDirectory { directory in
            let (certificate, privateKey) = (
                directory.appending(path: "cert.pem"), directory.appending(path: "key.pem")
            )
            let openssl = Process()
            openssl.executableURL = URL(filePath: "/usr/bin/env")
            openssl.arguments =
                ["openssl", "req", "-x509", "-days", "2", "-nodes", "-subj", "/CN=key", "-newkey"]
                + key.kind.split(separator: " ").map(String.init)
                + ["-addext", "subjectAltName=DNS:localhost", "-keyout", privateKey.path, "-out", certificate.path]
            openssl.standardError = FileHandle.nullDevice
            try openssl.run()
            openssl.waitUntilExit()
            try #require(openssl.terminationStatus == 0)
            var tls = ServerTLS(certificates.localhost, minimumVersion: version, maximumVersion: version)
            tls.chainPEM = try String(contentsOf: certificate, encoding: .utf8)
            tls.privateKeyPEM = try String(contentsOf: privateKey, encoding: .utf8)
            let configuration = trusting { $0.trustRoots = .file(certificate.path) }
            try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
                try await withEngine(configuration) { session, engine in
                    let request = try Request(to: server.baseURL)
                    if key.isAccepted {
                        #expect(try await session.data(for: request).value == Data("ok".utf8))
                        return
                    }
                    let error = try await networkingError { _ = try await session.data(for: request) }
                    #expect(error.code == .certificateWeak && error.trustRefusal?.rule == .key, "\(error)")
                    #expect(error.message.contains("has a key of only \(key.kind.suffix(4)) bits (RSA)"), "\(error)")
                    try await server.waitUntilClosed(connection: 0)
                    #expect(server.connections[0].bytesReceived == 0 && engine.openConnections == 0)
                }
            }
        }
    }

    // MARK: Hosts that no name server knows

    /// The error of the certificate check when a local server is reached under this host name, and
    /// the server names that the handshake contained.
    private func verdict(_ presented: Presented) async throws -> (error: NetworkingError?, serverNames: [String]) {
        try await FaultServer.run([.stall], options: options(presented)) { server in
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let source = TLSContextSource(settings: trusting().tls)
            let context = try await withCheckedThrowingContinuation { continuation in
                source.makeContext { continuation.resume(with: $0) }
            }
            let channel = try await ClientBootstrap(group: eventLoop).connect(host: "127.0.0.1", port: server.port)
                .get()
            let error = try await eventLoop.flatSubmit { () -> EventLoopFuture<NetworkingError?> in
                let verdict = eventLoop.makePromise(of: NetworkingError?.self)
                let origin = Origin(isSecure: true, endpoint: .host(presented.host, port: server.port))
                do throws(NetworkingError) {
                    let evaluator = TrustEvaluator(SessionConfiguration())
                    let verification = CertificateVerification(origin: origin, evaluator: evaluator)
                    try verification.start(on: channel, context: context) { result in
                        switch result {
                        case .success: verdict.succeed(nil)
                        case .failure(let error): verdict.succeed(error)
                        }
                    }
                } catch {
                    verdict.succeed(error)
                }
                return verdict.futureResult
            }.get()
            try? await channel.close()
            try await server.waitUntilClosed(connection: 0)
            #expect(server.connections[0].bytesReceived == 0)
            return (error, server.record.serverNames)
        }
    }

    @Test(arguments: [
        Presented("wildcard", [.dns("*.example.com")], for: "www.example.com"),
        Presented("wildcard above an A-label", [.dns("*.example.com")], for: "xn--bcher-kva.example.com"),
        Presented("wildcard below an A-label", [.dns("*.xn--bcher-kva.example")], for: "www.xn--bcher-kva.example"),
        Presented("A-label", [.dns("xn--bcher-kva.example")], for: "XN--BCHER-KVA.example"),
        Presented("underscore", [.dns("my_host.example.com")], for: "my_host.example.com"),
        Presented("underscore under a wildcard", [.dns("*.example.com")], for: "my_host.example.com"),
        Presented("dot of the root", [.dns("example.com")], for: "example.com."),
        Presented("long", [.dns("*.example.com")], for: String(repeating: "a", count: 63) + ".example.com"),
        Presented("IPv6", [.address([UInt8](repeating: 0, count: 15) + [1])], for: "0:0:0::0:1"),
        Presented("IPv4 in the form of IPv6", [.address(mapped)], for: "::ffff:127.0.0.1"),
        Presented("zone", [.address([0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1])], for: "fe80::1%lo"),
    ])
    func `a certificate for a host in any form is accepted, and the host is named in the handshake`(
        presented: Presented
    ) async throws {
        let (error, serverNames) = try await verdict(presented)
        #expect(error == nil)
        // RFC 6066 §3: no addresses, and no dot at the end.
        let isAddress = presented.host.contains(":")
        let name = presented.host.lowercased()
        #expect(serverNames == (isAddress ? [] : [name.hasSuffix(".") ? String(name.dropLast()) : name]))
    }

    @Test(arguments: [
        Presented("the domain itself", [.dns("*.example.com")], for: "example.com"),
        Presented("two labels", [.dns("*.example.com")], for: "a.b.example.com"),
        Presented("a part of a label", [.dns("w*.example.com")], for: "www.example.com"),
        Presented("two asterisks", [.dns("*.*.example.com")], for: "a.b.example.com"),
        Presented("an inner asterisk", [.dns("www.*.com")], for: "www.example.com"),
        Presented("a top-level domain", [.dns("*.com")], for: "example.com"),
        Presented("everything", [.dns("*")], for: "example.com"),
        Presented("an asterisk in an A-label", [.dns("xn--*.example.com")], for: "xn--bcher-kva.example.com"),
        Presented("a U-label", [.dns("bucher.example")], for: "xn--bcher-kva.example"),
        Presented("IPv4 for its form in IPv6", [.address(loopback)], for: "::ffff:127.0.0.1"),
        Presented("the address of the connection", [.address(loopback)], for: "www.example.com"),
    ])
    func `a certificate for another form of the host's name is refused`(presented: Presented) async throws {
        let (error, _) = try await verdict(presented)
        #expect(error?.code == .certificateHostMismatch)
    }

    @Test(arguments: ["bücher.example", "*.example.com", "a..b", "a b", "127.0.0.1\0.evil.example", "", "0x7f.1"])
    func `a host that is neither a name nor an address is refused before the handshake`(host: String) async throws {
        let (error, serverNames) = try await verdict(
            Presented("all", TestAlternativeName.local + [.dns("*.example.com"), .dns(" ")], for: host)
        )
        #expect(error?.code == .invalidURL)
        #expect(serverNames.isEmpty)
    }

    @Test func `over a Unix-domain socket the certificate must be for localhost`() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/bb-\(UInt32.random(in: .min ... .max)).sock"
        let host = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let identity = try certificates.issue(for: [.dns("example.com"), .address(Self.loopback)])
        let options = FaultServer.Options(tls: ServerTLS(identity), socketPath: path)
        try await FaultServer.run(Self.ok, options: options) { server in
            try await withSession(trusting()) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https+unix://\(host)/"))
                }
                #expect(error.code == .certificateHostMismatch, "\(error)")
                #expect(error.message.contains("not for “localhost”"), "\(error)")
                try await server.waitUntilClosed(connection: 0)
                #expect(server.connections[0].bytesReceived == 0)
            }
        }
    }
}
