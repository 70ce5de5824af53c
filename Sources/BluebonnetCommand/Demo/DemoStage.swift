import Bluebonnet
import FoundationEssentials
import LocalServer

/// The embedded server and the session that the steps of the tour use.
struct DemoStage: Sendable {
    let server: LocalServer
    let session: SessionManager
    let certificates: TestCertificates

    /// A manager with the base URL of the server.
    var api: HTTPSessionManager {
        HTTPSessionManager(baseURL: URL(string: server.baseURL), session: session)
    }

    /// The URL of a path of the server.
    func url(_ path: String) throws -> URL {
        try Self.url(server.baseURL + path)
    }

    static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw DemoFailure(description: "\(text) is not a URL") }
        return url
    }

    /// Runs a body that must fail, and returns the error.
    static func error(expected code: NetworkingError.Code, of body: () async throws -> Void) async throws
        -> NetworkingError
    {
        do {
            try await body()
        } catch let error as NetworkingError {
            try DemoFailure.unless(error.code == code, expected: "the error \(code)", got: error)
            return error
        }
        throw DemoFailure(description: "expected the error \(code), and nothing failed")
    }
}
