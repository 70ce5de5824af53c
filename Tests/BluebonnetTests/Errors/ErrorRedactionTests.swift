import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// No message and no description carries a password or the value of a query.
@Suite(.timeLimit(.minutes(1)))
struct ErrorRedactionTests {
    private static let secret = "hunter2"

    private func expectNoSecret(in error: NetworkingError, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(!error.message.contains(Self.secret), "\(error.code)", sourceLocation: sourceLocation)
        #expect(!error.description.contains(Self.secret), "\(error.code)", sourceLocation: sourceLocation)
        #expect(error.errorDescription?.contains(Self.secret) == false, "\(error.code)", sourceLocation: sourceLocation)
    }

    /// The rest of a URL behind a host and port.
    private static let tail = "/path?token=\(secret)#\(secret)"

    private static let urls: [(String, NetworkingError.Code)] = [
        ("ftp://ada:\(secret)@example.com" + tail, .unsupportedScheme),
        ("http://ada:\(secret)@127.0.0.1:0" + tail, .invalidURL),
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
}
