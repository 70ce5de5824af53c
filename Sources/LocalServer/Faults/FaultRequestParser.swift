import NIOCore

/// Cuts a client's bytes into requests, keeping every byte as it was sent.
///
/// It is deliberately lenient: its job is to find where a request ends, not to judge it.
struct FaultRequestParser {
    enum Event {
        case head
        case request(FaultServer.Request)
    }

    private enum State {
        case head
        case fixed(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case broken
    }

    /// How long a head may be before the bytes count as something else than HTTP.
    private static let maximumHeadSize = 1 << 20

    private let connection: Int
    private var buffer = ByteBuffer()
    private var state = State.head
    private var request: FaultServer.Request
    /// Where the search for the end of the head goes on, relative to the first unread byte.
    private var searched = 0

    init(connection: Int) {
        self.connection = connection
        request = FaultServer.Request(connection: connection, head: [])
    }

    /// Adds what the client sent.
    mutating func append(_ bytes: inout ByteBuffer) {
        if case .broken = state { return }
        buffer.writeBuffer(&bytes)
    }

    /// The next head or whole request that the bytes so far contain.
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

    /// How the body of the request ends (RFC 9112 §6.3).
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

    /// One line without its end; its bytes join the raw body.
    private mutating func takeLine() -> String? {
        let bytes = buffer.readableBytesView
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let line = buffer.readBytes(length: end + 1 - bytes.startIndex)
        else { return nil }
        request.rawBody += line
        return String(decoding: line.dropLast().filter { $0 != 13 }, as: UTF8.self)
    }
}
