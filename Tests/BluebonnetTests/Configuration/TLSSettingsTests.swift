import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// The versions, cipher suites, client certificates and the log of secrets that a session is told.
@Suite(.timeLimit(.minutes(5)))
struct TLSSettingsTests {
    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]

    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func trusting(_ change: (inout TLSSettings) -> Void) -> SessionConfiguration {
        SessionConfiguration(trusting: certificates.authority, change)
    }

    private func options(
        from minimum: ServerTLS.Version = .tls12,
        to maximum: ServerTLS.Version = .tls13,
        asksClient: Bool = false
    ) -> FaultServer.Options {
        FaultServer.Options(
            tls: ServerTLS(
                certificates.localhost,
                clientAuthorities: asksClient ? [certificates.authority] : [],
                minimumVersion: minimum,
                maximumVersion: maximum
            )
        )
    }

    /// The error of a request to such a server; nil for a response.
    private func error(_ options: FaultServer.Options, _ configuration: SessionConfiguration) async throws
        -> NetworkingError?
    {
        try await FaultServer.run(Self.ok, options: options) { server in
            try await withSession(configuration) { session in
                do {
                    _ = try await session.data(for: Request(to: server.baseURL))
                    return nil
                } catch let error as NetworkingError {
                    #expect(server.requests.isEmpty)
                    return error
                }
            }
        }
    }

    // MARK: Versions and suites

    @Test func `a server whose versions are all too low or too high is refused`() async throws {
        let low = try await error(options(to: .tls12), trusting { $0.minimumVersion = .tls1_3 })
        #expect(
            low?.code == .tlsFailed && low?.message.contains("no version of TLS that is accepted") == true,
            "\(low as Any)"
        )
        let high = try await error(options(from: .tls13), trusting { $0.maximumVersion = .tls1_2 })
        #expect(
            high?.code == .tlsFailed && high?.message.contains("no version of TLS that is accepted") == true,
            "\(high as Any)"
        )
        #expect(try await error(options(to: .tls12), trusting { $0.maximumVersion = .tls1_2 }) == nil)
    }

    @Test func `by default no version below 1 point 2 is accepted`() {
        #expect(TLSSettings().minimumVersion == .tls1_2 && TLSSettings().maximumVersion == nil)
    }

    @Test func `only the cipher suites of the settings are offered`() async throws {
        // The certificate of the server has an ECDSA key.
        let good = trusting { $0.cipherSuites = [.ecdsaAES256GCM] }
        #expect(try await error(options(to: .tls12), good) == nil)
        let other = try await error(options(to: .tls12), trusting { $0.cipherSuites = [.rsaAES256GCM] })
        #expect(other?.code == .tlsFailed, "\(other as Any)")
    }

    @Test(arguments: [[], [TLSCipherSuite(rawValue: 0xFFFF)], [.ecdsaAES128GCM, TLSCipherSuite(rawValue: 0x1301)]])
    func `cipher suites that cannot be used are an error`(_ suites: [TLSCipherSuite]) async throws {
        let error = try await error(options(), trusting { $0.cipherSuites = suites })
        #expect(error?.code == .invalidTrustConfiguration)
    }

    // MARK: The log of secrets

    @Test func `the secrets of connections are appended to a file of their owner`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "keys.log")
            let configuration = trusting { $0.keyLogFile = file.path() }
            #expect(try await error(options(), configuration) == nil)
            let first = try String(contentsOf: file, encoding: .utf8)
            #expect(first.contains("CLIENT_TRAFFIC_SECRET_0 ") && first.hasSuffix("\n"))
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(try await error(options(), configuration) == nil)
            #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix(first))
            let unwritable = trusting { $0.keyLogFile = directory.path() }
            let failure = try await error(options(), unwritable)
            #expect(failure?.code == .invalidTrustConfiguration)
        }
    }

    // MARK: Client certificates

    @Test func `a client certificate can be in a PKCS 12 file with a password`() async throws {
        try await certificates.withFiles { files in
            let path = files.path("client.p12")
            let openssl = Process()
            openssl.executableURL = URL(filePath: "/usr/bin/env")
            openssl.arguments = [
                "openssl", "pkcs12", "-export", "-in", files.path("client.pem"), "-inkey", files.path("client.key"),
                "-out", path, "-passout", "pass:geheim",
            ]
            try openssl.run()
            openssl.waitUntilExit()
            try #require(openssl.terminationStatus == 0)
            let good = trusting { $0.identity = .init(pkcs12File: path, password: "geheim") }
            #expect(try await error(options(asksClient: true), good) == nil)
            for wrong in ["Geheim", nil] {
                let other = trusting { $0.identity = .init(pkcs12File: path, password: wrong) }
                let error = try await error(options(asksClient: true), other)
                #expect(
                    error?.code == .invalidTrustConfiguration && error?.message.contains("another password") == true
                )
            }
            let pem = trusting { $0.identity = .init(pkcs12File: files.path("client.pem")) }
            #expect(try await error(options(), pem)?.code == .invalidTrustConfiguration)
        }
    }

    @Test func `a host can have a client certificate of its own`() async throws {
        try await certificates.withFiles { files in
            let identity = TLSSettings.Identity(
                certificateFile: files.path("client.pem"),
                privateKeyFile: files.path("client.key")
            )
            let own = trusting { $0.hostIdentities = ["LOCALHOST": identity] }
            let accepted = try await error(options(asksClient: true), own)
            #expect(accepted == nil)
            let others = trusting { $0.hostIdentities = ["example.com": identity, "*.localhost": identity] }
            let refused = try await error(options(to: .tls12, asksClient: true), others)
            #expect(refused?.code == .tlsFailed)
        }
    }

    @Test func `the password of an identity is not printed`() {
        var settings = TLSSettings()
        settings.identity = .init(pkcs12File: "client.p12", password: "geheim")
        settings.hostIdentities = ["a": .init(certificateFile: "a", privateKeyFile: "b", password: "geheim")]
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings)".contains("geheim") && !dumped.contains("geheim") && dumped.contains("client.p12"))
    }
}
