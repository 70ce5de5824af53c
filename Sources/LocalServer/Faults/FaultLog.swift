import NIOCore
import NIOPosix
import Synchronization

/// What a scripted server records.
package protocol FaultRecord: Sendable {
    /// Creates the record of a server without connections.
    init()

    /// The connections as one line, for the error of a wait.
    var summary: String { get }
}

/// The record of a scripted server, and the tests that wait for changes of it.
final class FaultLog<Record: FaultRecord>: Sendable {
    typealias Condition = @Sendable (Record) -> Bool

    private struct Waiter {
        var condition: Condition
        var continuation: CheckedContinuation<Void, any Error>
        var timer: Scheduled<Void>
    }

    private struct State {
        var record = Record()
        var waiters: [Int: Waiter] = [:]
        var lastIdentifier = 0
    }

    private let state = Mutex(State())

    var record: Record {
        state.withLock { $0.record }
    }

    /// Changes the record and wakes the tests that waited for that.
    @discardableResult
    func update<Result: Sendable>(_ change: @Sendable (inout Record) -> Result) -> Result {
        let (result, ready) = state.withLock { state in
            let result = change(&state.record)
            let ready = state.waiters.filter { $0.value.condition(state.record) }
            for identifier in ready.keys {
                state.waiters[identifier] = nil
            }
            return (result, Array(ready.values))
        }
        for waiter in ready {
            waiter.timer.cancel()
            waiter.continuation.resume()
        }
        return result
    }

    /// Returns when the condition holds; throws when the time is over or the caller is cancelled.
    func wait(for expectation: String, timeout: Duration, until condition: @escaping Condition) async throws {
        let identifier = state.withLock { state in
            state.lastIdentifier += 1
            return state.lastIdentifier
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(identifier, continuation, expectation, timeout, condition)
            }
        } onCancel: {
            fail(identifier) { _ in CancellationError() }
        }
    }

    private func begin(
        _ identifier: Int,
        _ continuation: CheckedContinuation<Void, any Error>,
        _ expectation: String,
        _ timeout: Duration,
        _ condition: @escaping Condition
    ) {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let timer = loop.scheduleTask(in: TimeAmount(timeout)) {
            self.fail(identifier) { record in
                FaultWaitTimeout(expectation: expectation, timeout: timeout, summary: record.summary)
            }
        }
        let isOver = state.withLock { state in
            guard !Task.isCancelled, !condition(state.record) else { return true }
            state.waiters[identifier] = Waiter(condition: condition, continuation: continuation, timer: timer)
            return false
        }
        guard isOver else { return }
        timer.cancel()
        continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(()))
    }

    private func fail(_ identifier: Int, with error: (Record) -> any Error) {
        let (waiter, record) = state.withLock { state in
            (state.waiters.removeValue(forKey: identifier), state.record)
        }
        guard let waiter else { return }
        waiter.timer.cancel()
        waiter.continuation.resume(throwing: error(record))
    }
}

extension FaultLog<FaultServer.Record> {
    /// Changes the record of one connection.
    func update(connection index: Int, _ change: @Sendable (inout FaultServer.Connection) -> Void) {
        update { change(&$0.connections[index]) }
    }
}

/// The error of a wait for a scripted server whose timeout is over.
package struct FaultWaitTimeout: Error, CustomStringConvertible {
    /// The event that was awaited.
    package var expectation: String

    /// The timeout of the wait.
    package var timeout: Duration

    /// The connections of the server when the timeout was over.
    package var summary: String

    /// A sentence with the awaited event and the connections of the server.
    package var description: String {
        "No \(expectation) within \(timeout); connections: [\(summary)]"
    }
}
