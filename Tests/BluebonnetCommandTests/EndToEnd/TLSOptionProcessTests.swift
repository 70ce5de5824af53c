import Bluebonnet
import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// The options for TLS of the command, each with a server that it lets through and one that not.
@Suite(.timeLimit(.minutes(5)))
struct TLSOptionProcessTests {
    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    private var strangePin: String { "sha256/" + certificates.client.publicKeyPin }

    private var goodPin: String { "sha256/" + certificates.localhost.publicKeyPin }

    private func withServer(
        asksClient: Bool = false,
        from minimum: ServerTLS.Version = .tls12,
        to maximum: ServerTLS.Version = .tls13,
        _ body: (FaultServer, TestCertificateFiles) async throws -> Void
    ) async throws {
        let tls = ServerTLS(
            certificates.localhost,
            clientAuthorities: asksClient ? [certificates.authority] : [],
            minimumVersion: minimum,
            maximumVersion: maximum
        )
        try await certificates.withFiles { files in
            try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in try await body(server, files) }
        }
    }

    /// The result of one line of `batch`.
    private func batch(_ server: FaultServer, _ options: [String]) async throws -> JSONValue {
        let line = #"{"url":"\#(server.baseURL)/"}"#
        let output = try await Command.run(["batch"] + options, input: line)
        let result = try JSONValue(parsing: output.text)
        #expect(output.status == (result["error"] == nil ? 0 : 1), "\(output)")
        return result
    }

    @Test(arguments: [(ServerTLS.Version.tls10, "1.0"), (.tls11, "1.1"), (.tls12, "1.2"), (.tls13, "1.3")])
    func `--tls-min sets the lowest version of TLS`(version: ServerTLS.Version, name: String) async throws {
        try await withServer(from: version, to: version) { server, files in
            let arguments = ["get", server.baseURL, "--cacert", files.authority]
            for lowest in ["1.0", "1.1", "1.2", "1.3"] {
                let output = try await Command.run(arguments + ["--tls-min", lowest, "--json-errors"])
                #expect(output.status == (lowest <= name ? 0 : 60), "\(lowest): \(output)")
                #expect(lowest <= name || output.errors.contains("\"code\":\"tls-failed\""), "\(output)")
            }
            #expect(try await Command.run(arguments).status == (name >= "1.2" ? 0 : 60))
            #expect(try await batch(server, ["--cacert", files.authority, "--tls-min", name])["status"] == 200)
            #expect(try await Command.run(arguments + ["--tls-min", "2"]).status == 2)
        }
    }

    @Test func `SSLKEYLOGFILE names the file of the secrets of connections`() async throws {
        try await withServer { server, files in
            let arguments = ["get", server.baseURL, "--cacert", files.authority]
            let log = files.path("keys.log")
            #expect(try await Command.run(arguments, environment: ["SSLKEYLOGFILE": ""]).status == 0)
            #expect(try await Command.run(arguments, environment: ["SSLKEYLOGFILE": log]).status == 0)
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 "))
            let attributes = try FileManager.default.attributesOfItem(atPath: log)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let bad = try await Command.run(
                arguments + ["--json-errors"],
                environment: ["SSLKEYLOGFILE": files.directory]
            )
            #expect(bad.status == 2 && bad.errors.contains("\"code\":\"invalid-trust-configuration\""), "\(bad)")
        }
    }

    @Test(.needs("openssl")) func `--cert is also a PKCS 12 file, whose password is --pass`() async throws {
        try await withServer(asksClient: true) { server, files in
            let file = files.path("client.p12")
            let openssl = Process()
            openssl.executableURL = URL(filePath: "/usr/bin/env")
            openssl.arguments = [
                "openssl", "pkcs12", "-export", "-in", files.path("client.pem"), "-inkey", files.path("client.key"),
                "-out", file, "-passout", "pass:geheim",
            ]
            try #require(await openssl.start().value == 0)
            let arguments = ["get", server.baseURL, "--cacert", files.authority, "--cert", file]
            #expect(try await Command.run(arguments + ["--pass", "geheim"]).status == 0)
            for options in [[], ["--pass", "secret"]] {
                let output = try await Command.run(arguments + options + ["--json-errors"])
                #expect(output.status == 2, "\(output)")
                #expect(output.errors.contains("\"code\":\"invalid-trust-configuration\""), "\(output)")
                #expect(!output.errors.contains("secret"))
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a file that is not PEM is bad usage, also where the URL is http`() async throws {
        try await certificates.withFiles { files in
            let other = files.path("other")
            try Data("no PEM".utf8).write(to: URL(filePath: other))
            let (certificate, key) = (files.path("client.pem"), files.path("client.key"))
            for (options, option) in [
                (["--cacert", other], "--cacert"), (["--proxy-cacert", other], "--proxy-cacert"),
                (["--cert", other], "--cert"), (["--cert", certificate, "--key", other], "--key"),
                (["--cert", certificate], "--cert"), (["--cert", key], "--cert"),
            ] {
                for scheme in ["http", "https"] {
                    let output = try await Command.run(["get", "\(scheme)://127.0.0.1:1/"] + options)
                    #expect(output.status == 2, "\(options): \(output)")
                    #expect(output.errors.hasPrefix("bluebonnet: \(option): "), "\(options): \(output)")
                }
            }
            let good = ["--cacert", files.authority, "--cert", certificate, "--key", key]
            #expect(try await Command.run(["get", "http://127.0.0.1:1/"] + good).status == 1)
        }
    }

    @Test func `--pins reads the pins of hosts from a file`() async throws {
        try await withServer { server, files in
            let arguments = ["get", server.baseURL, "--cacert", files.authority, "--pins"]
            for (host, pin, isAccepted) in [
                ("localhost", goodPin, true), ("localhost", strangePin, false), ("example.com", strangePin, true),
            ] {
                let file = files.path("pins.json")
                try Data(#"{"hosts":{"\#(host)":{"pins":["\#(pin)"]}}}"#.utf8).write(to: URL(filePath: file))
                let output = try await Command.run(arguments + [file, "--json-errors"])
                #expect(output.status == (isAccepted ? 0 : 60), "\(output)")
                #expect(isAccepted || output.errors.contains("\"code\":\"certificate-not-pinned\""), "\(output)")
                let result = try await batch(server, ["--cacert", files.authority, "--pins", file])
                #expect(result["status"] == (isAccepted ? 200 : nil))
            }
            #expect(server.requests.count == 4)
            #expect(try await Command.run(arguments + [files.authority]).status == 2)
        }
    }

    @Test func `--crlfile needs a list for each certificate, and refuses those that a list names`() async throws {
        var mint = try CertificateMint("Root", key: CertificateKey())
        mint.extensions = [.authority(), .keyUsage(0x06)]
        let root = try mint.made()
        var server = try CertificateMint("server", key: CertificateKey())
        server.extensions = [.keyUsage(0x80), try .purposes([1]), .names([.dns("localhost")])]
        let leaf = try server.made(by: root)
        var tls = ServerTLS(certificates.localhost)
        (tls.chainPEM, tls.privateKeyPEM) = (leaf.pem, leaf.mint.key.pem)
        let lists: [(list: RevocationListMint, code: String?)] = [
            (RevocationListMint([[2]], by: root), nil), (RevocationListMint([[1]], by: root), "certificate-revoked"),
            (RevocationListMint(by: leaf), "certificate-invalid"),
        ]
        try await withDirectory { directory in
            let (roots, file) = (directory.appending(path: "root.pem"), directory.appending(path: "lists.pem"))
            try Data(root.pem.utf8).write(to: roots)
            for (list, code) in lists {
                try Data(list.madePEM().utf8).write(to: file)
                try await FaultServer.run(Self.ok, options: .init(tls: tls)) { server in
                    let arguments = ["get", server.baseURL, "--cacert", roots.path]
                    let output = try await Command.run(arguments + ["--crlfile", file.path, "--json-errors"])
                    #expect(output.status == (code == nil ? 0 : 60), "\(output)")
                    if let code { #expect(output.errors.contains("\"code\":\"\(code)\""), "\(output)") }
                    #expect(server.requests.count == (code == nil ? 1 : 0))
                    #expect(try await Command.run(arguments).status == 0)
                    let result = try await batch(server, ["--cacert", roots.path, "--crlfile", file.path])
                    #expect(result["error"]?["code"]?.string == code)
                }
            }
        }
    }

    @Test func `batch --pin lets only servers with this key through`() async throws {
        try await withServer { server, files in
            let options = ["--cacert", files.authority, "--pin", strangePin]
            let refused = try await batch(server, options)
            #expect(refused["error"]?["code"] == "certificate-not-pinned" && refused["error"]?["rule"] == "pin")
            #expect(server.requests.isEmpty)
            let accepted = try await batch(server, options + ["--pin", goodPin])
            #expect(accepted["status"] == 200 && server.requests.count == 1)
        }
    }

    @Test func `batch has the trusted authorities and the client certificate of its options`() async throws {
        try await withServer(asksClient: true, to: .tls12) { server, files in
            let (certificate, key) = (files.path("client.pem"), files.path("client.key"))
            let trusted = ["--cacert", files.authority]
            let good = try await batch(server, trusted + ["--cert", certificate, "--key", key])
            #expect(good["status"] == 200)
            let unknown = try await batch(server, trusted)
            #expect(unknown["error"]?["code"] == "tls-failed")
            let untrusted = try await batch(server, ["--cacert", files.path("untrusted.pem")])
            #expect(untrusted["error"]?["code"] == "certificate-untrusted")
            #expect(untrusted["error"]?["rule"] == "issuer" && unknown["error"]?["rule"] == nil)
            #expect(server.requests.count == 1)
        }
    }
}
