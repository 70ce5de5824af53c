import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Counts the bytes of streamed bodies and throws them away.
final class StreamCounter: NSObject, URLSessionDataDelegate, Sendable {
    private struct Entry {
        var count = 0
        var continuation: CheckedContinuation<Int, any Error>
    }

    private let entries = Mutex<[Int: Entry]>([:])

    /// Starts a task and waits for its last byte.
    func bytes(of task: URLSessionDataTask) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            entries.withLock { $0[task.taskIdentifier] = Entry(continuation: continuation) }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        entries.withLock { $0[dataTask.taskIdentifier]?.count += data.count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            entry.continuation.resume(throwing: error)
        } else {
            entry.continuation.resume(returning: entry.count)
        }
    }
}
