import NIOCore

/// One connection of a WebSocket (RFC 6455), from its handshake to its end: between a tunnel, on
/// whose event loop it lives, and a mailbox.
final class WebSocketConnection {
    private let tunnel: any ByteTunnel
    private let mailbox: WebSocketMailbox
    private let call: Call
    private let options: WebSocketOptions
    private let server: String
    private let whenEnded: (WebSocketEnd) -> Void

    private var machine: StateMachine
    private var intake: WebSocketIntake
    private var sender: WebSocketSender
    private var link: Link?
    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    /// Frames that are to be written.
    private var outgoing = ByteBuffer()
    /// What was taken of the mailbox and is not written yet.
    private var taken = CircularBuffer<WebSocketMailbox.Outgoing>()
    private var isReading = true
    /// Whether ``send()`` runs: a flush may change the writability within it.
    private var isSending = false
    /// Whether ``proceed()`` will run when the event loop has done something else.
    private var willProceed = false
    /// The end of the tunnel, whose last bytes are still to be read.
    private var tunnelEnd: TunnelEnd?
    /// The payload of the last ping to which no pong was sent, because the peer takes no bytes.
    private var pong: ByteBuffer?

    /// Frames are written in blocks of about this size.
    private static let blockSize = 65_536
    /// So many blocks are sent before the event loop does something else.
    private static let mostBlocks = 16

    private struct TunnelEnd {
        var error: NetworkingError?
        /// Whether the tunnel is over; otherwise only its input.
        var isOver: Bool
    }

    /// The side of the connection that other threads see.
    private final class Link: WebSocketMailbox.Carrier, Call.Operation {
        private let eventLoop: any EventLoop
        private let connection: NIOLoopBound<WebSocketConnection>

        init(_ connection: WebSocketConnection, on eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
            self.connection = NIOLoopBound(connection, eventLoop: eventLoop)
        }

        private func onLoop(_ body: @escaping @Sendable (WebSocketConnection) -> Void) {
            // Never at once: a send from the event loop may come from within a call of the
            // connection.
            eventLoop.execute { [connection] in body(connection.value) }
        }

        func wake() { onLoop { $0.send() } }
        func continueReading() { onLoop { $0.proceed() } }

        func proceedLater() {
            onLoop { connection in
                connection.willProceed = false
                connection.proceed()
            }
        }

        func cancel(with error: NetworkingError) { onLoop { $0.cancel(with: error) } }

        func suspensionChanged() {
            onLoop { connection in
                connection.setReading()
                connection.send()
            }
        }

        func priorityChanged() {}
    }

    /// Carries the messages of a mailbox until the connection ends.
    ///
    /// - Parameters:
    ///   - tunnel: The tunnel that the handshake has opened.
    ///   - mailbox: The messages.
    ///   - call: The task, which stops and suspends the connection, and counts its bytes.
    ///   - agreement: What both sides have agreed upon.
    ///   - options: The choices of the user.
    ///   - server: The name of the server, for messages.
    ///   - whenAttached: Called on the event loop before anything is read. From then on, the peer
    ///     is told when the task ends.
    /// - Returns: The end.
    static func run(
        over tunnel: OpenedTunnel,
        _ mailbox: WebSocketMailbox,
        _ call: Call,
        _ agreement: WebSocketHandshake.Agreement,
        _ options: WebSocketOptions,
        server: String,
        whenAttached: @escaping @Sendable () -> Void
    ) async -> WebSocketEnd {
        await SuspendedCaller.suspend { caller in
            Begin(
                tunnel: tunnel,
                mailbox: mailbox,
                call: call,
                agreement: agreement,
                options: options,
                server: server,
                whenAttached: whenAttached,
                caller: caller
            ).execute(on: tunnel.eventLoop)
        }
    }

