import HTTPTypes
import NIOCore

/// Streams that have become tunnels (RFC 9113 §8.5, RFC 8441).
extension HTTP2Connection {
    /// The response has opened a tunnel. The exchange ends with it, and the stream goes on.
    func openTunnel(on stream: HTTP2Stream) {
        guard let pooled else { return }
        let tunnel = HTTP2Tunnel(stream, of: self, on: pooled.eventLoop)
        stream.tunnel = tunnel
        stream.run.opened(tunnel)
        stream.run.end(trailers: [:], now: now)
        machine.served()
        stream.run.deliver()
    }

    /// The bytes that may be sent on a stream now.
    func sendable(on stream: HTTP2Stream) -> Int {
        guard let frames, frames.isWritable else { return 0 }
        return max(0, min(stream.sendWindow, sendWindow, 1 << 16))
    }

    /// Sends what the owner of a tunnel has written; the rest in the turns of its stream.
    func flush(_ stream: HTTP2Stream) {
        guard let tunnel = stream.tunnel else { return }
        let before = sendWindow
        let outcome = tunnel.send()
        unflushedByTunnels += max(0, before - sendWindow)
        // Otherwise the channel would stay writable, whatever is written in this turn of the loop.
        if unflushedByTunnels >= Self.mostUnflushed {
            unflushedByTunnels = 0
            frames?.flush()
        }
        if isOpen(stream) { turns.place(stream.identifier, outcome) }
    }

    func send(_ bytes: ByteBuffer, on stream: HTTP2Stream, endsStream: Bool) {
        stream.sendWindow -= bytes.readableBytes
        sendWindow -= bytes.readableBytes
        guard let frames else { return }
        frames.send(bytes, on: stream.identifier, endsStream: endsStream)
        updates.sent(content: bytes.readableBytes)
        stream.mark = frames.count.handedOver
    }

    /// The bytes of a tunnel that were handed over, and that the peer's system has not taken yet.
    func unsentBytes(of stream: HTTP2Stream) -> Int {
        frames.map { stream.unsentBytes(written: $0.look()) } ?? 0
    }

    /// Gives the server the place of what the tunnel's owner has taken.
    func creditTunnel(_ stream: HTTP2Stream) {
        if isOpen(stream) { credit(stream) }
    }

    /// The owner has closed the tunnel; the peer may have this much time to do so, too.
    func linger(_ stream: HTTP2Stream) {
        guard isOpen(stream) else { return }
        stream.lingersUntil = .now() + health.times.lingering
        arm(for: stream)
    }

    /// The owner of the tunnel, or the end of both sides, has ended it.
    func endTunnel(_ stream: HTTP2Stream, reset code: HTTP2Code?) {
        guard isOpen(stream) else { return }
        if let code { frames?.sendReset(code, on: stream.identifier) }
        stream.tunnel = nil
        close(stream)
    }
}
