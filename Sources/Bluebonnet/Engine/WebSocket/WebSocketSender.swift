import FoundationEssentials
import NIOCore

/// Turns messages into frames (RFC 6455 §5.4, RFC 7692 §7.2.1): a large message into several, so
/// that pongs need not wait for all of it, and memory does not hold it twice.
struct WebSocketSender {
    /// The most payload of one frame, and the most that is compressed at a time.
    static let pieceSize = 65_536

    /// A message that is under way.
    private struct Message {
        var rest: ByteBuffer
        /// That of the next frame.
        var opcode: WebSocketOpcode
        let isCompressed: Bool
    }

    private var writer = WebSocketFrameWriter()
    private let deflater: WebSocketDeflater?
    private let minimumSize: Int
    private var message: Message?

    init(_ deflate: PerMessageDeflate?) {
        deflater = deflate.flatMap { WebSocketDeflater($0) }
        minimumSize = deflate?.minimumSize ?? 0
    }

    /// Whether the last message that was begun has more to be sent.
    var isInMessage: Bool { message != nil }

    /// Begins a message, and appends what its first piece becomes. The one before must have ended.
    mutating func begin(_ next: WebSocketMessage, into buffer: inout ByteBuffer) {
        let count = next.byteCount
        let opcode: WebSocketOpcode = if case .text = next { .text } else { .binary }
        let isCompressed = deflater != nil && count >= minimumSize
        if !isCompressed, count <= Self.pieceSize {
            return writer.write(opcode, count: count, into: &buffer) { Self.write(next, into: &$0) }
        }
        var bytes = ByteBuffer()
        bytes.reserveCapacity(count)
        Self.write(next, into: &bytes)
        message = Message(rest: bytes, opcode: opcode, isCompressed: isCompressed)
        proceed(into: &buffer)
    }

    private static func write(_ message: WebSocketMessage, into buffer: inout ByteBuffer) {
        switch message {
        case .text(let text): buffer.writeString(text)
        case .binary(let bytes): buffer.writeBytes(bytes)
        }
    }

    /// Appends a frame with the next piece of the message under way; none where the piece was
    /// compressed, and nothing of that is ready.
    mutating func proceed(into buffer: inout ByteBuffer) {
        guard var message else { return }
        let piece = message.rest.readSlice(length: min(message.rest.readableBytes, Self.pieceSize)) ?? ByteBuffer()
        let isLast = message.rest.readableBytes == 0
        let isCompressed = message.isCompressed
        let payload = isCompressed ? deflater?.deflate(piece, isLast: isLast) ?? piece : piece
        if isLast || payload.readableBytes > 0 {
            writer.write(
                message.opcode,
                isFinal: isLast,
                // RFC 7692 §6.1: on the first frame only.
                isCompressed: isCompressed && message.opcode != .continuation,
                count: payload.readableBytes,
                into: &buffer
            ) { $0.writeImmutableBuffer(payload) }
            message.opcode = .continuation
        }
        self.message = isLast ? nil : message
    }

    /// Appends a Close frame (RFC 6455 §5.5.1). A reason has at most 123 bytes, as all control
    /// frames have at most 125; a longer one is cut, and is UTF-8 nevertheless (§5.5.1).
    mutating func close(_ closure: WebSocketClosure?, into buffer: inout ByteBuffer) {
        guard let closure, closure.code != .noStatus else {
            return writer.write(.close, count: 0, into: &buffer) { _ in }
        }
        let bytes = closure.reason.utf8
        var end = bytes.index(bytes.startIndex, offsetBy: 123, limitedBy: bytes.endIndex) ?? bytes.endIndex
        // Back to the first byte of a scalar (RFC 3629 §3).
        while end != bytes.endIndex, bytes[end] & 0b1100_0000 == 0b1000_0000 { end = bytes.index(before: end) }
        let reason = bytes[..<end]
        writer.write(.close, count: 2 + reason.count, into: &buffer) { payload in
            payload.writeInteger(closure.code.rawValue)
            payload.writeBytes(reason)
        }
    }

    /// Appends a ping with a number.
    mutating func ping(_ number: UInt64, into buffer: inout ByteBuffer) {
        writer.write(.ping, count: 8, into: &buffer) { $0.writeInteger(number) }
    }

    /// Appends the pong to a ping (RFC 6455 §5.5.3).
    mutating func pong(_ payload: ByteBuffer, into buffer: inout ByteBuffer) {
        writer.write(.pong, count: payload.readableBytes, into: &buffer) { $0.writeImmutableBuffer(payload) }
    }
}
