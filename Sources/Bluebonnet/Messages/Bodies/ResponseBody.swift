public import FoundationEssentials
public import HTTPTypes
import NIOCore
import Synchronization

/// The body of a response: an asynchronous sequence of pieces that is read once, with
/// back-pressure.
///
/// A second reader fails with ``NetworkingError/Code/responseBodyAlreadyRead``, also one that would
/// go on where the first stopped. Only a body made by ``data(_:trailers:)`` or
/// ``stream(_:trailers:)`` can be read again, by the code that made it. An interceptor that reads
/// the body has to put another one in its place; it gets no error where the body had come whole.
///
/// While it is not read, at most about a megabyte waits in memory and the server is slowed down. A
/// body that is dropped before its end closes its connection. Content coding is undone unless the
/// session says otherwise.
///
/// Every error is a ``NetworkingError``; that the Swift task was cancelled, too.
///
/// Counterpart of the data that `setDataTaskDidReceiveDataBlock:` of AFNetworking brings, and of
/// Alamofire's `DataStreamTask`.
public struct ResponseBody: AsyncSequence, Sendable {
    /// A piece of the body.
    public typealias Element = Data

    enum Storage: Sendable {
        /// All of it is here.
        case whole(ByteBuffer, trailers: HTTPFields)
        /// All of it is here, and too large to be copied for each reader: the same bytes as a
        /// buffer and as data. A reader who changes its data gets a copy of the memory first,
        /// because this case holds the data too.
        indirect case large(ByteBuffer, Data, trailers: HTTPFields)
        /// It comes piece by piece.
        case stream(Reader)
        /// It comes from a sequence of the user's.
        case sequence(@Sendable () -> Pull, trailers: HTTPFields)
    }

    /// Brings one piece of a sequence after the other, and nil at its end.
    typealias Pull = () async throws -> ByteBuffer?

    /// Owns the reading side of a stream: when the last copy of the body is released, the stream is
    /// abandoned.
    final class Reader: Sendable {
        let stream: BodyStream
        private let hasBegun = Atomic(false)

        init(_ stream: BodyStream) {
            self.stream = stream
        }

        deinit {
            stream.abandon()
        }

        /// Begins the reading; false when it has begun before.
        func begin() -> Bool {
            !hasBegun.exchange(true, ordering: .relaxed)
        }
    }

    /// The options of a body that is read piece by piece.
    struct Options: Sendable {
        /// The steps that the bytes pass, in this order.
        var transforms: [MakeTransform] = []
        /// The longest line of ``lines``, by ``Limits/line``.
        var lineLimit = Limits.defaultLine
        /// The progress of the transfer.
        var progress: (@Sendable () -> TaskProgress)?
        /// What has happened for the task.
        var metrics: (@Sendable () -> TaskMetrics?)?
        /// Kept alive with the body: a session is not released while a body of it is read.
        var owner: (any AnyObject & Sendable)?
        /// Lets a body be read once that comes from no connection.
        var use: SingleUse?
        /// All bytes, where they were collected before anybody has asked for them.
        var collected: Data?
        /// Whether the first of the transforms stores the body in a cache.
        var storesBody = false
    }

    let storage: Storage
    /// Behind a reference: most bodies are whole and have none, and each layer passes them on.
    private var ownOptions: CopyOnWrite<Options>?

    /// The options by which it is read.
    var options: Options {
        get { ownOptions?.value ?? Options() }
        set { ownOptions = CopyOnWrite(newValue) }
    }

    /// Whether a cache stores what is read of it.
    var isBeingStored: Bool { ownOptions?.value.storesBody ?? false }

    init(_ storage: Storage) {
        self.storage = storage
    }

    /// A body that is here as a whole.
    static func whole(_ buffer: ByteBuffer, trailers: HTTPFields) -> ResponseBody {
        guard Data.sharesMemory(of: buffer) else { return ResponseBody(.whole(buffer, trailers: trailers)) }
        return ResponseBody(.large(buffer, Data(taking: buffer), trailers: trailers))
    }

