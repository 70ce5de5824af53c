import FoundationEssentials
import HTTPTypes
import NIOCore

/// An exchange while a connection carries it, whatever the protocol: what of the request was sent,
/// what of the response was received, and what of that its caller has. The connection calls it; it
/// does not know the connection.
///
/// Lives on the event loop of the connection.
final class ExchangeRun {
    /// Up to this size, a body that is not read before its end is handed over with the head.
    private static let collectedBodySize = 1 << 20

    /// The end of the response, which has not been handed over.
    private enum Ending {
        case whole(TransportResponse)
        case stream(BodyStream, trailers: HTTPFields)
    }

    let exchange: Exchange
    /// The upload of the request body, which ends with the exchange.
    var upload: RequestUpload?
    private var clock: ExchangeClock
    private var timings: ExchangeTimings
    private var informational: [ResponseHead] = []
    private var head: ResponseHead?
    /// Whether the head of a response that is not handed over yet was noted.
    private var isHeadNoted = false
    /// The pieces of the body that have arrived and were not handed over.
    private var arrived = BodyPieces()
    /// The arrived bytes that the call has not counted yet.
    private var uncounted = Call.Arrival()
    private var stream: BodyStream?
    private var streamIsFull = false
    /// The bytes that may wait for the reader.
    var marks = BodyStream.Marks()
    /// The bytes of the body that waited for the reader at the last look.
    private(set) var unread = 0
    private var ending: Ending?
    /// The tunnel that the response has opened.
    private var tunnel: OpenedTunnel?
    /// The time of the last byte.
    private(set) var endedAt = NIODeadline.uptimeNanoseconds(0)

    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - establishment: The times of making the connection, for an exchange that it was made for.
    ///   - knowsContinue: Whether the server may send 100 Continue.
    ///   - isSentAtOnce: Whether the whole request is sent now, and none of its body waits.
    ///   - now: The time at which its request is sent.
    init(_ exchange: Exchange, establishment: Establishment?, knowsContinue: Bool, isSentAtOnce: Bool, now: NIODeadline)
    {
        self.exchange = exchange
        let sending: ExchangeClock.Sending =
            if isSentAtOnce {
                .complete
            } else if exchange.expectsContinue, knowsContinue {
                .awaitingContinue
            } else {
                .underWay
            }
        clock = ExchangeClock(timeouts: exchange.timeouts, end: exchange.deadline, sending: sending)
        if let establishment {
            timings = establishment.timings(since: exchange.startedAt, now: now)
        } else {
            timings = ExchangeTimings()
            timings.isConnectionReused = true
            timings.queue = CompactTime(from: exchange.startedAt, to: now)
        }
    }

    // MARK: The request

    /// The progress of sending the request.
    var sending: ExchangeClock.Sending { clock.sending }

    /// Notes that the request is about to be sent.
    func beganSending(now: NIODeadline) {
        exchange.meter.requestStart.note(now)
    }

    /// Counts bytes of the request that were handed to the channel.
    ///
    /// - Parameters:
    ///   - head: Those of the head. Default: none.
    ///   - body: Those of the body.
    ///   - passed: All bytes that were handed to the channel since the last ones of the request,
    ///     where it carries others too; these have to be sent before. Default: the same.
    func handOver(head: Int = 0, body: Int, passing passed: Int? = nil) {
        clock.handOver(passed ?? head + body)
        if head > 0 { exchange.meter.requestHead.add(head) }
        if body > 0 { exchange.meter.requestBody.add(body) }
    }

    /// Counts the bytes around a piece of the body.
    func countFraming(_ count: Int) {
        exchange.meter.requestBody.add(count)
    }

    /// Counts bytes of the body that were handed to the channel.
    func count(sent count: Int) {
        exchange.call.update { $0.sent += count }
    }

