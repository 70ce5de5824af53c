import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// No message and no description carries a password or the value of a query.
@Suite(.timeLimit(.minutes(5)))
struct ErrorRedactionTests {
    private static let secret = "hunter2"

    private func expectNoSecret(in error: NetworkingError, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!error.message.contains(Self.secret), "\(error.code)", sourceLocation: sourceLocation)
        #expect(!error.description.contains(Self.secret), "\(error.code)", sourceLocation: sourceLocation)
        #expect(error.errorDescription?.contains(Self.secret) == false, "\(error.code)", sourceLocation: sourceLocation)
    }

    /// The rest of a URL after host and port.
    private static let tail = "/path?token=\(secret)#\(secret)"

    private static let urls: [(String, NetworkingError.Code)] = [
        ("ftp://ada:\(secret)@example.com" + tail, .unsupportedScheme),
        ("http://ada:\(secret)@127.0.0.1:0" + tail, .invalidURL),
        ("ftp://example.com/?eyJhbGciOiJIUzI1NiJ9\(secret)&wsdl", .unsupportedScheme),
    ]

    @Test(arguments: urls)
    func `errors about a URL hide its secrets`(url: String, code: NetworkingError.Code) async throws {
        try await withSession { session in
            let error = try await networkingError { try await session.data(for: Request(to: url)) }
            #expect(error.code == code)
            expectNoSecret(in: error)
        }
    }

    @Test func `errors about a connection hide secrets`() async throws {
        let port = FaultServer.unusedPort
        try await withSession { session in
            let url = "http://ada:\(Self.secret)@127.0.0.1:\(port)\(Self.tail)"
            let error = try await networkingError { try await session.data(for: Request(to: url)) }
            #expect(error.code == .connectFailed)
            expectNoSecret(in: error)
        }
    }

    private static let redirects: [(RedirectPolicy, String, NetworkingError.Code)] = [
        (.error, "/elsewhere?token=\(secret)", .redirectRefused),
        (.follow, "/again?token=\(secret)", .tooManyRedirects),
        (.follow, "ftp://ada:\(secret)@example.com/?token=\(secret)", .invalidRedirect),
    ]

    @Test(arguments: redirects)
    func `errors about redirects hide secrets`(
        policy: RedirectPolicy,
        location: String,
        code: NetworkingError.Code
    ) async throws {
        var configuration = SessionConfiguration()
        configuration.redirectPolicy = policy
        try await withSession(configuration, transport: StubTransport { _ in .redirect(to: location) }) { session in
            let request = try Request(to: "http://ada:\(Self.secret)@example.com\(Self.tail)")
            let error = try await networkingError { try await session.data(for: request) }
            #expect(error.code == code)
            expectNoSecret(in: error)
        }
    }

    /// Paths that are no URL, with and without a base.
    private static let paths: [(String, URL?)] = [
        ("http://ada:\(secret)@\u{301}x y/", URL(string: "http://example.com/")),
        ("http://ada:\(secret)@\u{301}x y/", nil),
        ("http://[x/?token=\(secret)", URL(string: "http://example.com/")), ("http://[x/?token=\(secret)", nil),
        ("a b?\u{301}token=\(secret)", nil),
    ]

    @Test(arguments: paths)
    func `errors about a path hide secrets`(path: String, base: URL?) async throws {
        try await withSession(transport: StubTransport { _ in .text("ok") }) { session in
            let api = HTTPSessionManager(baseURL: base, session: session)
            let error = try await networkingError { try await api.get(path, as: .string) }
            #expect(error.code == .invalidURL)
            expectNoSecret(in: error)
        }
    }

    @Test func `an error about a request target hides its query`() {
        let error = RequestHeadError.invalidTarget("/a b?token=\(Self.secret)")
        #expect(error.description.contains("\"/a b?…\""))
        #expect(!error.description.contains(Self.secret))
    }

    private static let broken = [
        "HTTP/1.1 200 OK\r\nSet-Cookie: id=\(secret)\u{1}\r\n\r\n", "HTTP/1.1 200 OK\r\n\(secret)\r\n\r\n",
        "HTTP/1.1 200 OK\r\nSet-Cookie: " + String(repeating: secret, count: 10_000),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\(secret)",
    ]

    @Test(arguments: broken)
    func `errors about a malformed response hide its fields and its body`(response: String) async throws {
        try await FaultServer.run([.readRequest, .send(response), .close]) { server in
            try await withSession { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code.family == .framing)
                expectNoSecret(in: error)
            }
        }
    }
}
