import HTTPTypes
import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// HTTP over Unix-domain sockets, whose path is the percent-encoded host of the URL.
@Suite(.timeLimit(.minutes(5)))
struct UnixSocketTests {
    private func withSocketPath(_ body: (_ path: String, _ host: String) async throws -> Void) async throws {
        // A short path: the system allows about a hundred bytes.
        let path = FileManager.default.temporaryDirectory.path + "/bb-\(UInt32.random(in: .min ... .max)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let host = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try await body(path, host)
    }

    @Test(arguments: ResponseReading.allCases)
    func `a request goes through a Unix-domain socket`(reading: ResponseReading) async throws {
        try await withSocketPath { path, host in
            let script = FaultServer.Script.requests { _ in [.respond(body: "ok")] }
            try await FaultServer.run(script, options: .init(socketPath: path)) { server in
                try await withSession { session in
                    for _ in 0..<2 {
                        let request = try Request(to: "http+unix://\(host)/target?query=1")
                        let body = try await reading.body(of: request, in: session)
                        #expect(body == Data("ok".utf8))
                    }
                    #expect(server.connections.count == 1)
                    #expect(server.requests.map(\.target) == ["/target?query=1", "/target?query=1"])
                    #expect(server.requests.first?.values(of: "host") == ["localhost"])
                }
            }
        }
    }

    @Test func `TLS goes through a Unix-domain socket, for the name localhost`() async throws {
        let certificates = try TestCertificates.shared()
        try await withSocketPath { path, host in
            let options = FaultServer.Options(tls: ServerTLS(certificates.localhost), socketPath: path)
            try await FaultServer.run([.readRequest, .respond(body: "ok")], options: options) { server in
                try await withSession(SessionConfiguration(trusting: certificates.authority)) { session in
                    let response = try await session.data(for: Request(to: "https+unix://\(host)/"))
                    #expect(response.value == Data("ok".utf8))
                    #expect(server.record.serverNames == ["localhost"])
                }
            }
        }
    }

    @Test func `a missing Unix-domain socket cannot be reached`() async throws {
        try await withSocketPath { _, host in
            try await withSession { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(to: "http+unix://\(host)/"))
                }
                #expect(error.code == .connectFailed, "\(error)")
            }
        }
    }
}