    /// Ends the wait for 100 Continue, which came or did not. True when the body is to be sent now.
    func endContinueWait() -> Bool {
        guard clock.endContinueWait() else { return false }
        timings.firstByte = .none
        exchange.meter.firstByte.note(nil)
        return true
    }

    /// Notes that the whole request was sent at once.
    func sentWhole(now: NIODeadline) {
        timings.requestSent = CompactTime(from: exchange.startedAt, to: now)
        exchange.meter.requestEnd.note(now)
        if let length = exchange.request.body?.length { exchange.call.update { $0.sent += length } }
        startClock(now: now)
    }

    /// Notes that the last of the body was handed over; false when it was already, or never will
    /// be.
    func markRequestSent(now: NIODeadline) -> Bool {
        guard clock.markRequestSent() else { return false }
        timings.requestSent = CompactTime(from: exchange.startedAt, to: now)
        exchange.meter.requestEnd.note(now)
        return true
    }

    // MARK: The response

    /// Whether more of the response may be read.
    var mayRead: Bool { !streamIsFull && !exchange.isSuspended }

    /// Bytes came.
    func bytesCame(now: NIODeadline) {
        guard timings.firstByte == .none else { return }
        timings.firstByte = CompactTime(from: exchange.startedAt, to: now)
        exchange.meter.firstByte.note(now)
        clock.firstByte()
    }

    /// Notes an informational response (RFC 9110 §15.2).
    func received(informational head: ResponseHead) {
        if informational.count < HTTP1Limits.informationalCount { informational.append(head) }
        exchange.received(informational: head)
        // The response itself has not begun: a server may have nothing more to say for long, or for
        // ever.
        timings.firstByte = .none
        exchange.meter.firstByte.note(nil)
        clock.firstByte(isInformational: true)
    }

    /// Counts what was taken of a buffer that had so many bytes before. Returns how many are left.
    func count(received before: Int, of buffer: ByteBuffer) -> Int {
        let left = buffer.readableBytes
        if hasHead {
            exchange.meter.responseBody.add(before - left)
        } else {
            exchange.meter.responseHead.add(before - left)
        }
        return left
    }

    /// The head of the final response came.
    func received(_ head: ResponseHead, bodyLength: Int?, now: NIODeadline) {
        bytesCame(now: now)
        clock.headCame()
        self.head = head
        uncounted.expected = bodyLength
    }

    /// A piece of the body came.
    func received(_ piece: ByteBuffer) {
        uncounted.count += piece.readableBytes
        exchange.meter.content.add(piece.readableBytes)
        arrived.append(piece)
    }

    /// Whether the head of the final response came.
    var hasHead: Bool { head != nil }

    /// Gives the reader what has arrived; the head first, unless the whole body is likely to follow
    /// at once.
    func handOver() {
        guard let head else { return }
        if let stream {
            count()
            push(to: stream)
        } else if !isDelivered(with: head) {
            guard !isHeadNoted else { return count() }
            // A task that is stopped from elsewhere then knows that there was a response.
            isHeadNoted = true
            exchange.note(head, takeUncounted())
        } else {
            let stream = BodyStream(source: exchange)
            self.stream = stream
            let response = response(head, ResponseBody(.stream(.init(stream))))
            exchange.deliver(response, stream: stream, takeUncounted())
            push(to: stream)
        }
    }

    /// Whether the head is handed over before the body is complete.
    private func isDelivered(with head: ResponseHead) -> Bool {
        !exchange.collectsBody || Self.isFollowed(head) || arrived.byteCount > Self.collectedBodySize
    }

    /// Whether another request may follow, which must not wait for this body: redirects and 417.
    static func isFollowed(_ head: ResponseHead) -> Bool {
        300..<400 ~= head.statusCode || head.statusCode == 417
    }

    private func push(to stream: BodyStream) {
        guard !arrived.isEmpty else { return }
        let pushed = stream.push(&arrived, marks)
        unread = pushed.unread
        streamIsFull = !pushed.goesOn
        if streamIsFull { startClock(now: .now()) }
        pushed.reader?.resume()
    }

