import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// What the command says about the certificates of a server, and pins.
@Suite(.timeLimit(.minutes(5)))
struct TrustProcessTests {
    private static let ok: FaultServer.Script = [.readRequest, .respond(body: "ok"), .startOver]

    private func withServer(
        _ identity: (TestCertificates) -> TestIdentity = \.localhost,
        _ body: (FaultServer, String) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates.shared()
        let options = FaultServer.Options(tls: ServerTLS(identity(certificates)))
        try await certificates.withFiles { files in
            try await FaultServer.run(Self.ok, options: options) { server in try await body(server, files.authority) }
        }
    }

    /// The pin of the server's own key in the output of `trust`.
    private func pin(_ output: String) throws -> String {
        let match = try #require(output.firstMatch(of: #/sha256/[A-Za-z0-9+/=]{44}/#))
        return String(match.output)
    }

    @Test func `trust shows the chain of a trusted server and a policy, and sends no request`() async throws {
        try await withServer { server, authority in
            let run = try await Command.run("trust", "localhost:\(server.port)", "--cacert", authority)
            #expect(run.status == 0, "\(run)")
            #expect(run.text.hasPrefix("localhost:\(server.port)  trusted\n"), "\(run.text)")
            let pin = try pin(run.text)
            #expect(run.text.contains("hostSecurityPolicies[\"localhost\"] = .pinning("))
            #expect(run.text.contains("keys: [try PublicKeyPin(\"\(pin)\")]"))
            #expect(!run.text.contains("broken") && server.requests.isEmpty)
            // There is no list of revoked certificates.
            #expect(run.text.contains("  unknown revocation, revocation-unknown\n"), "\(run.text)")
        }
    }

    @Test func `trust does not call rules kept that need a chain to a trusted certificate`() async throws {
        try await withServer(\.untrusted) { server, authority in
            let run = try await Command.run("trust", server.baseURL, "--cacert", authority)
            #expect(run.status == 60, "\(run)")
            let lines = run.text.split(separator: "\n").map(String.init)
            let kept = try #require(lines.first { $0.hasPrefix("  kept") })
            #expect(kept.contains("certificate, chain-size"))
            #expect(!kept.contains("issuer") && !kept.contains("signature,"))
            let unknown = try #require(lines.first { $0.hasPrefix("  unknown") })
            #expect(unknown.contains("signature") && unknown.contains("name-constraints"), "\(run.text)")
        }
    }

    @Test func `trust tells a session without authorities from a server that nobody vouches for`() async throws {
        try await withServer { server, _ in
            try await withDirectory { directory in
                let run = try await Command.run("trust", server.baseURL, "--cacert", directory.path)
                #expect(run.status == 60 && run.text.contains("broken  trust-roots"), "\(run)")
                #expect(run.text.contains("ca-certificates") && !run.text.contains("pretending"))
            }
        }
    }

    @Test func `trust writes the policy of a server behind a socket for the name in its certificate`() async throws {
        try await withDirectory { directory in
            let certificates = try TestCertificates.shared()
            let path = directory.appending(path: "s").path
            let options = FaultServer.Options(tls: ServerTLS(certificates.localhost), socketPath: path)
            try await certificates.withFiles { files in
                try await FaultServer.run(Self.ok, options: options) { _ in
                    let url = "https+unix://\(path.replacing("/", with: "%2F"))/"
                    let run = try await Command.run("trust", url, "--cacert", files.authority)
                    #expect(run.status == 0 && run.text.contains("hostSecurityPolicies[\"localhost\"]"), "\(run)")
                }
            }
        }
    }

    @Test func `trust names the rule that a server breaks, and has the status of trust`() async throws {
        try await withServer(\.expired) { server, authority in
            let run = try await Command.run("trust", server.baseURL, "--cacert", authority)
            #expect(run.status == 60, "\(run)")
            #expect(run.text.contains("not trusted\n") && run.text.contains("broken  not-after"))
            #expect(run.text.contains("at fault") && run.text.contains("ago"))
            #expect(!run.text.contains("PublicKeyPin") && server.requests.isEmpty)
        }
    }

    @Test func `trust has the status of its usage for what has no certificates`() async throws {
        #expect(try await Command.run("trust", "http://localhost/").status == 2)
        #expect(try await Command.run("trust", "localhost", "--pin", "sha1/abc").status == 2)
        #expect(try await Command.run("trust", "localhost", "--insecure").status == 2)
        #expect(try await Command.run("trust", "127.0.0.1:\(FaultServer.unusedPort)").status == 1)
    }

    @Test(arguments: ["https://ada:hun/ter2@localhost", "https://ada:hunter2@localhost:84x3", "ada:hun/ter2@localhost"])
    func `trust shows no password of a server that it does not understand`(server: String) async throws {
        let run = try await Command.run("trust", server)
        #expect(run.status == 2 && !run.errors.contains("ter2") && !run.errors.contains("ada"), "\(run)")
    }

    @Test func `a pin lets only the server with this key through`() async throws {
        try await withServer { server, authority in
            let shown = try await Command.run("trust", "localhost:\(server.port)", "--cacert", authority)
            let pin = try pin(shown.text)
            let good = try await Command.run("get", server.baseURL, "--cacert", authority, "--pin", pin)
            #expect(good.status == 0, "\(good)")
            let other = "sha256/" + Data(count: 32).base64EncodedString()
            let bad = try await Command.run(
                "get",
                server.baseURL,
                "--cacert",
                authority,
                "--pin",
                other,
                "--json-errors"
            )
            #expect(bad.status == 60 && bad.errors.contains("certificate-not-pinned"), "\(bad)")
            let both = try await Command.run(
                "get",
                server.baseURL,
                "--cacert",
                authority,
                "--pin",
                other,
                "--pin",
                pin
            )
            #expect(both.status == 0 && server.requests.count == 2, "\(both)")
        }
    }
}
