import NIOCore

/// A stream of HTTP/2 behind a 2xx response to CONNECT (RFC 9113 §8.5, RFC 8441 §5): its DATA are
/// the bytes of another protocol.
///
/// It holds the connection, and the connection holds it until the stream ends.
final class HTTP2Tunnel: ByteTunnel {
    let eventLoop: any EventLoop
    private let connection: HTTP2Connection
    private let stream: HTTP2Stream
    private var receiver: (any ByteTunnelReceiver)?
    /// What came before there was a receiver, or while it does not read.
    private var early = BodyPieces()
    private var isReading = false
    /// What was written and not sent yet.
    private var outgoing = CircularBuffer<ByteBuffer>()
    private var outgoingBytes = 0
    private var closesOutput = false
    private var hasClosedOutput = false
    private var hasInputEnded = false
    /// Whether its owner has closed it, and the end of the peer is waited for.
    private var isLingering = false
    private var droppedBytes = 0
    private var isOver = false
    private var failure: NetworkingError?

    /// The peer takes bytes slower than they come when more than this is waiting.
    private static let mostOutgoing = 1 << 18
    /// More than this is not received for nobody.
    private static let mostDropped = 1 << 16

    init(_ stream: HTTP2Stream, of connection: HTTP2Connection, on eventLoop: any EventLoop) {
        self.stream = stream
        self.connection = connection
        self.eventLoop = eventLoop
    }

    // MARK: The owner's side

    var carrier: (any Channel)? { connection.frames?.context?.channel }
    var isWritable: Bool { !isOver && outgoingBytes < Self.mostOutgoing }
    var unsentBytes: Int { outgoingBytes + connection.unsentBytes(of: stream) }

    func begin(_ receiver: any ByteTunnelReceiver) {
        self.receiver = receiver
        setReading(true)
        // It may have ended the tunnel because of what came.
        guard self.receiver != nil else { return }
        if isOver || isLingering {
            self.receiver = nil
            receiver.ended(failure)
        } else if hasInputEnded {
            receiver.inputEnded()
        }
    }

    func write(_ bytes: ByteBuffer) {
        guard !isOver, !closesOutput, bytes.readableBytes > 0 else { return }
        outgoing.append(bytes)
        outgoingBytes += bytes.readableBytes
    }

    func flush() {
        connection.flush(stream)
    }

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        guard isReading, let receiver else { return }
        let hasMore = !early.isEmpty
        handOver(to: receiver)
        if hasMore { receiver.receivedAll() }
        // The receiver may have stopped because of them.
        guard !isOver, self.isReading else { return }
        connection.creditTunnel(stream)
    }

    private func handOver(to receiver: any ByteTunnelReceiver) {
        var bytes = early
        early = BodyPieces()
        bytes.drain { receiver.received($0) }
    }

    func closeOutput() {
        closesOutput = true
        flush()
    }

    /// RFC 9113 §8.5: a proxy resets the TCP connection behind a stream that is reset, and so may
    /// lose what was sent. So RST_STREAM does not follow END_STREAM at once: the peer has a moment
    /// to end its side, and what it still sends is dropped.
    func close() {
        guard !isOver, !isLingering else { return }
        closeOutput()
        guard !isOver else { return }
        isLingering = true
        connection.linger(stream)
        tellEnd()
    }

    func abort() {
        end(reset: .cancel)
    }

    // MARK: The stream's side

    func received(_ bytes: ByteBuffer) {
        guard !isOver, bytes.readableBytes > 0 else { return }
        guard !isLingering else {
            droppedBytes += bytes.readableBytes
            if droppedBytes > Self.mostDropped { abort() }
            return
        }
        guard isReading, let receiver else { return early.append(bytes) }
        receiver.received(bytes)
    }

    func receivedAll() {
        guard !isOver, isReading, let receiver else { return }
        receiver.receivedAll()
        if !isOver, isReading { connection.creditTunnel(stream) }
    }

    /// END_STREAM came.
    func inputEnded() {
        guard !isOver else { return }
        hasInputEnded = true
        if let receiver {
            // No more comes that the receiver could hold back.
            handOver(to: receiver)
            receiver.inputEnded()
        }
        if hasClosedOutput { end(reset: nil) }
    }

    /// The stream or its connection has ended.
    func failed(_ error: NetworkingError) {
        guard !isOver else { return }
        failure = error
        end(reset: nil, isKnown: true)
    }

    /// Sends what the windows and the socket take.
    func send() -> HTTP2SendTurns.Outcome {
        guard !isOver else { return .rests }
        let wasWritable = isWritable
        while var piece = outgoing.first {
            let most = connection.sendable(on: stream)
            guard most > 0, let part = piece.readSlice(length: min(most, piece.readableBytes)) else { break }
            outgoing.removeFirst()
            if piece.readableBytes > 0 { outgoing.prepend(piece) }
            outgoingBytes -= part.readableBytes
            connection.send(part, on: stream, endsStream: false)
        }
        if closesOutput, !hasClosedOutput, outgoing.isEmpty {
            hasClosedOutput = true
            stream.isRequestComplete = true
            connection.send(ByteBuffer(), on: stream, endsStream: true)
            if hasInputEnded { end(reset: nil) }
        }
        if !wasWritable, isWritable { receiver?.writabilityChanged() }
        return connection.endTurn(of: stream, hasMore: !outgoing.isEmpty)
    }

    private func end(reset code: HTTP2Code?, isKnown: Bool = false) {
        guard !isOver else { return }
        isOver = true
        outgoing.removeAll()
        outgoingBytes = 0
        if !isKnown { connection.endTunnel(stream, reset: code) }
        tellEnd()
    }

    private func tellEnd() {
        guard let receiver else { return }
        self.receiver = nil
        // What has come is the receiver's, also where it does not read now.
        handOver(to: receiver)
        receiver.ended(failure)
    }
}
