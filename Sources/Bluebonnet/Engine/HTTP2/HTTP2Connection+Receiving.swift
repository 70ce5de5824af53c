import HTTPTypes
import NIOCore

extension HTTP2Connection: HTTP2FrameReceiver {
    // MARK: Responses

    func received(fields: HTTP2FieldSection, on identifier: Int, endsStream: Bool) {
        guard let stream = streams[identifier], stream.ending == nil else { return }
        // RFC 9113 §8.5: a tunnel has no other frames with content than DATA.
        guard stream.tunnel == nil else {
            return fail(stream, HTTP2Fault(.violation, clause: "sent a field section on a tunnel"))
        }
        touch(stream)
        let run = stream.run
        run.bytesCame(now: now)
        do throws(HTTP2Fault) {
            guard stream.machine.stage == .awaitingHead else {
                try stream.machine.receivedTrailers(endsStream: endsStream)
                stream.ending = try reader.trailers(fields)
                return
            }
            let head = try reader.head(fields)
            run.exchange.meter.responseHead.add(head.byteCount + HTTP2OutboundCount.frameHeader)
            let section = try stream.machine.received(
                statusCode: head.statusCode,
                contentLength: head.contentLength,
                endsStream: endsStream
            )
            let response = ResponseHead(received: head.fields, statusCode: head.statusCode, httpVersion: .http2)
            switch section {
            case .informational:
                run.received(informational: response)
                // An observer may have stopped it.
                if head.statusCode == 100, isOpen(stream) { continueUpload(of: stream) }
            case .final(let bodyLength):
                run.received(response, bodyLength: bodyLength, now: now)
                // RFC 9110 §9.3.6: any 2xx response to CONNECT.
                if run.exchange.opensTunnel, 200..<300 ~= head.statusCode, !endsStream {
                    return openTunnel(on: stream)
                }
                if endsStream { stream.ending = [:] }
            }
        } catch {
            fail(stream, error)
        }
    }

    func received(_ bytes: ByteBuffer, windowLength: Int, on identifier: Int, endsStream: Bool) {
        // The windows of the streams bound the memory. Were that of the connection held back too,
        // a few streams that are not read would use it up, and stop all others (RFC 9113 §5.2.2).
        receiveWindow.receive(windowLength)
        receiveWindow.take()
        guard let stream = streams[identifier], stream.ending == nil else { return }
        touch(stream)
        stream.receiveWindow.receive(windowLength, padding: windowLength - bytes.readableBytes)
        let run = stream.run
        if let tunnel = stream.tunnel {
            tunnel.received(isDecrypted ? bytes.decryptedCopy : bytes)
            if endsStream { tunnel.inputEnded() }
            return
        }
        run.exchange.meter.responseBody.add(windowLength + HTTP2OutboundCount.frameHeader)
        do throws(HTTP2Fault) {
            try stream.machine.received(bytes: bytes.readableBytes, endsStream: endsStream)
        } catch {
            return fail(stream, error)
        }
        if bytes.readableBytes > 0 { stream.content.appendSlice(bytes) }
        if endsStream { stream.ending = [:] }
        if probe.received(windowLength, now: now) { frames?.sendPing(Self.probePing) }
    }

    /// Adds what came of a body in the present read to what the exchange has of it.
    ///
    /// What TLS has decrypted is copied: that decrypts into one buffer again and again, and while
    /// slices of it are kept, it would copy all of it, however little came. The frames of a read
    /// become one piece, so that its reader is woken, and takes it, once.
    func keepContent(of stream: HTTP2Stream) {
        guard !stream.content.isEmpty else { return }
        var content = stream.content
        // The list is given up: small frames may have made it long.
        stream.content = BodyPieces()
        if isDecrypted {
            stream.run.received(content.copied)
        } else {
            content.drain { stream.run.received($0) }
        }
    }

    private var isDecrypted: Bool { frames?.isDecrypted ?? false }

