import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// Values by host, as policies and client certificates have them.
@Suite(.timeLimit(.minutes(5)))
struct HostPatternsTests {
    private func value(_ host: String, _ values: [String: Int]) throws -> Int? {
        try HostPatterns(values, in: "hostSecurityPolicies").value(for: host)
    }

    @Test(arguments: [
        ("example.com", "EXAMPLE.com."), ("a_b.example.com", "a_b.example.com"), ("127.0.0.1", "127.0.0.1"),
        ("::1", "[::1]"), ("0:0:0:0:0:0:0:1", "::1"), ("::1", "0:0::1"), ("2001:db8::a", "2001:DB8:0::A"),
        ("fe80::1%eth0", "fe80::1"), ("xn--bcher-kva.example", "XN--bcher-kva.example"),
        ("a.example.com", "*.example.com"), ("a.localhost", "*.LOCALHOST."), ("a.com", "*.com"),
    ])
    func `a key in another form is the same host`(host: String, key: String) throws {
        #expect(try value(host, [key: 1]) == 1)
    }

    @Test(arguments: [
        ("example.com", "www.example.com"), ("example.com", "*.example.com"), ("a.b.example.com", "*.example.com"),
        ("::ffff:127.0.0.1", "127.0.0.1"), ("127.0.0.1", "*.0.example"), ("a..example.com", "*.example.com"),
        ("127.1", "127.0.0.1"),
    ])
    func `another host has no value`(host: String, key: String) throws {
        #expect(try value(host, [key: 1]) == nil)
    }

    @Test func `a name is preferred to a pattern`() throws {
        #expect(try value("A.example.com", ["*.example.com": 1, "a.example.com": 2]) == 2)
    }

    @Test(arguments: [
        "https://example.com", "example.com:8443", "[::1]:443", "[example.com]", "example.com/", "user@example.com",
        "b\u{fc}cher.example", "*", "**.example.com", "*.*.example.com", "*.", "*.127.0.0.1", "*.[::1]",
        "a*.example.com", ".example.com", "", " example.com", "127.1", "example.com\0",
    ])
    func `a key that is no host is an error for every host`(key: String) throws {
        for host in ["example.com", "other.example", key] {
            #expect {
                try value(host, ["example.com": 1, key: 2])
            } throws: { error in
                let error = error as? NetworkingError
                return error?.code == .invalidTrustConfiguration
                    && error?.message.contains("in hostSecurityPolicies is not a host. Write a name") == true
            }
        }
    }

    @Test(arguments: [
        ("Example.com", "example.com"), ("example.com", "example.com."), ("0:0::1", "::1"), ("::1", "[::1]"),
        ("*.Example.com", "*.example.com"),
    ])
    func `two keys for one host are an error that names both, in the same order each time`(one: String, other: String) {
        let pair = [one, other].sorted()
        #expect {
            try value("a.example", [one: 1, other: 2])
        } throws: { error in
            (error as? NetworkingError)?.message
                == "“\(pair[0])” and “\(pair[1])” in hostSecurityPolicies are the same host."
        }
    }

    // MARK: Sessions

    /// The error of a request to a server of TLS, and how many bytes the server received of it.
    private func error(_ change: (inout SessionConfiguration) -> Void) async throws -> NetworkingError {
        let certificates = try TestCertificates.shared()
        let script = FaultServer.Script.requests { _ in [.respond(body: "ok"), .close] }
        let tls = ServerTLS(certificates.localhost)
        return try await FaultServer.run(script, options: .init(tls: tls)) { server in
            var configuration = SessionConfiguration(trusting: certificates.authority)
            change(&configuration)
            let error = try await withSession(configuration) { session in
                try await networkingError { _ = try await session.data(for: Request(to: server.baseURL)) }
            }
            #expect(server.connections.allSatisfy { $0.bytesReceived == 0 })
            return error
        }
    }

    @Test func `a session with a policy for no host sends nothing to any server by https`() async throws {
        let error = try await error { $0.hostSecurityPolicies["https://localhost/"] = .acceptingAnyCertificate }
        #expect(error.code == .invalidTrustConfiguration && error.message.contains("hostSecurityPolicies"), "\(error)")
    }

    @Test func `a session with a client certificate for no host sends nothing to any server by https`() async throws {
        let error = try await error {
            $0.tls.hostIdentities["localhost:443"] = .init(certificateFile: "a.pem", privateKeyFile: "a.pem")
        }
        #expect(error.code == .invalidTrustConfiguration && error.message.contains("hostIdentities"), "\(error)")
    }

    @Test func `a session with such keys sends requests by http, but for a base URL`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "ok"), .close] }) { server in
            var configuration = SessionConfiguration()
            configuration.hostSecurityPolicies["https://localhost/"] = .standard
            configuration.tls.hostIdentities["a b"] = .init(certificateFile: "a.pem", privateKeyFile: "a.pem")
            try await withSession(configuration) { session in
                #expect(try await session.data(for: Request(to: server.baseURL)).value == Data("ok".utf8))
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                let error = try await networkingError { let _: String = try await api.get("x") }
                #expect(error.code == .invalidTrustConfiguration, "\(error)")
            }
        }
    }
}