    /// The same body with an owner that is kept alive with it, a limit for its lines, its progress
    /// and its metrics.
    func keeping(
        _ owner: any AnyObject & Sendable,
        lineLimit: Int,
        progress: @escaping @Sendable () -> TaskProgress,
        metrics: @escaping @Sendable () -> TaskMetrics?
    ) -> ResponseBody {
        var body = self
        body.options = Options(
            transforms: options.transforms,
            lineLimit: lineLimit,
            progress: progress,
            metrics: metrics,
            owner: owner,
            use: stream == nil ? SingleUse() : nil,
            collected: options.collected,
            storesBody: options.storesBody
        )
        return body
    }

    /// Bytes that were read from this body, in its place: with its owner and its limit for lines,
    /// and to be read once where this one is.
    func replaced(by bytes: Data) -> ResponseBody {
        var body = ResponseBody.data(bytes, trailers: trailers)
        guard let own = ownOptions?.value else { return body }
        body.options = Options(
            lineLimit: own.lineLimit,
            progress: own.progress,
            metrics: own.metrics,
            owner: own.owner,
            use: own.owner == nil ? nil : SingleUse()
        )
        return body
    }

    /// The bytes that were read from this body, in its place, without a copy of them.
    func collected(_ bytes: Data) -> ResponseBody {
        var body = ResponseBody.data(bytes, trailers: trailers, inPiecesOf: Self.collectedPiece)
        body.options = Options(collected: bytes)
        return body
    }

    /// The stream of a body that is still being received.
    var stream: BodyStream? {
        if case .stream(let reader) = storage { reader.stream } else { nil }
    }

    /// Whether its bytes come from a sequence of the user's, which the engine cannot end.
    var comesFromSequence: Bool {
        if case .sequence = storage { true } else { false }
    }

    /// The progress of the exchange that this body belongs to: bytes on the wire, before content
    /// coding is undone.
    ///
    /// Zero and unknown for a body that comes from no connection.
    public var currentProgress: TaskProgress { options.progress?() ?? TaskProgress() }

    /// What has happened so far for the task that this body belongs to; all of it when the body has
    /// come to its end.
    ///
    /// Nil for a body that comes from no connection, and for interceptors.
    public var metrics: TaskMetrics? { options.metrics?() }

    /// A body that is there already, for transports and interceptors that respond by themselves.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - trailers: The trailer fields. Default: none.
    /// - Returns: The body.
    public static func data(_ data: Data, trailers: HTTPFields = [:]) -> ResponseBody {
        ResponseBody.data(data, trailers: trailers, inPiecesOf: largestPiece)
    }

    /// A `ByteBuffer` counts in 32 bits.
    private static let largestPiece = Int(Int32.max)

    /// The pieces of a body that was collected, for those who read it as it comes.
    private static let collectedPiece = 1 << 16

    static func data(_ data: Data, trailers: HTTPFields = [:], inPiecesOf size: Int) -> ResponseBody {
        guard data.count > size else {
            return whole(ByteBuffer(bytes: data), trailers: trailers)
        }
        return ResponseBody(
            .sequence(
                {
                    var rest = data
                    return {
                        guard !rest.isEmpty else { return nil }
                        defer { rest = rest.dropFirst(size) }
                        return ByteBuffer(bytes: rest.prefix(size))
                    }
                },
                trailers: trailers
            )
        )
    }

