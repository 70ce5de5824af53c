import Bluebonnet
import HTTPTypes
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// This file uses the public API only: other test targets have symbolic links to it.

/// The library's `withSession` without a label.
@discardableResult
func withSession<Result>(
    _ configuration: SessionConfiguration,
    transport: (any Transport)? = nil,
    _ body: (SessionManager) async throws -> Result
) async throws -> Result {
    try await withSession(configuration: configuration, transport: transport, body)
}

/// Runs the body with a manager for a base URL, over its own session.
@discardableResult
func withAPI<Result>(
    at baseURL: String,
    _ configuration: SessionConfiguration = SessionConfiguration(),
    transport: (any Transport)? = nil,
    _ body: (HTTPSessionManager) async throws -> Result
) async throws -> Result {
    let url = try #require(URL(string: baseURL))
    return try await withSession(configuration, transport: transport) { session in
        try await body(HTTPSessionManager(baseURL: url, session: session))
    }
}

/// The `NetworkingError` that the work must end with.
func networkingError<Result>(
    sourceLocation: SourceLocation = #_sourceLocation,
    of work: () async throws -> Result
) async throws -> NetworkingError {
    do {
        _ = try await work()
    } catch let error as NetworkingError {
        return error
    }
    throw NothingThrown(place: sourceLocation)
}

/// Work that should have failed did not.
private struct NothingThrown: Error, CustomStringConvertible {
    var place: SourceLocation

    var description: String { "\(place): a NetworkingError was expected, and nothing was thrown" }
}

extension SessionConfiguration {
    /// The default configuration with these changes.
    init(_ change: (inout Self) throws -> Void) rethrows {
        self.init()
        try change(&self)
    }
}

extension Request {
    /// A request for the text of a URL.
    init(
        _ method: HTTPRequest.Method = .get,
        to text: String,
        headerFields: HTTPFields = [:],
        body: RequestBody? = nil,
        timeouts: Timeouts? = nil
    ) throws {
        self.init(method: method, url: try #require(URL(string: text)), headerFields: headerFields, body: body)
        self.timeouts = timeouts
    }
}
