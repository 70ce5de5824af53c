import HTTPTypes
import NIOCore

/// Sends the body of one request as DATA frames, as the windows and the socket take it (RFC 9113
/// §6.1, §6.9).
///
/// Lives on the event loop of the connection, which ends it.
final class HTTP2BodySender {
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
        guard upload.isSent else { return }
        endRequest(with: ByteBuffer())
        connection.followBytes(of: stream)
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

    /// Writes what there is and the windows take, up to one turn.
    func send() -> HTTP2SendTurns.Outcome {
        isBlocked = false
        guard !isOver, !run.exchange.isSuspended else { return .rests }
        let most = min(Self.mostAtOnce, stream.sendWindow, connection.sendWindow)
        guard most > 0 else {
            upload?.look()
            // RFC 9113 §6.9.1: only a frame without content may end the stream then.
            if upload?.isAtEnd == true, case .finished(let trailers)? = upload?.next(upTo: 1) {
                return endRequest(with: ByteBuffer(), trailers)
            }
            isBlocked = rest != nil || upload?.hasPiece == true
            return connection.endTurn(of: stream, hasMore: isBlocked)
        }
        if var rest {
            guard let piece = rest.readSlice(length: min(most, rest.readableBytes)) else { return .rests }
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
        case .finished(let trailers): return endRequest(with: ByteBuffer(), trailers)
        // Files are asked for as bytes.
        case .nothingYet, .piece(.file, _), nil: return .rests
        }
    }

    private func write(_ piece: ByteBuffer, endsStream: Bool = false) {
        let count = piece.readableBytes
        stream.sendWindow -= count
        connection.sendWindow -= count
        frames.send(piece, on: stream.identifier, endsStream: endsStream)
        connection.updates.sent(content: count)
        connection.handOver(body: count, of: stream)
        run.countFraming(HTTP2OutboundCount.frameHeader)
        if count > 0 { run.count(sent: count) }
    }

    /// Ends the request with the last of the body. The source may say later that there is more than
    /// was declared, which then fails the exchange if it is still there.
    @discardableResult
    private func endRequest(with piece: ByteBuffer, _ trailers: HTTPFields = [:]) -> HTTP2SendTurns.Outcome {
        isOver = true
        stream.isRequestComplete = true
        if trailers.isEmpty {
            write(piece, endsStream: true)
        } else {
            // RFC 9113 §8.1: they end the stream, behind all of the content.
            frames.send(fields: HTTP2RequestFields.encode(trailers: trailers), on: stream.identifier, endsStream: true)
            connection.handOver(body: 0, of: stream)
            run.countFraming(HTTP2RequestFields.byteCount(trailers: trailers) + HTTP2OutboundCount.frameHeader)
        }
        _ = run.markRequestSent(now: .now())
        return .rests
    }
}
