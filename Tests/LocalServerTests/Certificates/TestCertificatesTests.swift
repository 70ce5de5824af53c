import Foundation
import LocalServer
import NIOCore
import NIOSSL
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TestCertificatesTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    /// Whether a client that trusts the authority receives bytes of a server with this identity.
    private func isTrusted(_ identity: TestIdentity) async throws -> Bool {
        try await FaultServer.run([.send("x"), .close], options: .init(tls: ServerTLS(identity))) { server in
            let tls = try TLSClient.trusting(certificates.authority)
            let connection = try await RawConnection.connect(port: server.port, tls: tls)
            return (try? await connection.receiveAllText()) == "x"
        }
    }

    @Test func `only the valid test certificate is trusted`() async throws {
        #expect(try await isTrusted(certificates.localhost))
        #expect(try await !isTrusted(certificates.expired))
        #expect(try await !isTrusted(certificates.notYetValid))
        #expect(try await !isTrusted(certificates.wrongHost))
        #expect(try await !isTrusted(certificates.selfSigned))
        #expect(try await !isTrusted(certificates.untrusted))
    }

    @Test func `a self-signed test certificate is trusted by a client that has it as a root`() async throws {
        try await FaultServer.run([.send("x"), .close], options: .init(tls: ServerTLS(certificates.selfSigned))) {
            server in
            let tls = try TLSClient.trusting(certificates.selfSigned)
            let connection = try await RawConnection.connect(port: server.port, tls: tls)
            #expect(try await connection.receiveAllText() == "x")
        }
    }

    @Test func `DER and PEM of a test identity are the same certificate`() throws {
        for (_, identity) in certificates.all {
            let der = try NIOSSLCertificate(bytes: identity.certificateDER, format: .der)
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.chainPEM.utf8))
            #expect(chain.first == der)
            #expect(try der.extractPublicKey().toSPKIBytes() == identity.publicKeyDER)
            #expect(identity.publicKeySHA256.count == 32)
            #expect(Data(base64Encoded: identity.publicKeyPin) == Data(identity.publicKeySHA256))
        }
    }

    @Test func `a new set of test certificates has new keys`() throws {
        #expect(try TestCertificates().localhost.publicKeyPin != certificates.localhost.publicKeyPin)
    }

    @Test(.needs("openssl"))
    func `openssl finds the same test certificates valid, and computes the same pin`() async throws {
        try await certificates.withFiles { files in
            func verify(_ name: String, purpose: String = "sslserver") throws -> Program.Output {
                try Program.run(
                    "openssl",
                    [
                        "verify", "-x509_strict", "-purpose", purpose, "-CAfile", files.authority,
                        "-untrusted", files.path("intermediate.pem"), files.path(name + ".pem"),
                    ]
                )
            }
            #expect(try verify("localhost").status == 0)
            #expect(try verify("wrongHost").status == 0)
            #expect(try verify("client", purpose: "sslclient").status == 0)
            #expect(try verify("client").status != 0)
            #expect(try verify("expired").text.contains("certificate has expired"))
            #expect(try verify("notYetValid").text.contains("not yet valid"))
            #expect(try verify("selfSigned").status != 0)
            #expect(try verify("untrusted").status != 0)
            let pin = try Program.run(
                "sh",
                [
                    "-c",
                    "openssl x509 -in \(files.path("localhost.pem")) -noout -pubkey | openssl pkey -pubin -outform der"
                        + " | openssl dgst -sha256 -binary | openssl base64",
                ]
            )
            #expect(pin.text == certificates.localhost.publicKeyPin + "\n")
        }
    }

    @Test func `the files of test certificates are removed after the body`() async throws {
        let directory = try await certificates.withFiles { files in
            #expect(FileManager.default.fileExists(atPath: files.path("localhost.key")))
            return files.directory
        }
        #expect(!FileManager.default.fileExists(atPath: directory))
    }
}
