import Foundation
import LocalServer
import Testing

@testable import BluebonnetCommand

/// The options for versions of HTTP.
@Suite(.timeLimit(.minutes(5))) struct VersionProcessTests {
    /// A server that speaks HTTP/2, and the options with which the command trusts it.
    private func withServer(
        secure: Bool,
        _ body: (LocalServer, [String]) async throws -> Void
    ) async throws {
        let certificates = try TestCertificates.shared()
        let tls = secure ? ServerTLS(certificates.localhost) : nil
        try await certificates.withFiles { files in
            try await LocalServer.run(.init(tls: tls, http2: true)) { server in
                try await body(server, ["--cacert", files.authority])
            }
        }
    }

    @Test(arguments: [
        ([], "h2"), (["--http1.1"], "http/1.1"), (["--http2"], "h2"), (["--http2-prior-knowledge"], "h2"),
    ])
    func `a request over TLS has the version that the options say`(options: [String], name: String) async throws {
        try await withServer(secure: true) { server, trust in
            let url = server.baseURL + "/protocol"
            let output = try await Command.run(["get", url, "--filter", "/protocol", "--raw-output"] + options + trust)
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text == name + "\n")
        }
    }

    @Test func `--http2-prior-knowledge speaks HTTP 2 without TLS, where --http2 speaks HTTP 1`() async throws {
        try await withServer(secure: false) { server, _ in
            let url = server.baseURL + "/protocol"
            let output = try await Command.run("get", url, "--http2-prior-knowledge", "--filter", "/protocol", "-r")
            #expect(output.text == "h2\n", "\(output.errors)")
        }
        try await LocalServer.run { server in
            let url = server.baseURL + "/protocol"
            let output = try await Command.run("get", url, "--http2", "--filter", "/protocol", "-r")
            #expect(output.text == "http/1.1\n", "\(output.errors)")
        }
    }

    @Test func `two of the options are a mistake`() async throws {
        let output = try await Command.run("get", "http://127.0.0.1:1/", "--http2", "--http1.1")
        #expect(output.status == 2)
    }

    @Test func `-v shows the version and the stream`() async throws {
        try await withServer(secure: true) { server, trust in
            let url = server.baseURL + "/protocol"
            let second = try await Command.run(["get", "-v", url] + trust)
            // The version is agreed upon when there is a connection.
            #expect(second.errors.contains("GET /protocol\n"), "\(second.errors)")
            #expect(second.errors.contains("HTTP/2 200"), "\(second.errors)")
            #expect(second.errors.contains("(stream 1 of a new connection)"), "\(second.errors)")
            let first = try await Command.run(["get", "-v", url, "--http1.1"] + trust)
            #expect(first.errors.contains("GET /protocol HTTP/1.1\n"), "\(first.errors)")
            #expect(first.errors.contains("(new connection)"), "\(first.errors)")
            let table = try await Command.run(["get", "--timings", url] + trust)
            #expect(table.errors.contains(", h2, stream 1, TLS"), "\(table.errors)")
        }
    }

    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func `batch has the options too, and its results the version`(option: String, version: String) async throws {
        try await withServer(secure: true) { server, trust in
            let line = #"{"url": "\#(server.baseURL)/protocol"}"# + "\n"
            let output = try await Command.run(["batch", option] + trust, input: line)
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.text.contains(#""httpVersion":"\#(version)""#), "\(output.text)")
        }
    }
}
