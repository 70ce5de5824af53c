import NIOCore
import Synchronization

/// A request body that is produced while it is sent: the producer fills a bounded queue, the connection empties it whenever the
/// socket takes more. Ends with its exchange.
final class RequestUpload: Sendable {
    /// The producer waits while more than this is queued.
    private static let highWatermark = 1 << 21

    enum Next {
        case piece(ByteBuffer)
        case nothingYet
        case finished
    }

    private struct State {
        var queue = CircularBuffer<ByteBuffer>(initialCapacity: 8)
        var queuedBytes = 0
        var producedBytes = 0
        var isFinished = false
        var isStopped = false
        /// The connection has been told that there is something, and has not looked yet.
        var isSignalled = false
        var producer: CheckedContinuation<Void, any Error>?
        var task: Task<Void, Never>?
    }

    private let length: Int?
    private let connection: PooledConnection
    private let exchange: Exchange
    private let state = Mutex(State())

    init(length: Int?, connection: PooledConnection, exchange: Exchange) {
        self.length = length
        self.connection = connection
        self.exchange = exchange
    }

    /// Begins to produce. The task belongs to this upload and is cancelled by ``stop()``.
    func start(_ produce: @escaping @Sendable (RequestBody.Sink) async throws -> Void) {
        let task = Task {
            do {
                try await produce { try await self.append($0) }
                try finish()
            } catch let mismatch as RequestBodyLengthMismatch {
                exchange.fail(NetworkingError(.requestBodyLengthMismatch, mismatch.description))
            } catch {
                guard !(state.withLock { $0.isStopped }) else { return }
                if let error = error as? NetworkingError, error.isAboutRequestBody { return exchange.fail(error) }
                exchange.fail(
                    NetworkingError(
                        .requestBodyFailed,
                        "The request body could not be read: \(error)",
                        underlying: error
                    )
                )
            }
        }
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    // MARK: The producer's side

    private func append(_ piece: ByteBuffer) async throws {
        guard piece.readableBytes > 0 else { return }
        let (signals, mustWait) = try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            state.producedBytes += piece.readableBytes
            if let length, state.producedBytes > length {
                throw RequestBodyLengthMismatch.more(than: length)
            }
            state.queue.append(piece)
            state.queuedBytes += piece.readableBytes
            defer { state.isSignalled = true }
            return (!state.isSignalled, state.queuedBytes >= Self.highWatermark)
        }
        if signals { connection.onLoop { $0.uploadHasMore(for: self.exchange) } }
        if mustWait { try await waitForRoom() }
    }

    private func waitForRoom() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            enum Now { case go, stop, wait }
            let now = state.withLock { state -> Now in
                if state.isStopped { return .stop }
                if state.queuedBytes < Self.highWatermark { return .go }
                state.producer = continuation
                return .wait
            }
            switch now {
            case .go: continuation.resume()
            case .stop: continuation.resume(throwing: CancellationError())
            case .wait: break
            }
        }
    }

    private func finish() throws {
        let signals = try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            if let length, state.producedBytes < length {
                throw RequestBodyLengthMismatch.only(state.producedBytes, of: length)
            }
            state.isFinished = true
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if signals { connection.onLoop { $0.uploadHasMore(for: self.exchange) } }
    }

    // MARK: The connection's side

    /// The next piece to write.
    func next() -> Next {
        let (next, producer) = state.withLock { state -> (Next, CheckedContinuation<Void, any Error>?) in
            guard let piece = state.queue.popFirst() else {
                state.isSignalled = false
                return (state.isFinished ? .finished : .nothingYet, nil)
            }
            state.queuedBytes -= piece.readableBytes
            guard state.queuedBytes < Self.highWatermark / 2 else { return (.piece(piece), nil) }
            defer { state.producer = nil }
            return (.piece(piece), state.producer)
        }
        producer?.resume()
        return next
    }

    /// Nothing more is wanted: the exchange is over.
    func stop() {
        let (producer, task) = state.withLock { state in
            state.isStopped = true
            state.queue.removeAll()
            defer {
                state.producer = nil
                state.task = nil
            }
            return (state.producer, state.task)
        }
        task?.cancel()
        producer?.resume(throwing: CancellationError())
    }
}
