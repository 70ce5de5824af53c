import NIOCore

/// The content of requests, and of tunnels.
extension HTTP2Connection {
    /// What is written before it is handed to the socket. TLS counts nothing before that, so that
    /// the channel stays writable whatever is written.
    static let mostUnflushed = 1 << 18

    /// Sends what there is on a stream in its turn, because something has changed for it: there is
    /// more, its window is larger, its task was resumed.
    func send(on stream: HTTP2Stream) {
        turns.wake(stream.identifier)
        send()
    }

    /// Sends what there is on the streams that have a turn. Called when a window or the socket
    /// takes more.
    func send() {
        // An observer of the progress, or a flush that makes the channel writable, may call it from
        // within.
        guard !isSending, let frames, turns.hasNext(hasWindow: sendWindow > 0) else { return }
        isSending = true
        var changed: [HTTP2Stream] = []
        repeat {
            var before = sendWindow
            while frames.isWritable, let identifier = turns.next(hasWindow: sendWindow > 0) {
                guard let stream = streams[identifier] else { continue }
                let (mark, wasBlocked) = (stream.mark, stream.isBlocked)
                let outcome = stream.tunnel?.send() ?? stream.sender?.send() ?? .rests
                guard isOpen(stream) else { continue }
                turns.place(identifier, outcome)
                if !stream.needsFollow, stream.mark != mark || stream.isBlocked != wasBlocked {
                    stream.needsFollow = true
                    changed.append(stream)
                }
                guard before - sendWindow >= Self.mostUnflushed else { continue }
                frames.flush()
                before = sendWindow
            }
            frames.flush()
        } while frames.isWritable && turns.hasNext(hasWindow: sendWindow > 0)
        isSending = false
        guard !changed.isEmpty else { return }
        let written = frames.look()
        for stream in changed {
            stream.needsFollow = false
            follow(stream, written: written)
        }
    }

    /// The end of the turn of a stream that has more to send, or has not.
    func endTurn(of stream: HTTP2Stream, hasMore: Bool) -> HTTP2SendTurns.Outcome {
        guard hasMore, stream.sendWindow > 0 else { return .rests }
        return sendWindow > 0 ? .goesOn : .needsWindow
    }

    /// Counts bytes of a request that were handed over, for the clock of its stream.
    func handOver(head: Int = 0, body: Int, of stream: HTTP2Stream) {
        guard let frames else { return }
        stream.run.handOver(head: head, body: body, passing: frames.count.handedOver - stream.mark)
        stream.mark = frames.count.handedOver
    }

    /// Starts the clock of what is waited for now, after the last of a body was written.
    func followBytes(of stream: HTTP2Stream) {
        if let frames { follow(stream, written: frames.look()) }
    }

    /// Only what concerns the stream itself starts its clock anew: what other streams send does
    /// not.
    private func follow(_ stream: HTTP2Stream, written: Int) {
        guard isOpen(stream) else { return }
        stream.run.followBytes(unsent: stream.unsentBytes(written: written), now: .now())
        arm(for: stream)
    }
}
