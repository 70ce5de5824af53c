import NIOCore
import Synchronization

/// A two-way flow of bytes that a response has opened: 101 on HTTP/1.1 (RFC 9110 §15.2.2), or 2xx
/// to CONNECT on a stream of HTTP/2, also with `:protocol` (RFC 9113 §8.5, RFC 8441).
///
/// Everything happens on its event loop. It reads nothing before it has a receiver.
protocol ByteTunnel: AnyObject {
    var eventLoop: any EventLoop { get }
    /// The channel of the connection that carries it; nil when that has ended.
    var carrier: (any Channel)? { get }
    /// Whether the peer takes bytes as fast as they come. What is written nevertheless is kept in
    /// memory.
    var isWritable: Bool { get }
    /// The number of bytes that were written and that the peer's system has not acknowledged, as
    /// far as that is known.
    var unsentBytes: Int { get }
    /// Sets who gets the bytes, and begins to read. The bytes that came with the response come
    /// first, within this call. Called once.
    func begin(_ receiver: any ByteTunnelReceiver)
    /// Writes bytes, which are sent by ``flush()``.
    func write(_ bytes: ByteBuffer)
    func flush()
    /// Stops reading, or goes on with it. Some bytes may still come after a stop: those that had
    /// been read.
    func setReading(_ isReading: Bool)
    /// Ends this side of the flow, behind what was written: FIN, or END_STREAM. The other side goes
    /// on.
    func closeOutput()
    /// Ends the tunnel in order: the receiver has had all that it wants, and what was written may
    /// be lost where the peer has not taken it.
    func close()
    /// Ends the tunnel at once: the connection is closed without the closing alert of TLS, or the
    /// stream is reset with CANCEL.
    func abort()
}

/// What gets the bytes of a ``ByteTunnel``, on its event loop.
protocol ByteTunnelReceiver: AnyObject {
    /// Bytes came, never none.
    func received(_ bytes: ByteBuffer)
    /// All that was read at once has been given to ``received(_:)``: the time to send what follows
    /// from it.
    func receivedAll()
    /// ``ByteTunnel/isWritable`` has changed.
    func writabilityChanged()
    /// The peer sends no more bytes. Where this side cannot go on alone, ``ended(_:)`` follows.
    func inputEnded()
    /// The tunnel is over: the last call. The error says why, unless both sides came to their end,
    /// or this side has closed or aborted it.
    func ended(_ error: NetworkingError?)
}

/// A tunnel on its way from the engine to who asked for it, with its response. One that nobody
/// takes is aborted.
final class OpenedTunnel: Sendable {
    let eventLoop: any EventLoop
    private let tunnel: NIOLoopBound<any ByteTunnel>
    private let isTaken = Atomic(false)

    /// Must be called on the event loop of the tunnel.
    init(_ tunnel: any ByteTunnel) {
        eventLoop = tunnel.eventLoop
        self.tunnel = NIOLoopBound(tunnel, eventLoop: eventLoop)
    }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        eventLoop.execute { [tunnel] in tunnel.value.abort() }
    }

    /// The tunnel, for its new owner, who must begin or abort it. Must be called on the event loop.
    func take() -> any ByteTunnel {
        isTaken.store(true, ordering: .relaxed)
        return tunnel.value
    }
}
