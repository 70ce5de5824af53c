import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Errors of TLS are described in words, without locations in the source of BoringSSL.
@Suite(.timeLimit(.minutes(5)))
struct TLSFailureTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private func failure(
        _ script: FaultServer.Script,
        options: FaultServer.Options = .init(),
        identity: TLSSettings.Identity? = nil
    ) async throws -> (error: NetworkingError, port: Int) {
        let configuration = SessionConfiguration(trusting: certificates.authority) { $0.identity = identity }
        return try await FaultServer.run(script, options: options) { server in
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https://127.0.0.1:\(server.port)/"))
                }
                expectNoPath(error)
                return (error, server.port)
            }
        }
    }

    private func expectNoPath(_ error: NetworkingError) {
        let text = "\(error)"
        #expect(!text.contains(".cc") && !text.contains("swift-nio") && !text.contains("SSLError"), "\(text)")
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ESMTP\r\n", "SSH-2.0-server\r\n"])
    func `the error about a server that does not speak TLS says so`(greeting: String) async throws {
        let (error, port) = try await failure([.send(greeting), .stall])
        #expect(error.code == .tlsFailed)
        #expect(
            error.message
                == "127.0.0.1:\(port) does not speak TLS; it may be a plain HTTP server, whose URLs begin with http://."
        )
        #expect((error.underlying as? TLSFailure)?.reasons == ["WRONG_VERSION_NUMBER"])
    }

    /// The server ends the connection once it has received what the client sends first: otherwise
    /// the client would see either end, whichever comes first.
    @Test(
        arguments: [
            (.close, "the server closed the connection; it may not speak TLS, or not with this client."),
            (.reset, "Connection reset by peer."),
        ] as [(FaultStep, String)]
    )
    func `the error about a server that ends the TLS handshake names the server and the reason`(
        end: FaultStep,
        reason: String
    ) async throws {
        let (error, port) = try await failure([.readBytes(1), end])
        #expect(error.code == .tlsFailed)
        #expect(error.message == "The TLS handshake with 127.0.0.1:\(port) failed: \(reason)")
    }

    /// RFC 8446 §6.2: the numbers of alerts.
    @Test(arguments: [
        (40, "the server accepts none of the versions and ciphers offered, or it requires a client certificate."),
        (42, "the server refused the client's certificate."),
        (48, "the server does not trust the authority of the client's certificate."),
        (49, "the server denies this client access."),
        (70, "the server speaks no version of TLS that is accepted here."),
        (80, "the server reports an error of its own."),
        (112, "the server knows no host of this name."),
        (116, "the server requires a client certificate."),
        (120, "the server does not speak HTTP/1.1 here."),
        (47, "the server sent the alert “illegal parameter”."),
    ])
    func `a TLS alert of the server is described in words`(alert: Int, words: String) async throws {
        let record = "\u{15}\u{3}\u{3}\0\u{2}\u{2}" + String(try #require(UnicodeScalar(alert)))
        let (error, port) = try await failure([.send(record), .stall])
        #expect(error.code == .tlsFailed)
        #expect(error.message == "The TLS handshake with 127.0.0.1:\(port) failed: \(words)")
    }

    @Test func `a missing client certificate is described in words`() async throws {
        let tls = ServerTLS(
            certificates.localhost,
            clientAuthorities: [certificates.authority],
            maximumVersion: .tls12
        )
        let (error, _) = try await failure([.readRequest, .respond(body: "ok")], options: .init(tls: tls))
        #expect(error.message.contains("requires a client certificate"), "\(error)")
    }

    @Test func `a TLS failure without a description is shown by its name`() {
        #expect(TLSFailure(reasons: ["BAD_DH_P_LENGTH"]).sentence == "BoringSSL reports “bad dh p length”.")
        #expect(
            TLSFailure(reasons: ["SSLV3_ALERT_BAD_RECORD_MAC"]).sentence
                == "the server sent the alert “bad record mac”."
        )
        #expect(TLSFailure(reasons: ["X", "UNSUPPORTED_PROTOCOL"]).sentence.contains("no version of TLS"))
        #expect("\(TLSFailure(reasons: ["A", "B"]))" == "BoringSSL: A, B")
    }

    // MARK: The session's own files

    private func invalid(_ change: (inout TLSSettings) -> Void) async throws -> String {
        let configuration = SessionConfiguration(trusting: certificates.authority, change)
        return try await FaultServer.run([.stall]) { server in
            try await withSession(configuration) { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "https://127.0.0.1:\(server.port)/"))
                }
                #expect(error.code == .invalidTrustConfiguration)
                expectNoPath(error)
                return error.message
            }
        }
    }

    @Test func `a certificate or key file that cannot be used is named, with the reason`() async throws {
        try await certificates.withFiles { files in
            let missing = files.path("missing.pem")
            let (certificate, key) = (files.path("client.pem"), files.path("client.key"))
            var message: String
            message = try await invalid { $0.trustRoots = .file(missing) }
            #expect(message == "The trusted certificates cannot be read from “\(missing)”: No such file or directory.")
            message = try await invalid { $0.trustRoots = .file(key) }
            #expect(message == "The trusted certificates cannot be read from “\(key)”: it contains none in PEM.")
            message = try await invalid { $0.trustRoots = .pem("nothing") }
            #expect(message == "The text with the trusted certificates holds no certificate in PEM.")
            message = try await invalid { $0.identity = .init(certificateFile: missing, privateKeyFile: key) }
            #expect(message == "The client certificate cannot be read from “\(missing)”: No such file or directory.")
            message = try await invalid { $0.identity = .init(certificateFile: key, privateKeyFile: key) }
            #expect(message == "The client certificate cannot be read from “\(key)”: it contains none in PEM.")
            message = try await invalid {
                $0.identity = .init(certificateFile: certificate, privateKeyFile: certificate)
            }
            #expect(
                message
                    == "The key of the client certificate cannot be read from “\(certificate)”: it contains none in PEM."
            )
            message = try await invalid {
                $0.identity = .init(certificateFile: certificate, privateKeyFile: files.directory)
            }
            #expect(
                message
                    == "The key of the client certificate cannot be read from “\(files.directory)”: it is a directory."
            )
            let other = files.path("localhost.key")
            message = try await invalid { $0.identity = .init(certificateFile: certificate, privateKeyFile: other) }
            #expect(
                message
                    == "The client certificate in “\(certificate)” and its key in “\(other)” do not belong together."
            )
        }
    }
}
