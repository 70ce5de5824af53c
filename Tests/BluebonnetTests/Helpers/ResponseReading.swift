import Foundation

@testable import Bluebonnet

/// The two ways to read the body of a response; errors must be the same in both.
enum ResponseReading: CaseIterable {
    /// Head and body come together from a task.
    case collected
    /// The body is read piece by piece.
    case streamed

    /// Sends the request and reads the whole body.
    func body(of request: Request, in session: SessionManager) async throws -> Data {
        switch self {
        case .collected:
            return try await session.data(for: request).value
        case .streamed:
            let response = try await session.open(request)
            return try await response.body.collect()
        }
    }
}
