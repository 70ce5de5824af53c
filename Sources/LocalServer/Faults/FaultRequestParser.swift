import NIOCore

/// Splits a client's bytes into requests, and keeps every byte as it was sent.
///
/// It is lenient on purpose: it finds the end of a request, but does not check it.
struct FaultRequestParser {
    enum Event {
        case head
        case request(FaultServer.Request)
    }

    private enum State {
        /// Becomes `fixed` or `chunkSize`; `broken` when the head is too long.
        case head
        /// Becomes `head` at the end of the body.
        case fixed(remaining: Int)
        /// Becomes `chunk`, `trailers` or `broken`.
        case chunkSize
        /// Becomes `chunkEnd`.
        case chunk(remaining: Int)
        /// Becomes `chunkSize`.
        case chunkEnd
        /// Becomes `head` after the empty line.
        case trailers
        /// All later bytes are ignored.
        case broken
    }

    /// The largest size of a head; a longer one is not HTTP.
    private static let maximumHeadSize = 1 << 20

    private let connection: Int
    private let keepsBodies: Bool
    private var buffer = ByteBuffer()
    private var state = State.head
    private var request: FaultServer.Request
    /// The number of unread bytes that were searched for the end of the head.
    private var searched = 0

    init(connection: Int, keepsBodies: Bool = true) {
        self.connection = connection
        self.keepsBodies = keepsBodies
        request = FaultServer.Request(connection: connection, head: [])
    }

    /// Adds bytes of the client.
    mutating func append(_ bytes: inout ByteBuffer) {
        if case .broken = state { return }
        buffer.writeBuffer(&bytes)
    }

    /// Parses the next head or whole request; returns nil when more bytes are needed.
    mutating func next() -> Event? {
        while true {
            switch state {
            case .broken:
                return nil
            case .head:
                guard let head = takeHead() else { return nil }
                request = FaultServer.Request(connection: connection, head: head)
                state = framing()
                return .head
            case .fixed(0):
                return .request(takeRequest())
            case .fixed(let remaining) where !keepsBodies:
                let count = min(remaining, buffer.readableBytes)
                guard count > 0 else { return nil }
                buffer.moveReaderIndex(forwardBy: count)
                buffer.discardReadBytes()
                state = .fixed(remaining: remaining - count)
            case .fixed(let remaining):
                guard let bytes = take(atMost: remaining) else { return nil }
                request.rawBody += bytes
                request.body += bytes
                state = .fixed(remaining: remaining - bytes.count)
            case .chunkSize:
                guard let line = takeLine() else { return nil }
                guard let size = Int(line.prefix { $0.isHexDigit }, radix: 16) else {
                    state = .broken
                    return nil
                }
                state = size == 0 ? .trailers : .chunk(remaining: size)
            case .chunk(0):
                state = .chunkEnd
            case .chunk(let remaining):
                guard let bytes = take(atMost: remaining) else { return nil }
                request.rawBody += bytes
                request.body += bytes
                state = .chunk(remaining: remaining - bytes.count)
            case .chunkEnd:
                guard takeLine() != nil else { return nil }
                state = .chunkSize
            case .trailers:
                guard let line = takeLine() else { return nil }
                guard let field = FaultServer.Request.field(line) else {
                    return .request(takeRequest())
                }
                request.trailers.append(field)
            }
        }
    }

    /// The state that reads the body of the request by its framing (RFC 9112 §6.3).
    private func framing() -> State {
        if let coding = request.value(of: "transfer-encoding"), coding.lowercased().contains("chunked") {
            return .chunkSize
        }
        return .fixed(remaining: request.value(of: "content-length").flatMap { Int($0) } ?? 0)
    }

    private mutating func takeHead() -> [UInt8]? {
        let bytes = buffer.readableBytesView
        let end: [UInt8] = [13, 10, 13, 10]
        var index = bytes.startIndex + max(0, searched - 3)
        while index + 4 <= bytes.endIndex {
            if bytes[index] == 13, bytes[index..<index + 4].elementsEqual(end) {
                searched = 0
                return buffer.readBytes(length: index + 4 - bytes.startIndex)
            }
            index += 1
        }
        searched = bytes.count
        if searched > FaultRequestParser.maximumHeadSize {
            state = .broken
        }
        return nil
    }

    private mutating func takeRequest() -> FaultServer.Request {
        state = .head
        return request
    }

    private mutating func take(atMost count: Int) -> [UInt8]? {
        let length = min(count, buffer.readableBytes)
        defer { buffer.discardReadBytes() }
        return length > 0 ? buffer.readBytes(length: length) : nil
    }

    /// Takes one line without its end; its bytes are added to the raw body.
    private mutating func takeLine() -> String? {
        let bytes = buffer.readableBytesView
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let line = buffer.readBytes(length: end + 1 - bytes.startIndex)
        else { return nil }
        request.rawBody += line
        return String(decoding: line.dropLast().filter { $0 != 13 }, as: UTF8.self)
    }
}
