import FoundationEssentials
import NIOCore

/// Puts the messages of a server together from its frames: a value without I/O.
///
/// It undoes compression (RFC 7692 §6.2), checks text while it comes (RFC 6455 §8.1), and never
/// keeps more of a message than its limit.
struct WebSocketMessageReader {
    enum Event: Equatable {
        case message(WebSocketMessage)
        case ping(ByteBuffer)
        case pong(ByteBuffer)
        case close(WebSocketClosure)
    }

    /// The message under way.
    private struct Message {
        let isText: Bool
        let isCompressed: Bool
        var bytes = ByteBuffer()
        var check = UTF8Check()

        /// Adds what came, without a copy of the first piece.
        mutating func append(_ piece: ByteBuffer) {
            guard bytes.readableBytes > 0 else {
                bytes = piece
                return
            }
            bytes.writeImmutableBuffer(piece)
        }
    }

    /// The most that a buffer can grow to, by powers of 2: its indices have 32 bits.
    private static let mostBytes = Int(Int32.max)

    private let maximumSize: Int
    private var frames: WebSocketFrameReader
    private let inflater: WebSocketInflater?
    private var message: Message?
    /// Whether messages are skipped: ``skipMessages()``.
    private(set) var skipsMessages = false

    /// - Parameters:
    ///   - options: The limits.
    ///   - deflate: What was agreed upon about compression; nil for none.
    init(_ options: WebSocketOptions, deflate: PerMessageDeflate?) {
        maximumSize = min(max(options.maximumMessageSize, 0), Self.mostBytes)
        frames = WebSocketFrameReader(
            maximumFrameSize: min(options.maximumFrameSize, Self.mostBytes),
            allowsCompression: deflate != nil
        )
        inflater = deflate.map { WebSocketInflater($0) }
    }

    /// Takes what it can from the buffer; nil when it needs more bytes, and then the buffer is
    /// empty. A fault is final.
    mutating func next(_ buffer: inout ByteBuffer) throws(WebSocketFault) -> Event? {
        while let event = try frames.next(&buffer) {
            switch event {
            case .begin where skipsMessages, .data where skipsMessages: continue
            case .begin(let opcode, let isCompressed):
                message = Message(isText: opcode == .text, isCompressed: isCompressed)
            case .data(let piece, let isLast):
                if let complete = try take(piece, isLast: isLast) { return .message(complete) }
            case .control(.ping, let payload): return .ping(payload)
            case .control(.pong, let payload): return .pong(payload)
            case .control(_, let payload): return .close(try Self.closure(payload))
            }
        }
        return nil
    }

    /// From now on messages are skipped, and so is the rest of the one under way: they are not
    /// checked, not kept, and not made of what they were compressed to.
    mutating func skipMessages() {
        skipsMessages = true
        message = nil
    }

    private mutating func take(_ piece: ByteBuffer, isLast: Bool) throws(WebSocketFault) -> WebSocketMessage? {
        // The frames have begun it.
        guard var message else { return nil }
        // Not held twice while it grows.
        self.message = nil
        if message.isCompressed, let inflater {
            let room = maximumSize - message.bytes.readableBytes
            let start = message.bytes.readerIndex + message.bytes.readableBytes
            guard try inflater.inflate(piece, isLast: isLast, into: &message.bytes, upTo: room) else { throw tooBig }
            if message.isText {
                try Self.check(&message.check, message.bytes, from: start, isLast: isLast)
            }
        } else {
            guard message.bytes.readableBytes <= maximumSize - piece.readableBytes else { throw tooBig }
            let isWhole = isLast && message.bytes.readableBytes == 0
            message.append(piece)
            // A text that is here at once is checked when it becomes a string.
            if message.isText, !isWhole {
                let start = message.bytes.readerIndex + message.bytes.readableBytes - piece.readableBytes
                try Self.check(&message.check, message.bytes, from: start, isLast: isLast)
            }
        }
        guard isLast else {
            self.message = message
            return nil
        }
        guard message.isText else { return .binary(Data(taking: message.bytes)) }
        // The bytes are only read inside the closure.
        let text = unsafe message.bytes.withUnsafeReadableBytes { unsafe String(validating: $0, as: UTF8.self) }
        guard let text else { throw Self.notUTF8 }
        return .text(text)
    }

    private static func check(
        _ check: inout UTF8Check,
        _ bytes: ByteBuffer,
        from start: Int,
        isLast: Bool
    ) throws(WebSocketFault) {
        let offset = start - bytes.readerIndex
        // The bytes are only read inside the closure, and the offset is inside them.
        let isValid = unsafe bytes.withUnsafeReadableBytes { unsafe check.take(.init(rebasing: $0[offset...])) }
        guard isValid, !isLast || check.isComplete else { throw notUTF8 }
    }

    private var tooBig: WebSocketFault { .tooBig("A message is larger than \(maximumSize) bytes.") }

    private static let notUTF8 = WebSocketFault.invalidPayload("A text message is not UTF-8.")

    /// RFC 6455 §5.5.1: no payload, or a code and a reason in UTF-8.
    private static func closure(_ payload: ByteBuffer) throws(WebSocketFault) -> WebSocketClosure {
        var payload = payload
        guard payload.readableBytes > 0 else { return WebSocketClosure(code: .noStatus) }
        guard let number: UInt16 = payload.readInteger() else {
            throw .protocolError("A Close frame has a payload of one byte.")
        }
        let code = WebSocketCloseCode(rawValue: number)
        // RFC 6455 §7.4.
        guard code.isAllowedInFrame else { throw .protocolError("A Close frame has the code \(number).") }
        let reason = unsafe payload.withUnsafeReadableBytes { unsafe String(validating: $0, as: UTF8.self) }
        guard let reason else { throw .invalidPayload("The reason in a Close frame is not UTF-8.") }
        return WebSocketClosure(code: code, reason: reason)
    }
}
