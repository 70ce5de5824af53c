import Bluebonnet
import BluebonnetTesting

/// Runs the body with a manager for `http://x/` over a stub transport.
@discardableResult
func withAPI<Result>(
    over transport: StubTransport,
    _ body: (HTTPSessionManager, StubTransport) async throws -> Result
) async throws -> Result {
    try await withAPI(at: "http://x/", transport: transport) { api in
        try await body(api, transport)
    }
}
