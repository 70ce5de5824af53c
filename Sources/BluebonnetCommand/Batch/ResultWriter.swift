import Dispatch
import Synchronization

/// Writes results as they come, on its own thread.
///
/// A program that reads slowly, or writes all lines before it reads the first result, blocks only
/// that thread: results wait in memory up to a limit, beyond which no new line is begun.
final class ResultWriter: Sendable {
    private struct State {
        var order: ResultOrder?
        /// Results in the order in which they are written, small ones together: one buffer for all
        /// would be copied, and be there twice, whenever it grows.
        var pending: [[UInt8]] = []
        /// Bytes that have not been written, those held back for the order included.
        var waitingBytes = 0
        var isThreadIdle = false
        var isFinished = false
        var blocked: [CheckedContinuation<Void, Never>] = []
        var end: CheckedContinuation<Void, Never>?
        var hasEnded = false
    }

    /// The bytes of results that may wait in memory.
    private static let mostWaitingBytes = 64 << 20
    /// The bytes of small results that are written together.
    private static let pieceSize = 64 << 10

    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - isOrdered: Whether results are written in the order of their lines.
    ///   - output: Takes the bytes; may block.
    init(isOrdered: Bool, output: @escaping @Sendable ([UInt8]) -> Void) {
        state = Mutex(State(order: isOrdered ? ResultOrder() : nil))
        DispatchQueue(label: "bluebonnet.results").async { [self] in
            while let bytes = take() { output(bytes) }
        }
    }

    /// Passes a result to the thread; suspends while too many bytes wait.
    ///
    /// - Parameters:
    ///   - result: The result with its line end.
    ///   - number: The number of its line, from 1.
    func write(_ result: [UInt8], at number: Int) async {
        let (wakes, isFull) = state.withLock { state -> (Bool, Bool) in
            state.waitingBytes += result.count
            for result in state.order?.add(result, at: number) ?? [result] { Self.add(result, to: &state.pending) }
            defer { if !state.pending.isEmpty { state.isThreadIdle = false } }
            return (state.isThreadIdle && !state.pending.isEmpty, state.waitingBytes > Self.mostWaitingBytes)
        }
        if wakes { work.signal() }
        if isFull { await waitForRoom() }
    }

    /// Returns when everything has been written.
    func finish() async {
        await withCheckedContinuation { continuation in
            let (wakes, hasEnded) = state.withLock { state -> (Bool, Bool) in
                state.isFinished = true
                if !state.hasEnded { state.end = continuation }
                defer { state.isThreadIdle = false }
                return (state.isThreadIdle, state.hasEnded)
            }
            if hasEnded { continuation.resume() }
            if wakes { work.signal() }
        }
    }

    private static func add(_ result: [UInt8], to pending: inout [[UInt8]]) {
        let last = pending.last?.count ?? pieceSize
        if last + result.count <= pieceSize {
            pending[pending.count - 1] += result
        } else {
            pending.append(result)
        }
    }

    private func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.waitingBytes > Self.mostWaitingBytes else { return false }
                state.blocked.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    // MARK: The writing thread

    /// The next action of the thread.
    private enum Step {
        case write([UInt8], unblocked: [CheckedContinuation<Void, Never>])
        case wait
        case end(CheckedContinuation<Void, Never>?)
    }

    private func take() -> [UInt8]? {
        while true {
            switch state.withLock({ Self.step(&$0) }) {
            case .write(let bytes, let unblocked):
                for continuation in unblocked { continuation.resume() }
                return bytes
            case .wait:
                work.wait()
            case .end(let continuation):
                continuation?.resume()
                return nil
            }
        }
    }

    private static func step(_ state: inout State) -> Step {
        guard !state.pending.isEmpty else {
            guard state.isFinished else {
                state.isThreadIdle = true
                return .wait
            }
            state.hasEnded = true
            defer { state.end = nil }
            return .end(state.end)
        }
        let bytes = state.pending.removeFirst()
        state.waitingBytes -= bytes.count
        guard state.waitingBytes <= mostWaitingBytes else { return .write(bytes, unblocked: []) }
        defer { state.blocked = [] }
        return .write(bytes, unblocked: state.blocked)
    }
}
