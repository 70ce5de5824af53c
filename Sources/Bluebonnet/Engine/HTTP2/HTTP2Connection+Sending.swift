import NIOCore

/// The bodies of requests.
extension HTTP2Connection {
    /// What is written before it is handed to the socket. TLS counts nothing before that, so that
    /// the channel stays writable whatever is written.
    private static let mostUnflushed = 1 << 18

    /// Sends what there is of the bodies, each in its turn. Called when there is more of one, when
    /// a window or the socket takes more, and when a task was resumed.
    func send() {
        // An observer of the progress, or a flush that makes the channel writable, may call it from
        // within.
        guard !isSending, !uploads.isEmpty, let frames else { return }
        isSending = true
        defer { isSending = false }
        var goesOn = true
        var before = sendWindow
        while goesOn {
            goesOn = false
            for stream in uploads {
                guard case .goesOn? = stream.sender?.send() else { continue }
                goesOn = true
            }
            if before - sendWindow >= Self.mostUnflushed {
                before = sendWindow
                frames.flush()
            }
        }
        uploads.removeAll { $0.isRequestComplete || !isOpen($0) }
        frames.flush()
        let unsent = uploads.isEmpty ? 0 : frames.unsentBytes
        for stream in uploads { follow(stream, unsent: unsent) }
    }

    /// Starts the clock of what is waited for now, after the last of a body was written.
    func followBytes(of stream: HTTP2Stream) {
        follow(stream, unsent: frames?.unsentBytes ?? 0)
    }

    private func follow(_ stream: HTTP2Stream, unsent: Int) {
        guard isOpen(stream) else { return }
        let blocked = stream.sender?.isBlocked == true ? 1 : 0
        stream.run.followBytes(unsent: unsent + blocked, now: .now())
        arm(for: stream)
    }
}
