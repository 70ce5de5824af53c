import LocalServer

@testable import Bluebonnet

/// Runs the body with its own session and the session's engine, as `withSession` does.
@discardableResult
func withEngine<Result>(
    _ configuration: SessionConfiguration = SessionConfiguration(),
    _ body: (SessionManager, Engine) async throws -> Result
) async throws -> Result {
    let engine = Engine(configuration: configuration)
    return try await withSession(configuration, transport: engine) { session in
        try await body(session, engine)
    }
}

extension SessionConfiguration {
    /// The default configuration, which trusts this authority only, with these changes to its
    /// settings for TLS.
    init(trusting authority: TestIdentity, _ change: (inout TLSSettings) -> Void = { _ in }) {
        self.init()
        tls.trustRoots = .pem(authority.certificatePEM)
        change(&tls)
    }
}
