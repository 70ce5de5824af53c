import NIOCore

/// The times of the streams, of the connection and of its PINGs.
extension HTTP2Connection: DeadlineHolder {
    static let healthPing: UInt64 = 1
    static let probePing: UInt64 = 2

    /// Arms the timer for a stream. A deadline that moves to later costs nothing: when the timer
    /// fires, all streams are looked at.
    func arm(for stream: HTTP2Stream) {
        let deadline = stream.tunnel == nil ? stream.run.nextDeadline : stream.lingersUntil
        if let deadline { arm(at: deadline) }
    }

    func armHealth() {
        if let deadline = health.nextDeadline(hasStreams: !streams.isEmpty) { arm(at: deadline) }
    }

    func arm(at deadline: NIODeadline) {
        if let nextDeadline, nextDeadline <= deadline { return }
        nextDeadline = deadline
        timer.arm(for: deadline)
    }

    func deadlinePassed(now: NIODeadline) {
        nextDeadline = nil
        if streams.isEmpty, let idleEnd, idleEnd <= now { return close() }
        switch health.expire(now: now, hasStreams: !streams.isEmpty, written: { frames?.look() ?? 0 }) {
        case .goOn: break
        case .ping: sendHealthPing(now: now)
        case .dead:
            return end(code: .noError) { stream in
                let error = NetworkingError.dead(stream.origin, after: health.times.patience)
                return stream.isSilent ? RepeatableError.marking(error, .stale) : error
            }
        }
        for stream in streams.values where stream.run.nextDeadline.map({ $0 <= now }) == true {
            guard isOpen(stream), stream.tunnel == nil else { continue }
            // One that waits for the window of the connection goes on when that does.
            if stream.isBlocked, stream.sendWindow > 0 { handOver(body: 0, of: stream) }
            let unsent = { stream.unsentBytes(written: self.frames?.look() ?? 0) }
            switch stream.run.expire(now: now, unsent: unsent) {
            case .goOn: break
            case .sendBody: continueUpload(of: stream)
            case .fail(let code):
                fail(stream, .timeout(code, stream.run.exchange), reset: .cancel)
                // Whether the server is slow, or the connection dead, the next request should not
                // have to find out.
                if health.mayPing { sendHealthPing(now: now) }
            }
        }
        for stream in streams.values where stream.lingersUntil.map({ $0 <= now }) == true { stream.tunnel?.abort() }
        for stream in streams.values { arm(for: stream) }
        expireAwaitingSettings(now: now)
        if pings.expire(now: now) { finishPings { .failure(.pingUnacknowledged($0)) } }
        if let deadline = pings.deadline { arm(at: deadline) }
        armHealth()
        if streams.isEmpty, let idleEnd { arm(at: idleEnd) }
    }

    /// Lets an exchange wait for the settings of the server. That is the first frame it sends (RFC
    /// 9113 §3.4), so that the wait is one for the first byte.
    func awaitSettings(_ exchange: Exchange, now: NIODeadline) {
        awaitSettings(exchange, until: exchange.timeouts.firstByte.deadline(after: now))
    }

    private func awaitSettings(_ exchange: Exchange, until end: NIODeadline?) {
        awaitingSettings.append((exchange, end))
        for deadline in [end, exchange.deadline] {
            if let deadline { arm(at: deadline) }
        }
    }

    /// The settings have come.
    func startAwaitingSettings() {
        guard let pooled, !awaitingSettings.isEmpty else { return }
        let exchanges = awaitingSettings
        awaitingSettings = []
        for (exchange, _) in exchanges { pooled.startSoon(exchange, from: pool) }
    }

    private func expireAwaitingSettings(now: NIODeadline) {
        guard !awaitingSettings.isEmpty else { return }
        let exchanges = awaitingSettings
        awaitingSettings = []
        for (exchange, end) in exchanges {
            let isOver = exchange.deadline.map { $0 <= now } ?? false
            if isOver || end.map({ $0 <= now }) ?? false {
                exchange.fail(.timeout(isOver ? .requestTimeout : .firstByteTimeout, exchange))
                release(at: now)
            } else {
                awaitSettings(exchange, until: end)
            }
        }
    }

    func ping(_ caller: PingCaller, of origin: Origin) {
        guard let frames else { return caller.end(.failure(.pingLost(origin))) }
        let now = NIODeadline.now()
        switch pings.ask(now: now) {
        case .reuse(let time): return caller.end(.success(time))
        case .wait: break
        case .send(let data):
            frames.sendPing(data)
            if let deadline = pings.deadline { arm(at: deadline) }
            // Where nothing at all comes, the connection is dead.
            if health.mayPing { health.sent(upTo: frames.count.handedOver, written: frames.look(), now: now) }
            armHealth()
        }
        pingCallers.append((caller, origin))
    }

    /// Ends the wait of all callers that have asked for a PING.
    func finishPings(_ outcome: (Origin) -> Result<Duration, NetworkingError>) {
        let callers = pingCallers
        pingCallers = []
        for (caller, origin) in callers { caller.end(outcome(origin)) }
    }

    /// Finds out whether the connection is alive.
    func sendHealthPing(now: NIODeadline) {
        guard let frames else { return }
        frames.sendPing(Self.healthPing)
        health.sent(upTo: frames.count.handedOver, written: frames.look(), now: now)
    }
}