    private struct Begin: LoopWork {
        let tunnel: OpenedTunnel
        let mailbox: WebSocketMailbox
        let call: Call
        let agreement: WebSocketHandshake.Agreement
        let options: WebSocketOptions
        let server: String
        let whenAttached: @Sendable () -> Void
        let caller: SuspendedCaller<WebSocketEnd, Never>

        func run() {
            WebSocketConnection(self).begin(whenAttached)
        }

        func wasDropped() {
            let machine = StateMachine(options, now: .now())
            caller.resume(returning: WebSocketEnd(of: machine, nil, server: server))
        }
    }

    private init(_ parts: Begin) {
        tunnel = parts.tunnel.take()
        mailbox = parts.mailbox
        call = parts.call
        options = parts.options
        server = parts.server
        let caller = parts.caller
        whenEnded = { caller.resume(returning: $0) }
        machine = StateMachine(parts.options, now: .now())
        intake = WebSocketIntake(
            WebSocketMessageReader(parts.options, deflate: parts.agreement.deflate),
            room: parts.mailbox.room
        )
        sender = WebSocketSender(parts.agreement.deflate)
    }

    private func begin(_ whenAttached: () -> Void) {
        let link = Link(self, on: tunnel.eventLoop)
        self.link = link
        do throws(NetworkingError) {
            try call.attach(link)
        } catch {
            return cancel(with: error)
        }
        whenAttached()
        // Before anything is read: a reader that makes room must find the connection.
        mailbox.attach(link)
        tunnel.begin(self)
        guard self.link != nil else { return }
        proceed()
    }

    // MARK: Sending

    /// Whether messages are sent. A task that is suspended sends them where it is closed, too.
    private var sendsMessages: Bool {
        machine.maySend && tunnelEnd == nil && (!call.isSuspended || machine.isClosing) && tunnel.isWritable
    }

    /// Sends what there is to be sent, as far as the peer takes it.
    private func send() {
        guard machine.stage != .over, !isSending else { return }
        isSending = true
        defer { isSending = false }
        if mailbox.isClosing, !machine.isClosing {
            look()
            machine.wantsToClose(now: .now())
            // The peer may wait for its messages to be read before it reads one of this side.
            if machine.isClosing { link?.continueReading() }
        }
        appendPong()
        for ping in mailbox.takePings({ newPing() }) { sender.ping(ping, into: &outgoing) }
        var sent = 0
        var blocks = 0
        while blocks < Self.mostBlocks, sendBlock(&sent) { blocks += 1 }
        // Behind what else the event loop has to do.
        if blocks == Self.mostBlocks { link?.wake() }
        if sent > 0 { call.update { $0.sent += sent } }
        arm()
    }

    /// Sends about a block, or what a few pieces of messages are compressed to: that may be little,
    /// and takes its time. Each is flushed: what TLS has to write does not count for
    /// ``ByteTunnel/isWritable`` before that. Returns whether there may be more, which the peer
    /// takes.
    private func sendBlock(_ sent: inout Int) -> Bool {
        var hasMore = true
        var count = 0
        while sendsMessages, outgoing.readableBytes < Self.blockSize, count < 4 * WebSocketSender.pieceSize {
            if sender.isInMessage {
                count += WebSocketSender.pieceSize
                sender.proceed(into: &outgoing)
            } else if let next = nextOutgoing() {
                if outgoing.readableBytes == 0, taken.count > 8 { outgoing.reserveCapacity(2 * Self.blockSize) }
                switch next {
                case .message(let message):
                    sent += message.byteCount
                    count += min(message.byteCount, WebSocketSender.pieceSize)
                    sender.begin(message, into: &outgoing)
                case .close(let closure):
                    if machine.close(now: .now()) { sender.close(closure, into: &outgoing) }
                }
            } else {
                hasMore = false
                break
            }
        }
        if outgoing.readableBytes > 0 { write() }
        tunnel.flush()
        return hasMore && sendsMessages
    }