    /// A body that comes piece by piece from a sequence, for transports, interceptors and stubs.
    ///
    /// The sequence is iterated when the body is read, no faster than that, and empty pieces are
    /// passed over. What it throws reaches the reader as a ``NetworkingError``. A task that
    /// collects the body and is stopped waits for the sequence no longer than a second; a reader
    /// that iterates the body waits as long as the sequence does.
    ///
    /// - Parameters:
    ///   - pieces: The pieces.
    ///   - trailers: The trailer fields. Default: none.
    /// - Returns: The body.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        trailers: HTTPFields = [:]
    ) -> ResponseBody
    where Pieces.AsyncIterator: SendableMetatype, Pieces.Element: SendableMetatype, Pieces.Element: Collection<UInt8> {
        ResponseBody(
            .sequence(
                {
                    var iterator = pieces.makeAsyncIterator()
                    return { try await iterator.next(isolation: #isolation).map { ByteBuffer(bytes: $0) } }
                },
                trailers: trailers
            )
        )
    }

    /// The trailer fields (RFC 9110 §6.5); complete when the body has been read to its end, empty
    /// before.
    public var trailers: HTTPFields {
        switch storage {
        case .whole(_, let trailers), .large(_, _, let trailers), .sequence(_, let trailers): trailers
        case .stream(let reader): reader.stream.finished?.trailers ?? [:]
        }
    }

    /// The time of the last byte, if it came after the head was handed over.
    var lastByteAt: NIODeadline? { stream?.finished?.at }

    /// Makes the iterator. A body is read by one iterator, the first that is asked for a piece.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: self)
    }

    /// The pieces of a body as `Data`.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let body: ResponseBody
        private var buffers: Buffers

        fileprivate init(body: ResponseBody) {
            self.body = body
            buffers = body.makeBuffers()
        }

        /// The next piece, never empty; nil at the end.
        ///
        /// - Throws: ``NetworkingError``: a connection lost, a truncated body, a timeout, a content
        ///   coding that is broken; ``NetworkingError/Code/responseBodyAlreadyRead``.
        public mutating func next() async throws(NetworkingError) -> Data? {
            try await buffers.nextData()
        }

        /// Does the same as ``next()``, for `for try await`.
        ///
        /// - Throws: As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkingError) -> Data? {
            try await next()
        }
    }
}

@available(*, unavailable)
extension ResponseBody.AsyncIterator: Sendable {}

extension ResponseBody {
    /// Reads the whole body.
    ///
    /// - Parameter limit: The most bytes to keep. Default: 1 GiB.
    /// - Returns: The bytes.
    /// - Throws: ``NetworkingError/Code/bodyTooLarge`` beyond the limit, and every error that ends
    ///   a body early.
    public func collect(upTo limit: Int = 1 << 30) async throws(NetworkingError) -> Data {
        try await collect(upTo: limit, keepsBytes: true)
    }

    /// Reads the whole body, and returns nothing of it where its bytes are not kept.
    func collect(upTo limit: Int, keepsBytes: Bool) async throws(NetworkingError) -> Data {
        if let whole = try whole(upTo: limit) {
            if let use = ownOptions?.value.use, !use.begin() { throw Self.alreadyRead }
            return whole
        }
        var buffers = makeBuffers()
        let collector = BodyCollector()
        var count = 0
        do throws(NetworkingError) {
            while let piece = try await buffers.next() {
                guard piece.readableBytes <= limit - count else { throw Self.tooLarge(limit) }
                count += piece.readableBytes
                if keepsBytes { try collector.append(piece) }
                // A sequence of the user's may go on although the task was cancelled.
                try Self.checkIsWanted()
            }
        } catch {
            var error = error
            if error.body == nil, collector.count > 0 { error.body = collector.take() }
            throw error
        }
        return collector.take()
    }

    /// The size of the whole body, if it is here already and has no transforms.
    var wholeByteCount: Int? {
        guard ownOptions?.value.transforms.isEmpty ?? true else { return nil }
        if let collected = ownOptions?.value.collected { return collected.count }
        return switch storage {
        case .whole(let buffer, _), .large(let buffer, _, _): buffer.readableBytes
        case .stream, .sequence: nil
        }
    }

    /// The whole body, if it is here already and has no transforms, as with most responses.
    func whole(upTo limit: Int) throws(NetworkingError) -> Data? {
        guard let count = wholeByteCount else { return nil }
        guard count <= limit else { throw Self.tooLarge(limit) }
        if let collected = ownOptions?.value.collected { return collected }
        return switch storage {
        case .whole(let buffer, _): Data(taking: buffer)
        case .large(_, let data, _): data
        case .stream, .sequence: nil
        }
    }

