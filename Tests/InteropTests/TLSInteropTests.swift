import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// nginx over TLS, and `openssl s_server`, which serves one connection at a time.
@Suite(
    .serialized,
    .enabled(if: InteropServer.tls12.isExpected, "openssl s_server is not running"),
    .timeLimit(.minutes(2))
)
struct TLSInteropTests {
    private func text(_ server: InteropServer, _ path: String, trusting roots: InteropServer) async throws -> String {
        let request = try server.request(path)
        return try await withSession(SessionConfiguration(trusting: roots)) { session in
            String(decoding: try await session.data(for: request).value, as: UTF8.self)
        }
    }

    @Test func `nginx is reached over TLS when its authority is trusted`() async throws {
        let text = try await text(.nginxTLS, "/echo", trusting: .authority)
        #expect(text.hasPrefix("GET /echo\n"))
        #expect(text.contains("HTTP/2.0 TLSv1.3"))
    }

    @Test func `a megabyte of nginx is received over TLS byte for byte`() async throws {
        let request = try InteropServer.nginxTLS.request("/1m.bin")
        let file = try InteropServer.file("1m.bin")
        let body = try await withSession(SessionConfiguration(trusting: .authority)) {
            try await $0.data(for: request).value
        }
        #expect(body == file)
    }

    @Test(arguments: [(InteropServer.tls12, "TLSv1.2"), (InteropServer.tls13, "TLSv1.3")])
    func `servers with TLS 1.2 or TLS 1.3 only are reached`(server: InteropServer, version: String) async throws {
        let text = try await text(server, "/", trusting: .authority)
        #expect(text.contains(version))
    }

    @Test func `the self-signed certificate of openssl s_server can be trusted by itself`() async throws {
        let text = try await text(.selfSigned, "/", trusting: .selfSignedCertificate)
        #expect(!text.isEmpty)
    }

    private static let refusals: [(InteropServer, NetworkingError.Code, Int)] = [
        (.expired, .certificateExpired, -1201),
        (.selfSigned, .certificateUntrusted, -1202),
        (.wrongHost, .certificateHostMismatch, -1202),
    ]

    @Test(arguments: refusals)
    func `each bad certificate has its own error code`(
        server: InteropServer,
        code: NetworkingError.Code,
        number: Int
    ) async throws {
        let error = try await server.failure(trusting: .authority)
        #expect(error.code == code)
        #expect(error.number == number)
    }

    @Test(arguments: [InteropServer.tls12, .tls13, .nginxTLS])
    func `a server is not trusted without its authority`(server: InteropServer) async throws {
        let error = try await server.failure()
        #expect(error.code == .certificateUntrusted)
    }

    @Test(arguments: [InteropServer.tls12, .tls13])
    func `the error about a request by http to openssl s_server says that it may speak TLS`(
        server: InteropServer
    ) async throws {
        let address = try server.address.replacing("https://", with: "http://")
        for method in [HTTPRequest.Method.get, .post, .delete] {
            let request = try Request(method, to: address)
            let error = try await networkingError { try await withSession { try await $0.data(for: request) } }
            #expect(error.code == .connectionLost && error.message.contains("https://"), "\(error)")
        }
    }

    /// `-www` shows whether a session was resumed. The server issues tickets.
    @Test(arguments: [InteropServer.tls12, .tls13])
    func `openssl s_server sees a new TLS session on each connection`(server: InteropServer) async throws {
        let request = try server.request("/")
        try await withSession(SessionConfiguration(trusting: .authority)) { session in
            for _ in 0..<3 {
                let response = try await session.data(for: request)
                #expect(!response.timings.isConnectionReused)
                let text = String(decoding: response.value, as: UTF8.self)
                #expect(text.contains("New, TLSv1.") && !text.contains("Reused, "), "\(text)")
            }
        }
    }

    @Test func `a TLS handshake with a server without TLS is an error`() async throws {
        let address = try InteropServer.nginx.address.replacing("http://", with: "https://")
        let request = Request(url: try #require(URL(string: address)))
        let error = await #expect(throws: NetworkingError.self) {
            try await withSession { try await $0.data(for: request) }
        }
        #expect(error?.code == .tlsFailed)
    }
}
