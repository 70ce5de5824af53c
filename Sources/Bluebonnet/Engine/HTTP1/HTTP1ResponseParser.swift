import HTTPTypes
import NIOCore

/// Turns the bytes of a connection into the events of one response after the other (RFC 9112).
///
/// For each request call ``begin(_:)``, then ``next(_:)`` for every buffer that arrives until it
/// returns nil, and ``finish()`` when the peer closes. The parser consumes everything it is given
/// while a response is armed: after nil the buffer is empty, and what belongs to an unfinished line
/// is kept inside. After `.end` it takes nothing until the next ``begin(_:)``. An error is final.
struct HTTP1ResponseParser {
    /// The kind of the request, as far as it decides about the body of the response.
    enum RequestKind: Hashable {
        case ordinary
        /// RFC 9110 §9.3.2: the response has no body whatever its fields say.
        case head
        /// RFC 9110 §9.3.6: after a 2xx the connection is a tunnel.
        case connect
    }

    /// One piece of a response. The order is: any `informational`, one `head`, any `body`, one
    /// `end`.
    enum Event {
        /// A response with a status of 1xx other than 101; the final one follows.
        case informational(ResponseHead)
        case head(ResponseHead, BodyLength)
        /// Bytes of the body, never none, as a slice of the buffer they came in.
        case body(ByteBuffer)
        /// The response is complete, also when it has no body; trailers are nil if there were none.
        case end(trailers: HTTPFields?)
    }

    /// The way in which the end of the body is found (RFC 9112 §6.3).
    enum BodyLength: Hashable {
        case none
        /// In bytes, possibly 0.
        case exactly(Int64)
        case chunked
        case untilClose
    }

    /// A fault makes a state `failed`, which is the last one.
    enum State {
        /// Then `head`.
        case idle
        /// Then one of the bodies, or `complete` without one; `head` again after an informational
        /// response.
        case head
        /// Then `complete`.
        case exactly(remaining: Int64, of: Int64)
        /// Then `idle`.
        case untilClose
        /// Then `trailers`.
        case chunked(ChunkState)
        /// Then `idle`.
        case trailers
        /// Everything but `.end` has been returned. Then `idle`.
        case complete
        case failed(HTTP1ParseError)
    }

    let limits: HTTP1Limits
    var state = State.idle
    var scanner: HTTP1FieldSectionScanner
    private var kind = RequestKind.ordinary
    private var informationalCount = 0
    private var uploadNoticeCount = 0

    /// Whether the connection may be used for another request after this response; valid after the
    /// `head` event.
    ///
    /// False for a body that ends with the connection, after 101, and after a 2xx to CONNECT.
    private(set) var isKeepAlive = false

    /// The time that the server keeps an idle connection, as it said last; valid after the `head`
    /// event.
    private(set) var keepAliveTime = CompactTime.none

    /// Whether any byte of the response has been seen.
    ///
    /// A connection closed before that may have been stale; one closed after it cut the response
    /// off.
    private(set) var hasReceivedBytes = false

    init(limits: HTTP1Limits = HTTP1Limits()) {
        self.limits = limits
        scanner = HTTP1FieldSectionScanner(limits: limits)
    }

    /// Whether no response is expected, so that bytes that arrive belong to none.
    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// Expects the response to a request.
    mutating func begin(_ kind: RequestKind) {
        self.kind = kind
        state = .head
        scanner.begin(head: true)
        (informationalCount, uploadNoticeCount) = (0, 0)
        isKeepAlive = false
        hasReceivedBytes = false
    }