    /// Ends the reading of a body that never waits, and so does not notice that its task was
    /// stopped.
    ///
    /// - Parameter error: The error that stopped its task. Default: nothing.
    /// - Throws: That error, or ``NetworkingError/Code/cancelled`` where the Swift task was
    ///   cancelled.
    static func checkIsWanted(unless error: NetworkingError? = nil) throws(NetworkingError) {
        if let error { throw error }
        if Task.isCancelled {
            throw NetworkingError(.cancelled, "The request was cancelled while its body was read.")
        }
    }

    fileprivate static let alreadyRead = NetworkingError(
        .responseBodyAlreadyRead,
        "The response body was read before: it can be read once. Keep what was read."
    )

    private static func tooLarge(_ limit: Int) -> NetworkingError {
        NetworkingError(.bodyTooLarge, "The response body is larger than the \(limit) bytes allowed in memory.")
    }
}

extension ResponseBody {
    /// Begins a reading of the body. With `goesOn`, one that was read in part is read on; otherwise
    /// its first piece is an error then.
    func makeBuffers(goesOn: Bool = false) -> Buffers {
        let (transforms, use) = (options.transforms, goesOn ? nil : options.use)
        let source: Buffers.Step =
            switch storage {
            case .whole(let buffer, _): .whole(buffer)
            // A copy, because a transform may pass it on to a reader who writes into it.
            case .large(_, let data, _) where !transforms.isEmpty: .whole(ByteBuffer(bytes: data))
            case .large(let buffer, let data, _): .large(buffer, data)
            case .stream(let reader): goesOn ? .stream(reader) : .unread(reader)
            case .sequence(let makePull, _): .sequence(makePull())
            }
        return transforms.reduce(Buffers(source, use)) { source, makeTransform in
            Buffers(.transformed(TransformedBuffers(source, makeTransform())))
        }
    }

    /// The pieces of a body as the engine's buffers.
    struct Buffers {
        enum Step {
            case whole(ByteBuffer)
            case large(ByteBuffer, Data)
            /// Then `stream`, or `ended` when it was read before.
            case unread(Reader)
            case stream(Reader)
            case sequence(Pull)
            case transformed(TransformedBuffers)
            case ended
        }

        private var step: Step
        /// Taken before the first piece.
        private var use: SingleUse?

        init(_ step: Step, _ use: SingleUse? = nil) {
            self.step = step
            self.use = use
        }

        /// A piece that is here already, without waiting; nil says nothing about the end.
        func nextIfAvailable() -> ByteBuffer? {
            guard case .stream(let reader) = step else { return nil }
            return reader.stream.nextIfAvailable()
        }

        /// The next piece for the user, who may write into it.
        mutating func nextData() async throws(NetworkingError) -> Data? {
            try begin()
            if case .large(_, let data) = step {
                step = .ended
                return data
            }
            return try await next().map(Data.init(taking:))
        }

        /// Fails unless this is the first reader.
        private mutating func begin() throws(NetworkingError) {
            if case .unread(let reader) = step {
                step = reader.begin() ? .stream(reader) : .ended
                if case .ended = step { throw ResponseBody.alreadyRead }
            } else if let use {
                self.use = nil
                guard !use.begin() else { return }
                step = .ended
                throw ResponseBody.alreadyRead
            }
        }

        mutating func next() async throws(NetworkingError) -> ByteBuffer? {
            try begin()
            switch step {
            case .ended, .unread:
                return nil
            case .whole(let buffer), .large(let buffer, _):
                step = .ended
                return buffer.readableBytes > 0 ? buffer : nil
            case .stream(let reader):
                let buffer = try await reader.stream.next()
                if buffer == nil { step = .ended }
                return buffer
            case .sequence(let pull):
                do {
                    while let piece = try await pull() {
                        if piece.readableBytes > 0 { return piece }
                    }
                } catch {
                    step = .ended
                    throw NetworkingError.wrapping(error)
                }
                step = .ended
                return nil
            case .transformed(let buffers):
                let block = try await buffers.next()
                if block == nil { step = .ended }
                return block
            }
        }
    }
}
