import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs the body with a session of its own and shuts it down afterwards, whatever the body does.
@discardableResult
func withSession<Result>(
    _ configuration: SessionConfiguration = SessionConfiguration(),
    transport: (any Transport)? = nil,
    _ body: (SessionManager) async throws -> Result
) async throws -> Result {
    let session = SessionManager(configuration: configuration, transport: transport)
    do {
        let result = try await body(session)
        await session.shutdown()
        return result
    } catch {
        await session.shutdown()
        throw error
    }
}

/// Nothing was thrown where an error was expected.
struct NothingThrown: Error {}

/// The `NetworkingError` that the body throws; whatever else happens is thrown on.
func networkingError<Result>(of body: () async throws -> Result) async throws -> NetworkingError {
    do {
        _ = try await body()
    } catch {
        guard let error = error as? NetworkingError else { throw error }
        return error
    }
    throw NothingThrown()
}

extension Request {
    /// A request for the text of a URL.
    init(
        _ method: HTTPRequest.Method = .get,
        to text: String,
        headerFields: HTTPFields = [:],
        body: RequestBody? = nil
    ) throws {
        self.init(method: method, url: try #require(URL(string: text)), headerFields: headerFields, body: body)
    }
}
