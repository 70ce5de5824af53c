import HTTPTypes
import NIOCore
import Synchronization

/// The pipe between a connection that receives a body and the task that reads it, with
/// back-pressure.
///
/// The connection pushes batches and stops reading the socket while too much waits here; the reader
/// takes buffer by buffer, and lets the connection read again when few bytes are left. Where many
/// buffers wait, small ones are joined.
final class BodyStream: Sendable {
    /// Above this the connection stops reading, where it has no marks of its own.
    static let highWatermark = 1 << 20
    /// Below this it reads again.
    static let lowWatermark = 1 << 18

    /// The bytes that make a connection stop, and those that let it go on.
    struct Marks: Sendable {
        /// Above this it stops reading.
        var high = BodyStream.highWatermark
        /// Below this it reads again.
        var low = BodyStream.lowWatermark
    }

    /// The connection that a stream comes from.
    protocol Source: AnyObject, Sendable {
        /// The reader has room again.
        func continueReading()
        /// The rest will not be read.
        func abandon()
    }

    struct End: Sendable {
        var trailers: HTTPFields
        var at: NIODeadline
    }

    private struct State {
        var buffers = CircularBuffer<ByteBuffer>(initialCapacity: 8)
        var bytes = 0
        var end: Result<End, NetworkingError>?
        var reader: SuspendedCaller<Void, Never>?
        var isPaused = false
        /// The bytes below which a paused source goes on.
        var lowWatermark = BodyStream.lowWatermark
        var source: (any Source)?
        var listener: (@Sendable (Result<End, NetworkingError>) -> Void)?

        /// Takes the next buffer or the end. A paused source is to be resumed below the low
        /// watermark.
        mutating func take() -> Taken {
            guard let buffer = takeFirst() else { return end.map(Taken.end) ?? .nothingYet }
            guard isPaused, bytes <= lowWatermark else { return .buffer(buffer, resuming: nil) }
            isPaused = false
            return .buffer(buffer, resuming: source)
        }

        mutating func takeFirst() -> ByteBuffer? {
            guard let buffer = buffers.popFirst() else { return nil }
            bytes -= buffer.readableBytes
            return buffer
        }
    }

    private let state: Mutex<State>

    init(source: any Source) {
        state = Mutex(State(source: source))
    }

    // MARK: The connection's side

    /// The things that a connection has to do after a push.
    struct Pushed: Sendable {
        /// Whether to go on reading.
        var goesOn: Bool
        /// The bytes that wait, but for those that a waiting reader takes at once.
        var unread: Int
        /// The reader that waited for bytes, to be resumed.
        var reader: SuspendedCaller<Void, Never>?
    }

    /// Takes all pieces that have arrived.
    ///
    /// - Parameters:
    ///   - arrived: The pieces.
    ///   - marks: Those of the connection. Default: those of the pipe.
    /// - Returns: What the connection has to do.
    func push(_ arrived: inout BodyPieces, _ marks: Marks = Marks()) -> Pushed {
        state.withLock { state in
            let first = arrived.firstByteCount
            let count = arrived.byteCount
            guard state.end == nil, count > 0 else {
                arrived.drain { _ in }
                return Pushed(goesOn: !state.isPaused || state.end != nil, unread: state.bytes)
            }
            let reader = state.reader
            state.reader = nil
            state.bytes += count
            arrived.drain { state.buffers.appendJoining($0) }
            // A reader that waits has drained the buffers, and takes the first one at once.
            let waiting = state.bytes - (reader == nil ? 0 : first)
            state.isPaused = waiting >= marks.high
            state.lowWatermark = marks.low
            return Pushed(goesOn: !state.isPaused, unread: waiting, reader: reader)
        }
    }

    func finish(trailers: HTTPFields, at: NIODeadline) {
        end(.success(End(trailers: trailers, at: at)))
    }

    func fail(_ error: NetworkingError) {
        end(.failure(error))
    }

    private func end(_ end: Result<End, NetworkingError>) {
        let (reader, listener) = state.withLock { state in
            guard state.end == nil else {
                return (SuspendedCaller<Void, Never>?.none, (@Sendable (Result<End, NetworkingError>) -> Void)?.none)
            }
            state.end = end
            state.source = nil
            defer {
                state.reader = nil
                state.listener = nil
            }
            return (state.reader, state.listener)
        }
        listener?(end)
        reader?.resume()
    }

    /// Calls the closure once, when the stream has ended or failed; at once if it has already.
    func whenEnded(_ listener: @escaping @Sendable (Result<End, NetworkingError>) -> Void) {
        let end = state.withLock { state in
            if state.end == nil { state.listener = listener }
            return state.end
        }
        if let end { listener(end) }
    }

    /// The bytes that wait for the reader.
    var unread: Int { state.withLock { $0.bytes } }

    // MARK: The reader's side

    /// The end, once it has been received; there may still be buffers to read.
    var finished: End? {
        state.withLock { state in
            guard case .success(let end) = state.end else { return nil }
            return end
        }
    }

    /// The next piece; nil at the end of the body. One reader at a time.
    func next() async throws(NetworkingError) -> ByteBuffer? {
        while true {
            switch take() {
            case .buffer(let buffer, let source):
                source?.continueReading()
                return buffer
            case .end(let end):
                _ = try end.get()
                return nil
            case .nothingYet:
                try await wait()
            }
        }
    }

    /// A piece that is here already.
    func nextIfAvailable() -> ByteBuffer? {
        guard case .buffer(let buffer, let source) = take() else { return nil }
        source?.continueReading()
        return buffer
    }

    /// Ends the stream from the reader's side.
    func cancel(with error: NetworkingError) {
        let source = state.withLock { $0.source }
        fail(error)
        source?.abandon()
    }

    /// Tells the connection that no reader is left. A body that was not read to its end costs its
    /// connection.
    func abandon() {
        let source = state.withLock { state in
            state.buffers.removeAll()
            defer { state.source = nil }
            return state.source
        }
        source?.abandon()
    }

    private enum Taken {
        case buffer(ByteBuffer, resuming: (any Source)?)
        case end(Result<End, NetworkingError>)
        case nothingYet
    }

    private func take() -> Taken {
        state.withLock { $0.take() }
    }

    /// Waits until there is something to take.
    private func wait() async throws(NetworkingError) {
        var isBusy = false
        await withTaskCancellationHandler {
            await SuspendedCaller.suspend { caller in
                let waits = state.withLock { state in
                    isBusy = state.reader != nil
                    guard !isBusy, state.buffers.isEmpty, state.end == nil else { return false }
                    state.reader = caller
                    return true
                }
                if !waits { caller.resume() }
            }
        } onCancel: {
            cancel(with: NetworkingError(.cancelled, "The request was cancelled while its body was read."))
        }
        if isBusy { throw NetworkingError(.invalidRequest, "A response body is read by one reader at a time.") }
    }
}