    private func newPing() -> UInt64 {
        look()
        return machine.sendPing(now: .now())
    }

    /// Looks at how much of what was written the peer's system has acknowledged. Of a tunnel that
    /// has ended, that is not known.
    private func look() {
        guard tunnelEnd == nil else { return }
        machine.looked(unsent: tunnel.unsentBytes, now: .now())
    }

    private func nextOutgoing() -> WebSocketMailbox.Outgoing? {
        if taken.isEmpty { taken.append(contentsOf: mailbox.takeOutgoing(upTo: Self.blockSize)) }
        return taken.popFirst()
    }

    private func write() {
        machine.wrote(outgoing.readableBytes)
        tunnel.write(outgoing)
        outgoing = ByteBuffer()
    }

    /// Appends the pong that had to wait.
    private func appendPong() {
        guard let pong else { return }
        self.pong = nil
        if machine.mayReceive { sender.pong(pong, into: &outgoing) }
    }

    private func flushControls() {
        guard outgoing.readableBytes > 0 else { return }
        write()
        tunnel.flush()
    }

    // MARK: Receiving

    private func take(_ event: WebSocketMessageReader.Event) {
        switch event {
        case .message: break
        case .ping(let payload):
            guard machine.received(ping: ()) == .sendPong else { return }
            // RFC 6455 §5.5.3: only the last of several needs a pong. A peer that sends pings and
            // reads nothing must not fill the memory.
            pong = payload
            if tunnel.isWritable { appendPong() }
        case .pong(let payload):
            guard payload.readableBytes == 8, let number: UInt64 = payload.getInteger(at: payload.readerIndex)
            else { return }
            for pong in machine.received(pong: number, now: .now()) {
                mailbox.received(pongTo: pong.number, after: pong.time)
            }
        case .close(let closure):
            perform(machine.received(closure, now: .now()))
        }
    }

    private func perform(_ action: StateMachine.Action) {
        guard case .sendClose(let code) = action else { return }
        sender.close(code.map { WebSocketClosure(code: $0) }, into: &outgoing)
    }

    /// Reads messages while they have room.
    private func parse() {
        do throws(WebSocketFault) {
            while machine.mayReceive {
                if let event = try intake.next() {
                    take(event)
                } else if !machine.isClosing || intake.isRead {
                    break
                } else {
                    // The peer's Close frame is read in any case. What follows a message without
                    // room is skipped: nobody may read any more, and a gap must not be read.
                    deliver()
                    if intake.room < 0 { intake.skipMessages() }
                }
            }
        } catch {
            // Messages that came before the fault are whole.
            perform(machine.fail(error, now: .now()))
        }
        // RFC 6455 §5.5.1, §7.1.7: what follows does not count.
        if !machine.mayReceive { intake.dropBytes() }
    }

    /// Hands over what was received.
    private func deliver() {
        if !intake.messages.isEmpty {
            call.update { $0.add(Call.Arrival(count: intake.byteCount)) }
            mailbox.deliver(intake.takeMessages())
        }
        intake.room = mailbox.room
    }

    /// Reads messages of what has come, hands them over, and does what follows from that: what
    /// finds no room stays as it came, and nothing more is read meanwhile.
    private func proceed() {
        guard machine.stage != .over else { return }
        var size = 0
        repeat {
            parse()
            size += intake.size
            deliver()
        } while !intake.isRead && size < WebSocketIntake.mostAtOnce && hasRoom
        flushControls()
        guard intake.isRead else {
            // Behind what else the event loop has to do. Without room, the mailbox tells.
            if hasRoom, !willProceed {
                willProceed = true
                link?.proceedLater()
            }
            return setReading()
        }
        if let tunnelEnd {
            return finish(WebSocketEnd(of: machine, tunnelEnd.error, server: server)) {
                if !tunnelEnd.isOver { $0.close() }
            }
        }
        setReading()
    }

