import Dispatch
import Synchronization

/// Writes answers as they come, on a thread of its own.
///
/// A reader who is slow, or writes all lines before it reads the first answer, blocks that thread
/// and nothing else: answers wait in memory up to a limit, beyond which no new line is begun.
final class AnswerWriter: Sendable {
    private struct State {
        var order: AnswerOrder?
        var pending: [UInt8] = []
        /// Bytes that have not been written, those held back for the order included.
        var waitingBytes = 0
        var isThreadIdle = false
        var isFinished = false
        var blocked: [CheckedContinuation<Void, Never>] = []
        var end: CheckedContinuation<Void, Never>?
        var hasEnded = false
    }

    /// Answers of this size together wait in memory.
    private static let mostWaitingBytes = 64 << 20

    private let state: Mutex<State>
    private let work = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - isOrdered: Whether answers are written in the order of their lines.
    ///   - output: Takes the bytes; may block.
    init(isOrdered: Bool, output: @escaping @Sendable ([UInt8]) -> Void) {
        state = Mutex(State(order: isOrdered ? AnswerOrder() : nil))
        DispatchQueue(label: "bluebonnet.answers").async { [self] in
            while let bytes = take() { output(bytes) }
        }
    }

    /// Hands over an answer; suspends while too much waits.
    ///
    /// - Parameters:
    ///   - answer: The answer with its line end.
    ///   - number: The number of its line, from 1.
    func write(_ answer: [UInt8], at number: Int) async {
        let (wakes, isFull) = state.withLock { state -> (Bool, Bool) in
            state.waitingBytes += answer.count
            if let ready = state.order?.add(answer, at: number) {
                for answer in ready { state.pending += answer }
            } else {
                state.pending += answer
            }
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

    /// What the thread does next.
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
        let bytes = state.pending
        state.pending = []
        state.waitingBytes -= bytes.count
        guard state.waitingBytes <= mostWaitingBytes else { return .write(bytes, unblocked: []) }
        defer { state.blocked = [] }
        return .write(bytes, unblocked: state.blocked)
    }
}
