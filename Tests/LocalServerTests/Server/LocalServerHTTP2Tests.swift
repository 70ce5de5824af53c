import Foundation
import LocalServer
import Testing

@Suite(.timeLimit(.minutes(5)), .needs("curl"))
struct LocalServerHTTP2Tests {
    private func curl(_ server: LocalServer, _ path: String, _ arguments: String...) async throws -> Program.Output {
        try await Program.runBeside(
            "curl",
            ["-sS", "--insecure", "--max-time", "30"] + arguments + [server.baseURL + path]
        )
    }

    private func options(secure: Bool) throws -> LocalServer.Options {
        .init(tls: secure ? ServerTLS(try TestCertificates.shared().localhost) : nil, http2: true)
    }

    @Test func `with TLS the local server speaks the protocol that ALPN selects`() async throws {
        try await LocalServer.run(options(secure: true)) { server in
            let second = try await curl(server, "/protocol", "--http2").text
            #expect(second.contains("\"h2\"") && second.contains("\"stream\": 1"), "\(second)")
            let first = try await curl(server, "/protocol", "--http1.1").text
            #expect(first.contains("\"http/1.1\"") && first.contains("\"stream\": null"), "\(first)")
        }
    }

    @Test func `without TLS the local server speaks HTTP 2 to clients with prior knowledge`() async throws {
        try await LocalServer.run(options(secure: false)) { server in
            let output = try await curl(server, "/protocol", "--http2-prior-knowledge")
            #expect(output.text.contains("\"h2\""), "\(output.text)")
        }
    }

    @Test func `a request over HTTP 2 is echoed as one over HTTP 1`() async throws {
        try await LocalServer.run(options(secure: true)) { server in
            let second = try await curl(server, "/post?a=b", "--http2", "-d", "c=d").text
            let first = try await curl(server, "/post?a=b", "--http1.1", "-d", "c=d").text
            #expect(first == second && first.contains("\"c\": \"d\""), "\(first) \(second)")
        }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `the trailers of a response are those of the query`(version: String) async throws {
        try await LocalServer.run(options(secure: true)) { server in
            let output = try await curl(server, "/trailers?x-checksum=abc", version, "-i")
            #expect(output.text.lowercased().contains("x-checksum: abc"), "\(output.text)")
        }
    }
}