    /// Whether more may be read: the received messages have room, or this side wants the end.
    private var hasRoom: Bool { machine.isClosing || mailbox.hasRoom() }

    /// Reads while all that came is read, the task is not suspended and the received messages have
    /// room. The end of the connection is read in any case.
    private func setReading() {
        guard machine.stage != .over else { return }
        let isWanted = !machine.maySend || machine.isClosing || !call.isSuspended && mailbox.hasRoom()
        let isReading = isWanted && intake.isRead
        machine.setReading(isReading, now: .now())
        arm()
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        tunnel.setReading(isReading)
    }

    /// The peer sends no more. What it has sent is read before the end.
    private func end(_ error: NetworkingError?, isOver: Bool) {
        guard machine.stage != .over else { return }
        guard tunnelEnd == nil else {
            if isOver { tunnelEnd?.isOver = true }
            return
        }
        tunnelEnd = TunnelEnd(error: error, isOver: isOver)
        proceed()
        guard machine.stage != .over, options.reconnection == nil else { return }
        let message = "\(server) has ended the connection of the WebSocket."
        mailbox.endSending(error ?? NetworkingError(.connectionLost, message))
    }

    // MARK: The end

    /// The task was cancelled: the peer is told, and not waited for.
    private func cancel(with error: NetworkingError) {
        guard machine.stage != .over else { return }
        if machine.maySend, link != nil, !sender.isInMessage || tunnel.isWritable {
            sender.close(WebSocketClosure(code: .goingAway), into: &outgoing)
        }
        flushControls()
        finish(WebSocketEnd(closure: WebSocketClosure(code: .abnormalClosure), error: error)) { $0.close() }
    }

    /// Ends the connection, once.
    private func finish(_ end: WebSocketEnd, _ endTunnel: (any ByteTunnel) -> Void) {
        guard machine.stage != .over else { return }
        deliver()
        intake.dropBytes()
        machine.end()
        timer?.task.cancel()
        timer = nil
        if let link { call.detach(link) }
        link = nil
        mailbox.detach(end, returning: taken)
        taken.removeAll()
        endTunnel(tunnel)
        whenEnded(end)
    }

    // MARK: Time

    private func arm() {
        guard let next = machine.nextDeadline else { return }
        if let timer, timer.at <= next { return }
        timer?.task.cancel()
        let bound = NIOLoopBound(self, eventLoop: tunnel.eventLoop)
        timer = (next, tunnel.eventLoop.scheduleTask(deadline: next) { bound.value.timePassed() })
    }

    private func timePassed() {
        timer = nil
        look()
        switch machine.expire(now: .now()) {
        case .goOn: break
        case .sendPing(let number):
            sender.ping(number, into: &outgoing)
            flushControls()
        case .pingTimedOut:
            let error = NetworkingError.noPong(from: server, within: options.pingTimeout)
            finish(WebSocketEnd(closure: WebSocketClosure(code: .abnormalClosure), error: error)) { $0.abort() }
        case .closeTimedOut:
            finish(WebSocketEnd(of: machine, nil, server: server)) { $0.close() }
        case .sendingStopped: finish(.sendingStopped(by: server, for: options.closeTimeout)) { $0.abort() }
        }
        arm()
    }
}

extension WebSocketConnection: ByteTunnelReceiver {
    func received(_ bytes: ByteBuffer) {
        guard machine.mayReceive else { return }
        machine.heard(now: .now())
        intake.append(bytes)
        parse()
    }

    func receivedAll() {
        proceed()
    }

    func writabilityChanged() {
        if tunnel.isWritable { send() }
    }

    func inputEnded() {
        guard machine.stage != .over else { return }
        proceed()
        // RFC 6455 §7.1.1, RFC 8441 §5: nothing goes on alone, with Close frames or without.
        tunnel.closeOutput()
        end(nil, isOver: false)
    }

    func ended(_ error: NetworkingError?) {
        end(error, isOver: true)
    }
}