    private func touch(_ stream: HTTP2Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    private func fail(_ stream: HTTP2Stream, _ fault: HTTP2Fault) {
        fail(stream, NetworkingError(fault, from: stream.origin), reset: fault.code)
    }

    /// All that came in one read was looked at: what belongs together is handed over together.
    func receivedAll() {
        let now = now
        health.heard(now: now)
        while !touched.isEmpty {
            let streams = touched
            touched.removeAll(keepingCapacity: true)
            for stream in streams {
                stream.isTouched = false
                keepContent(of: stream)
                if isOpen(stream) { handOver(stream, now: now) }
            }
        }
        creditConnection()
        // The windows that came in this read, however many frames they were.
        send()
        readEnded()
    }

    private func handOver(_ stream: HTTP2Stream, now: NIODeadline) {
        if let tunnel = stream.tunnel { return tunnel.receivedAll() }
        let run = stream.run
        guard !run.exchange.isSuspended else { return }
        if let trailers = stream.ending { return finish(stream, trailers: trailers) }
        if run.hasHead { run.handOver() }
        guard isOpen(stream) else { return }
        credit(stream)
        // RFC 9110 §15.2: an informational response other than 100 neither ends nor prolongs the
        // wait for 100 Continue.
        guard run.sending != .awaitingContinue else { return }
        run.restartClock(now: now)
        arm(for: stream)
    }

    /// Goes on if it may, after the reader has room or the task was resumed; the clock between
    /// bytes starts anew.
    func continueReading(_ stream: HTTP2Stream) {
        let now = NIODeadline.now()
        if stream.run.mayRead { stream.run.restartClock(now: now) } else { stream.run.startClock(now: now) }
        arm(for: stream)
        if stream.run.mayRead { handOver(stream, now: now) }
        readEnded()
    }

    // MARK: Windows

    /// Gives the server the place of what the reader has taken (RFC 9113 §6.9).
    func credit(_ stream: HTTP2Stream) {
        guard stream.run.mayRead else { return }
        stream.receiveWindow.take(leaving: stream.run.unread)
        // What is still to come has its place. A tunnel has no length (RFC 9110 §9.3.6).
        if stream.tunnel == nil, let rest = stream.machine.rest, rest <= stream.receiveWindow.available { return }
        windowBudget.grow(&stream.receiveWindow)
        stream.run.marks = stream.receiveWindow.marks
        if let increment = stream.receiveWindow.takeIncrement() {
            frames?.sendWindowUpdate(increment, on: stream.identifier)
        }
    }

    func creditConnection() {
        if let increment = receiveWindow.takeIncrement() { frames?.sendWindowUpdate(increment, on: 0) }
    }

    func receivedWindowUpdate(_ increment: Int, on identifier: Int) {
        guard updates.take() else {
            let clause = "sent more WINDOW_UPDATE frames than what it was sent gives reason for"
            return end(HTTP2Fault(.flood, sending: .enhanceYourCalm, clause: clause))
        }
        guard identifier != 0 else {
            sendWindow += increment
            // RFC 9113 §6.9.1.
            guard sendWindow <= HTTP2ReceiveWindow.largest else {
                let clause = "made the window of the connection larger than 2^31-1 bytes"
                return end(HTTP2Fault(.violation, sending: .flowControlError, clause: clause))
            }
            return
        }
        guard let stream = streams[identifier], stream.ending == nil else { return }
        stream.sendWindow += increment
        // RFC 9113 §6.9.1.
        guard stream.sendWindow <= HTTP2ReceiveWindow.largest else {
            let clause = "made the window of a stream larger than 2^31-1 bytes"
            return fail(stream, HTTP2Fault(.violation, sending: .flowControlError, clause: clause))
        }
        turns.wake(identifier)
    }

    func writabilityChanged() {
        send()
    }

    // MARK: The connection

    func received(settings change: (inout PeerSettings) -> Void) {
        let (capacity, isFirst) = (machine.capacity, !machine.hasSettings)
        let growth = machine.apply(change)
        if growth != 0 {
            // §6.9.2: a window may become negative, and then waits until it is positive again.
            for stream in streams.values {
                stream.sendWindow += growth
                turns.wake(stream.identifier)
            }
            // §6.9.2.
            let isTooLarge = streams.values.contains { $0.sendWindow > HTTP2ReceiveWindow.largest && $0.ending == nil }
            guard !isTooLarge else {
                let clause = "sent a setting that makes the window of a stream larger than 2^31-1 bytes"
                return end(HTTP2Fault(.violation, sending: .flowControlError, clause: clause))
            }
        }
        // The pool may have begun with less than the usual capacity.
        if isFirst || machine.capacity != capacity, !machine.isDoomed, let pooled {
            pool.resize(pooled, to: machine.capacity, at: .now())
        }
        if machine.peer.allowsConnectProtocol { pool.remember(tunnels: true, to: route.origin) }
        startAwaitingSettings()
    }

    func receivedSettingsAcknowledgement() {
        probe.settingsAcknowledged(now: now)
    }

    func receivedPingAcknowledgement(_ data: UInt64) {
        if let time = pings.acknowledged(data, now: now) { return finishPings { _ in .success(time) } }
        guard data == Self.probePing, let size = probe.acknowledged(size: windowBudget.largest, now: now)
        else { return }
        windowBudget.largest = size
    }

    func receivedReset(_ code: HTTP2Code, on identifier: Int) {
        guard let stream = streams[identifier] else { return }
        // §8.1: after a complete response, the server may stop the request without an error.
        guard stream.ending == nil else {
            stream.isRequestComplete = true
            // The stream is closed: what is written to it would only use up the window of the
            // connection.
            stream.sender?.end()
            return
        }
        if code == .http11Required { pool.remember(http1: stream.origin, on: route) }
        fail(stream, .reset(stream.run.exchange.route, code, hasResponse: !stream.isSilent), reset: nil)
    }

    /// §6.8: what the server has not processed may be sent again; what it has, goes on to its end.
    func receivedGoAway(_ code: HTTP2Code, lastStream: Int) {
        if code == .http11Required { pool.remember(http1: route.origin, on: route) }
        machine.goAway(code)
        leavePool()
        for (identifier, stream) in streams where identifier > lastStream {
            fail(stream, .notProcessed(stream.run.exchange.route, code), reset: nil)
        }
        if streams.isEmpty { close() }
    }

    func streamFailed(_ fault: HTTP2Fault, on identifier: Int) {
        guard let stream = streams[identifier], stream.ending == nil else { return }
        fail(stream, NetworkingError(fault, from: stream.origin), reset: nil)
    }

    /// A rule that the frame layer does not know was broken.
    private func end(_ fault: HTTP2Fault) {
        frames?.sendGoAway(fault.code)
        connectionFailed(fault)
    }

    func connectionFailed(_ fault: HTTP2Fault) {
        end(code: nil) { NetworkingError(fault, from: $0.origin) }
    }

    func inputEnded(reset: (any Error)?) {
        // What came before in the same read counts.
        receivedAll()
        end(code: nil) { stream in lost(stream, reset) }
    }
}
