import Foundation
import LocalServer

@testable import Bluebonnet

extension SessionConfiguration {
    /// HTTP/2 with prior knowledge, with these changes.
    static func http2(_ change: (inout Self) -> Void = { _ in }) -> Self {
        SessionConfiguration {
            $0.httpVersions = .http2PriorKnowledge
            change(&$0)
        }
    }
}

/// The bodies of so many requests that are sent at once, or their errors, in their order.
func bodies(
    of count: Int,
    in session: SessionManager,
    _ request: @Sendable @escaping (Int) throws -> Request
) async -> [Result<String, any Error>] {
    await withTaskGroup(of: (Int, Result<String, any Error>).self) { group in
        for index in 0..<count {
            group.addTask {
                do {
                    let data = try await session.data(for: request(index)).value
                    return (index, .success(String(decoding: data, as: UTF8.self)))
                } catch {
                    return (index, .failure(error))
                }
            }
        }
        var results = [Result<String, any Error>](repeating: .failure(CancellationError()), count: count)
        for await (index, result) in group { results[index] = result }
        return results
    }
}
