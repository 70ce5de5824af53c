import NIOCore

/// The opening of a tunnel by CONNECT (RFC 9110 §9.3.6), without input and output: one request and
/// its response, and again on the same connection where that is possible.
struct ConnectRequestStateMachine {
    /// A response that opens no tunnel.
    struct Refusal: Sendable {
        var head: ResponseHead
        /// As much of the body as came, and is kept.
        var body = ByteBuffer()
        /// Whether another request may follow on the connection.
        var isKeepAlive = false
    }

    enum Step {
        /// More bytes are needed.
        case wait
        /// What is left in the buffer belongs to the tunnel.
        case open(ResponseHead)
        case refused(Refusal)
    }

    enum Failure: Error, Equatable {
        /// The connection ended before the response.
        case closed
        case malformed(HTTP1ParseError)
    }

    private enum State {
        /// Then `head`.
        case idle
        /// Then `body` or `open`.
        case head
        /// Then `idle` where the connection can be used again.
        case body
        /// The last state.
        case open
    }

    /// The most that is kept of the body of a refusal: a longer one ends the connection.
    static let mostBody = 64 * 1024
    /// The most bytes that are taken for the body of a refusal, with what the chunked coding adds
    /// (RFC 9112 §7.1): many more than ``mostBody`` where chunks are small.
    static let mostBytes = 2 * mostBody

    /// `host:port`.
    let authority: String
    private var parser: HTTP1ResponseParser
    private var state = State.idle
    /// In the state `body`.
    private var refusal: Refusal?
    /// The bytes that came for its body.
    private var bytes = 0

    init(to origin: Origin, limits: HTTP1Limits = HTTP1Limits()) {
        authority = Self.authority(of: origin)
        parser = HTTP1ResponseParser(limits: limits)
    }

    /// RFC 9112 §3.2.3. A zone has a meaning on this machine only (RFC 6874 §4).
    static func authority(of origin: Origin) -> String {
        guard case .host(let host, let port) = origin.endpoint else { return "" }
        return host.utf8.contains(ASCII.colon) ? "[\(host.prefix { $0 != "%" })]:\(port)" : "\(host):\(port)"
    }

    /// Whether a refusal has come whose body has not ended.
    var isRefused: Bool { state == .body }

    /// The request to send.
    ///
    /// - Parameter authorization: The value of `Proxy-Authorization`; nil for none.
    /// - Returns: Its bytes.
    mutating func begin(authorization: [UInt8]?) -> ByteBuffer {
        parser.begin(.connect)
        state = .head
        var request = ByteBuffer(string: "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n")
        if let authorization {
            request.writeString("Proxy-Authorization: ")
            request.writeBytes(authorization)
            request.writeString("\r\n")
        }
        request.writeString("\r\n")
        return request
    }

    /// Takes what it can from the bytes that came.
    mutating func received(_ buffer: inout ByteBuffer) throws(Failure) -> Step {
        do throws(HTTP1ParseError) {
            while true {
                let available = buffer.readableBytes
                let event = try parser.next(&buffer)
                if state == .body { bytes += available - buffer.readableBytes }
                switch (event, state) {
                case (nil, .body) where bytes > Self.mostBytes: return end(isKeepAlive: false)
                case (nil, _): return .wait
                case (.informational, _): continue
                case (.head(let head, _), .head) where 200..<300 ~= head.statusCode:
                    // RFC 9112 §6.3: the tunnel begins behind the head, whatever its fields say of
                    // a body.
                    state = .open
                    return .open(head)
                case (.head(let head, _), .head):
                    state = .body
                    bytes = 0
                    refusal = Refusal(head: head, isKeepAlive: parser.isKeepAlive)
                case (.body(var piece), .body):
                    let room = Self.mostBody - (refusal?.body.readableBytes ?? 0)
                    if piece.readableBytes > room {
                        if let slice = piece.readSlice(length: room) { refusal?.body.writeImmutableBuffer(slice) }
                        return end(isKeepAlive: false)
                    }
                    refusal?.body.writeImmutableBuffer(piece)
                    if bytes > Self.mostBytes { return end(isKeepAlive: false) }
                case (.end, .body):
                    // What came behind the response would be taken for the next one.
                    return end(isKeepAlive: buffer.readableBytes == 0)
                default: return .wait
                }
            }
        } catch {
            throw .malformed(error)
        }
    }

    private mutating func end(isKeepAlive: Bool) -> Step {
        state = .idle
        guard var ended = refusal.take() else { return .wait }
        ended.isKeepAlive = ended.isKeepAlive && isKeepAlive
        return .refused(ended)
    }

    /// The proxy has closed its side. A refusal counts even where its body was cut off.
    mutating func inputEnded() throws(Failure) -> Step {
        switch state {
        case .body: return end(isKeepAlive: false)
        case .idle, .open: return .wait
        case .head: throw parser.hasReceivedBytes ? .malformed(HTTP1ParseError(.truncatedHead)) : .closed
        }
    }
}