    private func count() {
        let arrival = takeUncounted()
        if !arrival.isEmpty { exchange.call.update { $0.add(arrival) } }
    }

    private func takeUncounted() -> Call.Arrival {
        defer { uncounted = Call.Arrival() }
        return uncounted
    }

    private func response(_ head: ResponseHead, _ body: ResponseBody) -> TransportResponse {
        var response = TransportResponse(
            head: head,
            body: body,
            sent: exchange.sent,
            informational: informational,
            timings: timings,
            startedAt: exchange.startedAt,
            isRequestBodyUntouched: clock.sending == .withheld,
            hop: exchange.hop
        )
        if let tunnel { response.tunnel = tunnel }
        return response
    }

    /// Whether the response may switch to the protocol that it names: the request asked for that
    /// (RFC 9110 §15.2.2), and is sent.
    func mayOpenTunnel(_ head: ResponseHead) -> Bool {
        sending == .complete && exchange.request.upgrade?.isNamed(in: head) == true
    }

    /// Whether the final response on an HTTP/1.1 connection switches to another protocol.
    var isSwitch: Bool { head?.statusCode == 101 }

    /// The response has opened a tunnel, which it takes along. The exchange then ends without a
    /// body.
    func opened(_ tunnel: any ByteTunnel) {
        self.tunnel = OpenedTunnel(tunnel)
    }

    /// The reader has room again.
    func readerHasRoom() {
        streamIsFull = false
        unread = stream?.unread ?? 0
    }

    // MARK: The end

    /// The response is complete. It is handed over by ``deliver()``, when the connection knows
    /// whether it can be used again.
    func end(trailers: HTTPFields, now: NIODeadline) {
        guard let head else { return }
        endedAt = now
        timings.lastByte = CompactTime(from: exchange.startedAt, to: now)
        exchange.meter.lastByte.note(now)
        upload?.stop()
        ending =
            if let stream {
                .stream(stream, trailers: trailers)
            } else {
                .whole(response(head, .whole(arrived.joined, trailers: trailers)))
            }
    }

    /// Hands over the response, or the end of it.
    func deliver() {
        switch ending {
        case .whole(let response):
            exchange.deliver(response, stream: nil, takeUncounted())
        case .stream(let stream, let trailers):
            count()
            stream.push(&arrived).reader?.resume()
            exchange.finishStream(trailers: trailers, at: endedAt)
        case nil: break
        }
        ending = nil
    }

    /// Fails the exchange, before its response or inside it.
    func fail(_ error: NetworkingError) {
        upload?.stop()
        // A reader gets the bytes that came before the error, also when both came at once.
        handOver()
        // The bytes that had arrived, unless they are encoded.
        let isPlain = stream == nil && !arrived.isEmpty && head?.contains(.contentEncoding) == false
        let body = isPlain ? Data(taking: arrived.joined) : nil
        exchange.fail(error.completed(request: exchange.sent.request, response: head, body: body))
    }

    // MARK: The clock

    /// The earliest time at which something follows.
    var nextDeadline: NIODeadline? { clock.nextDeadline }

    /// Starts the clock of what is waited for now.
    func startClock(now: NIODeadline) {
        clock.start(mayRead: mayRead, now: now)
    }

    /// Starts the clock anew: bytes came, or a suspended task was resumed.
    func restartClock(now: NIODeadline) {
        clock.restart(mayRead: mayRead, now: now)
    }

    /// Starts the clock after something was written.
    func followBytes(unsent: Int, now: NIODeadline) {
        clock.follow(unsent: unsent, mayRead: mayRead, now: now)
    }

    /// Decides what follows when time has passed.
    func expire(now: NIODeadline, unsent: () -> Int) -> ExchangeClock.Expiry {
        clock.expire(mayRead: mayRead, now: now, unsent: unsent)
    }
}
