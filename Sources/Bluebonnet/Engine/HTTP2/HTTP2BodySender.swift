import NIOCore

/// Sends the body of one request as DATA frames, as the windows and the socket take it (RFC 9113
/// §6.1, §6.9).
///
/// Lives on the event loop of the connection, which ends it.
final class HTTP2BodySender {
    enum Progress {
        /// There is more, and another stream has its turn.
        case goesOn
        /// Nothing more is sent until something changes: the source, a window, the socket.
        case waits
        case over
    }

    private let stream: HTTP2Stream
    // Unowned, and safe: the connection holds the stream, which holds this sender.
    private unowned let connection: HTTP2Connection
    private let frames: HTTP2FrameHandler
    /// The rest of a small body for which the windows were too small.
    private var rest: ByteBuffer?
    private var upload: RequestUpload?
    private var isOver = false
    /// Whether the windows hold back what is there.
    private(set) var isBlocked = false

    /// The most bytes of a turn, so that large bodies do not hold up small ones.
    private static let mostAtOnce = 1 << 16

    private var run: ExchangeRun { stream.run }

    init(of stream: HTTP2Stream, over connection: HTTP2Connection, frames: HTTP2FrameHandler) {
        self.stream = stream
        self.connection = connection
        self.frames = frames
    }

    /// Starts to read the source of the body.
    func begin(_ body: RequestBody, on pooled: PooledConnection) {
        let upload = RequestUpload(body, connection: pooled, exchange: run.exchange)
        self.upload = upload
        run.upload = upload
        run.exchange.began(upload)
        upload.start(inFileParts: false)
        if upload.isSent { endRequest(with: ByteBuffer()) }
    }

    /// Sends a body that is there.
    func begin(_ body: ByteBuffer) {
        rest = body
    }

    /// Ends the sending, because the exchange is over.
    func end() {
        isOver = true
        rest = nil
    }

    /// Writes what there is and the windows and the socket take, up to one turn.
    func send() -> Progress {
        isBlocked = false
        guard !isOver else { return .over }
        guard !run.exchange.isSuspended, frames.isWritable else { return .waits }
        let most = min(Self.mostAtOnce, stream.sendWindow, connection.sendWindow)
        guard most > 0 else {
            upload?.look()
            // RFC 9113 §6.9.1: only a frame without content may end the stream then.
            if upload?.isAtEnd == true { return endRequest(with: ByteBuffer()) }
            isBlocked = rest != nil || upload?.hasPiece == true
            return .waits
        }
        if var rest {
            guard let piece = rest.readSlice(length: min(most, rest.readableBytes)) else { return .over }
            self.rest = rest
            if rest.readableBytes == 0 { return endRequest(with: piece) }
            write(piece)
            return .goesOn
        }
        switch upload?.next(upTo: most) {
        case .piece(.bytes(let piece), isLast: true): return endRequest(with: piece)
        case .piece(.bytes(let piece), isLast: false):
            write(piece)
            return .goesOn
        case .finished: return endRequest(with: ByteBuffer())
        // Files are asked for as bytes.
        case .nothingYet, .piece(.file, _), nil: return .waits
        }
    }

    private func write(_ piece: ByteBuffer, endsStream: Bool = false) {
        let count = piece.readableBytes
        stream.sendWindow -= count
        connection.sendWindow -= count
        run.handOver(body: count)
        run.countFraming(HTTP2Connection.frameHeader)
        frames.send(piece, on: stream.identifier, endsStream: endsStream)
        if count > 0 { run.count(sent: count) }
    }

    /// Ends the request with the last of the body. The source may say later that there is more than
    /// was declared, which then fails the exchange if it is still there.
    @discardableResult
    private func endRequest(with piece: ByteBuffer) -> Progress {
        isOver = true
        stream.isRequestComplete = true
        write(piece, endsStream: true)
        if run.markRequestSent(now: .now()) { connection.followBytes(of: stream) }
        return .over
    }
}