    /// Takes what it can from the buffer; nil when it needs more bytes (or is idle).
    mutating func next(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Event? {
        do throws(HTTP1ParseError) {
            switch state {
            case .head:
                return try nextHead(&buffer)
            case .exactly(let remaining, let length):
                return nextBody(&buffer, remaining: remaining, of: length)
            case .complete:
                state = .idle
                return .end(trailers: nil)
            case .idle:
                return nil
            case .untilClose:
                let count = buffer.readableBytes
                guard count > 0, let slice = buffer.readSlice(length: count) else { return nil }
                return .body(slice)
            case .chunked(let chunkState):
                return try nextChunkPiece(&buffer, chunkState)
            case .trailers:
                return try nextTrailers(&buffer)
            case .failed(let error):
                throw error
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Ends the input, because the peer closed its side: the end of a body delimited by that, an
    /// error in the middle of anything else.
    mutating func finish() throws(HTTP1ParseError) -> Event {
        let fault: HTTP1ParseError.Fault
        switch state {
        case .untilClose, .complete:
            state = .idle
            return .end(trailers: nil)
        case .exactly(0, _):
            state = .idle
            return .end(trailers: nil)
        case .idle:
            fault = .closedBeforeResponse
        case .head:
            fault = hasReceivedBytes ? .truncatedHead : .closedBeforeResponse
        case .exactly(let remaining, let length):
            fault = .truncatedBody(expected: length, received: length - remaining)
        case .chunked, .trailers:
            fault = .truncatedChunkedBody
        case .failed(let error):
            throw error
        }
        let error = HTTP1ParseError(fault)
        state = .failed(error)
        throw error
    }

    private mutating func nextHead(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Event? {
        guard buffer.readableBytes > 0 else { return nil }
        hasReceivedBytes = true
        guard let section = try scanner.next(&buffer), let statusLine = section.statusLine else { return nil }
        let head = ResponseHead(
            received: section.fields,
            statusCode: statusLine.code,
            httpVersion: statusLine.isHTTP10 ? .http1_0 : .http1_1
        )
        // RFC 9110 §15.2: 1xx are informational, except that 101 (§15.2.2) ends HTTP/1.1 on this
        // connection.
        if statusLine.code < 200 && statusLine.code != 101 {
            let isNotice = statusLine.code == 104
            let limit = isNotice ? HTTP1Limits.uploadNoticeCount : HTTP1Limits.informationalCount
            if isNotice { uploadNoticeCount += 1 } else { informationalCount += 1 }
            guard (isNotice ? uploadNoticeCount : informationalCount) <= limit else {
                throw HTTP1ParseError(.tooManyInformational(limit: limit))
            }
            scanner.begin(head: true)
            return .informational(head)
        }
        let length = try bodyLength(section.fields, statusLine)
        isKeepAlive =
            length != .untilClose && !isSwitch(statusLine.code)
            && section.fields.allowsKeepAlive(isHTTP10: statusLine.isHTTP10)
        keepAliveTime = KeepAliveField.time(in: section.fields)
        switch length {
        case .none: state = .complete
        case .exactly(let count): state = count == 0 ? .complete : .exactly(remaining: count, of: count)
        case .chunked: state = .chunked(.start)
        case .untilClose: state = .untilClose
        }
        return .head(head, length)
    }

    /// Whether what follows the head is no longer HTTP/1: 101, and 2xx to CONNECT.
    private func isSwitch(_ code: Int) -> Bool {
        code == 101 || kind == .connect && 200..<300 ~= code
    }

    /// RFC 9112 §6.3, in its order.
    private func bodyLength(
        _ fields: RawHeaderFields,
        _ statusLine: HTTP1StatusLine
    ) throws(HTTP1ParseError) -> BodyLength {
        // Rules 1 and 2.
        if kind == .head || statusLine.code == 204 || statusLine.code == 304 || isSwitch(statusLine.code) {
            return .none
        }
        // Rules 3 and 4; §6.1 calls Transfer-Encoding beside Content-Length, or in HTTP/1.0, faulty
        // framing.
        if fields.framingNames.contains(.transferEncoding) {
            guard !statusLine.isHTTP10, !fields.framingNames.contains(.contentLength) else {
                let value = fields.position(of: .transferEncoding).map(fields.value(at:)) ?? []
                throw HTTP1ParseError(.conflictingFraming, showing: value)
            }
            return try fields.isChunked() ? .chunked : .none
        }
        // Rules 5, 6 and 8.
        guard let length = try fields.contentLength() else { return .untilClose }
        return .exactly(length)
    }

    private mutating func nextBody(_ buffer: inout ByteBuffer, remaining: Int64, of length: Int64) -> Event? {
        let count = Int(min(remaining, Int64(buffer.readableBytes)))
        guard count > 0, let slice = buffer.readSlice(length: count) else { return nil }
        let rest = remaining - Int64(count)
        state = rest == 0 ? .complete : .exactly(remaining: rest, of: length)
        return .body(slice)
    }

    private mutating func nextTrailers(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Event? {
        guard buffer.readableBytes > 0, let section = try scanner.next(&buffer) else { return nil }
        state = .idle
        return .end(trailers: section.fields.count == 0 ? nil : section.fields.httpFields)
    }
}
