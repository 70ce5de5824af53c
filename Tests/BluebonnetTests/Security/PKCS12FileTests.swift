import Foundation
import LocalServer
import NIOSSL
import Testing

@testable import Bluebonnet

/// Files of PKCS #12 from OpenSSL. NIOSSL would end the process for those without a key, or without
/// a certificate of the key.
@Suite(.timeLimit(.minutes(5)), .needs("openssl"))
struct PKCS12FileTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    /// The bytes of a file that `openssl pkcs12 -export` makes.
    private func withFile(
        _ password: String,
        _ arguments: (TestCertificateFiles) -> [String],
        _ body: (String) throws -> Void
    ) async throws {
        try await certificates.withFiles { files in
            let path = files.path("test.p12")
            let status = try await OtherProgram.run(
                "openssl",
                ["pkcs12", "-export", "-out", path, "-passout", "pass:\(password)"] + arguments(files)
            )
            try #require(status == 0)
            try body(path)
        }
    }

    /// The error of a session's settings with the file; nil where it can be used.
    private func error(_ path: String, _ password: String?) -> NetworkingError? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        do throws(NetworkingError) {
            try configuration.use(TLSSettings.Identity(pkcs12File: path, password: password))
            #expect(configuration.privateKey != nil)
            let chain = configuration.certificateChain.map { source -> [UInt8]? in
                if case .certificate(let certificate) = source { try? certificate.toDERBytes() } else { nil }
            }
            #expect(chain == [certificates.client.certificateDER, certificates.intermediate.certificateDER])
            return nil
        } catch {
            #expect(error.code == .invalidTrustConfiguration)
            return error
        }
    }

    private static func complete(_ files: TestCertificateFiles) -> [String] {
        ["-in", files.path("client.pem"), "-inkey", files.path("client.key")]
    }

    @Test(arguments: ["a", "größe", ""])
    func `a key and its certificates are read with their password`(password: String) async throws {
        try await withFile(password, Self.complete) { path in
            #expect(error(path, password) == nil)
            if password.isEmpty { #expect(error(path, nil) == nil) }
            #expect(error(path, "other")?.message.contains("another password") == true)
        }
    }

    @Test(arguments: [
        ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "SHA1"],
        ["-keypbe", "NONE", "-certpbe", "NONE"], ["-keypbe", "AES-128-CBC", "-certpbe", "NONE"],
        ["-keypbe", "NONE", "-certpbe", "AES-256-CBC"],
    ])
    func `what is encrypted in another way, or not at all, is read`(algorithms: [String]) async throws {
        for password in ["a", "größe", ""] {
            try await withFile(password, { Self.complete($0) + algorithms }) { path in
                #expect(error(path, password) == nil)
                #expect(error(path, "other")?.message.contains("another password") == true)
            }
        }
    }

    @Test(arguments: [[], ["-certpbe", "NONE"]])
    func `a file without a private key is an error`(algorithms: [String]) async throws {
        try await withFile("a", { ["-nokeys", "-in", $0.path("client.pem")] + algorithms }) { path in
            #expect(
                error(path, "a")?.message
                    == "The client certificate cannot be read from “\(path)”: it has no private key."
            )
        }
    }

    @Test func `a file without a certificate is an error`() async throws {
        try await withFile("a", { ["-nocerts", "-inkey", $0.path("client.key")] }) { path in
            #expect(
                error(path, "a")?.message
                    == "The client certificate cannot be read from “\(path)”: it has no certificate of its private key."
            )
            #expect(error(path, "b")?.message.contains("another password") == true)
        }
    }

    @Test(arguments: [[], ["-certpbe", "NONE"], ["-keypbe", "NONE"]])
    func `a certificate of another key is an error`(algorithms: [String]) async throws {
        let arguments = { (files: TestCertificateFiles) in
            ["-nocerts", "-inkey", files.path("client.key"), "-certfile", files.path("localhost.pem")] + algorithms
        }
        try await withFile("a", arguments) { path in
            #expect(error(path, "a")?.message.hasSuffix("it has no certificate of its private key.") == true)
        }
    }

    @Test func `other bytes, and every beginning of a file, are an error`() async throws {
        try await withFile("a", { Self.complete($0) + ["-iter", "1"] }) { path in
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            #expect(try PKCS12File(bytes).bundle("a").certificateChain.count == 2)
            for count in 0..<bytes.count {
                #expect(throws: (any Error).self) { try PKCS12File(Array(bytes.prefix(count))).bundle("a") }
            }
            var random = SeededGenerator(seed: 12)
            for _ in FuzzRounds(200) {
                var other = bytes
                other[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                // With or without an error, but not with the end of the process.
                _ = try? PKCS12File(other).bundle("a")
            }
        }
    }

    @Test func `a password that NIOSSL cannot use for a key in PEM is an error`() async throws {
        try await certificates.withFiles { files in
            let key = files.path("encrypted.key")
            let arguments = ["pkcs8", "-topk8", "-in", files.path("client.key"), "-out", key, "-passout", "pass:größe"]
            try #require(try await OtherProgram.run("openssl", arguments) == 0)
            let identity = TLSSettings.Identity(
                certificateFile: files.path("client.pem"),
                privateKeyFile: key,
                password: "größe"
            )
            var configuration = TLSConfiguration.makeClientConfiguration()
            let failure = #expect(throws: NetworkingError.self) { try configuration.use(identity) }
            #expect(failure?.code == .invalidTrustConfiguration && failure?.message.contains("must be ASCII") == true)
        }
    }
}
