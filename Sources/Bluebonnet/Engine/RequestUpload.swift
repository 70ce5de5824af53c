import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization

/// A request body that is produced while it is sent: the producer fills a bounded queue, the
/// connection empties it whenever the socket takes more. Ends with its exchange.
final class RequestUpload: Sendable {
    /// The producer waits while more than this is queued.
    private static let highWatermark = 1 << 21
    /// The time that the end of an exchange waits for the source to end.
    private static let patience = TimeAmount.seconds(1)

    enum Next {
        /// `isLast` is true for the last piece of a body of known length without trailers; of
        /// another body, only ``finished(trailers:)`` tells the end.
        case piece(RequestBody.Piece, isLast: Bool)
        case nothingYet
        case finished(trailers: HTTPFields)
    }

    private struct State {
        var queue = CircularBuffer<RequestBody.Piece>(initialCapacity: 8)
        var queuedBytes = 0
        var producedBytes = 0
        var takenBytes = 0
        var isFinished = false
        var trailers: HTTPFields = [:]
        var isStopped = false
        /// Whether the connection was told that there is something, and has not looked yet.
        var isSignalled = false
        var producer: CheckedContinuation<Void, any Error>?
        var task: Task<Void, Never>?
        /// Whether the source is being read.
        var isProducing = false
        /// Called when the source is no longer read, or when the time for that is over.
        var onEnd: (call: @Sendable () -> Void, timer: Scheduled<Void>?)?
    }

    private let body: RequestBody
    private let connection: PooledConnection
    private let exchange: Exchange
    private let state = Mutex(State())

    init(_ body: RequestBody, connection: PooledConnection, exchange: Exchange) {
        self.body = body
        self.connection = connection
        self.exchange = exchange
    }

    /// Begins to produce. The task belongs to this upload and is cancelled by ``stop()``.
    ///
    /// - Parameter inFileParts: Whether files are handed over in parts that the system sends.
    func start(inFileParts: Bool) {
        let mayStart = state.withLock { state in
            state.isProducing = !state.isStopped
            return state.isProducing
        }
        guard mayStart else { return }
        let task = Task {
            var failure: (any Error)?
            do {
                var sink = RequestBody.Sink.bytes { try await self.append(.bytes($0)) }
                if inFileParts { sink.takeFile = { try await self.append(.file($0)) } }
                try await body.produce(sink)
                try checkLength()
                try finish(trailers: try await body.trailers?.make() ?? [:])
            } catch {
                failure = error
            }
            ended()
            guard let failure, !(state.withLock { $0.isStopped }) else { return }
            exchange.fail(.ofRequestBody(failure))
        }
        let isStopped = state.withLock { state in
            if state.isProducing { state.task = task }
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    // MARK: The producer's side

    private func append(_ piece: RequestBody.Piece) async throws {
        guard piece.count > 0 else { return }
        let (signals, mustWait) = try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            state.producedBytes += piece.count
            if let length = body.length, state.producedBytes > length {
                throw RequestBodyLengthMismatch.more(than: length)
            }
            state.queue.append(piece)
            state.queuedBytes += piece.count
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

    private func checkLength() throws {
        let count = state.withLock { $0.producedBytes }
        if let length = body.length, count < length { throw RequestBodyLengthMismatch.only(count, of: length) }
    }

    private func finish(trailers: HTTPFields) throws {
        let signals = try state.withLock { state in
            guard !state.isStopped else { throw CancellationError() }
            state.isFinished = true
            state.trailers = trailers
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if signals { connection.onLoop { $0.uploadHasMore(for: self.exchange) } }
    }

    // MARK: The connection's side

    /// The next piece to write: at most `most` bytes, or a whole part of a file.
    func next(upTo most: Int) -> Next {
        // Callers pass a positive constant: with 0 they would take empty pieces without end.
        precondition(most > 0)
        let (next, producer) = state.withLock { state -> (Next, CheckedContinuation<Void, any Error>?) in
            guard var piece = state.queue.popFirst() else {
                state.isSignalled = false
                return (state.isFinished ? .finished(trailers: state.trailers) : .nothingYet, nil)
            }
            if case .bytes(var rest) = piece, rest.readableBytes > most,
                let slice = rest.readSlice(length: most)
            {
                state.queue.prepend(.bytes(rest))
                piece = .bytes(slice)
            }
            state.queuedBytes -= piece.count
            state.takenBytes += piece.count
            let next = Next.piece(piece, isLast: isSent(state))
            guard state.queuedBytes < Self.highWatermark / 2 else { return (next, nil) }
            defer { state.producer = nil }
            return (next, state.producer)
        }
        producer?.resume()
        return next
    }

    /// Notes that the connection has looked and can take nothing now: where the queue is empty, it
    /// is told of what comes next.
    func look() {
        state.withLock { state in
            if state.queue.isEmpty { state.isSignalled = false }
        }
    }

    /// Whether as many bytes as declared have been taken, and nothing follows them.
    var isSent: Bool { state.withLock { isSent($0) } }

    private func isSent(_ state: State) -> Bool { state.takenBytes == body.declaredLength }

    /// Whether everything has been taken, and the source has said that this was all.
    var isAtEnd: Bool { state.withLock { $0.isFinished && $0.queue.isEmpty } }

    /// Whether something can be taken now.
    var hasPiece: Bool { state.withLock { !$0.queue.isEmpty } }

    /// Puts the rest of a part back: it is the next piece again.
    func putBack(_ part: FilePart) {
        guard part.count > 0 else { return }
        state.withLock { state in
            state.queue.prepend(.file(part))
            state.queuedBytes += part.count
            state.takenBytes -= part.count
        }
    }

    /// Cancels the source and drops the queue, because the exchange is over.
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

    // MARK: The end of the source

    /// Calls back when the source is no longer read, so that its owner may close what it reads
    /// from. That is now, or as soon as the source ends after its cancellation, but no later than
    /// after a second.
    ///
    /// To be called once, after ``stop()``.
    func whenEnded(_ callback: @escaping @Sendable () -> Void) {
        let mustWait = state.withLock { state in
            if state.isProducing { state.onEnd = (callback, nil) }
            return state.isProducing
        }
        guard mustWait else { return callback() }
        // Not on the connection's event loop, which may be shut down and drop the timer.
        let timer = NIOSingletons.posixEventLoopGroup.any().scheduleTask(in: Self.patience) {}
        let hasEnded = state.withLock { state in
            state.onEnd?.timer = timer
            return state.onEnd == nil
        }
        if hasEnded { timer.cancel() }
        timer.futureResult.whenComplete { _ in self.takeOnEnd()?.call() }
    }

    private func ended() {
        state.withLock { state in
            state.isProducing = false
            state.task = nil
        }
        guard let (call, timer) = takeOnEnd() else { return }
        timer?.cancel()
        call()
    }

    private func takeOnEnd() -> (call: @Sendable () -> Void, timer: Scheduled<Void>?)? {
        state.withLock { state in
            defer { state.onEnd = nil }
            return state.onEnd
        }
    }
}
