import NIOCore

/// Reads the frames of a server (RFC 6455 §5.2) as pieces of messages: a value without I/O.
///
/// Payload of data frames comes piece by piece as it arrives, that of control frames whole.
struct WebSocketFrameReader {
    enum Event: Equatable {
        /// A message begins. `isCompressed` is the first reserved bit (RFC 7692 §6).
        case begin(WebSocketOpcode, isCompressed: Bool)
        /// Payload of the message, as a slice of the buffer it came in; none only at the end of the
        /// message.
        case data(ByteBuffer, isLast: Bool)
        /// A control frame with its payload of at most 125 bytes.
        case control(WebSocketOpcode, ByteBuffer)
    }

    private enum Stage {
        case header
        /// In the payload of a data frame.
        case data(remaining: Int, isFinal: Bool)
        /// In that of a control frame.
        case control(WebSocketOpcode, count: Int)
        /// The last stage.
        case failed(WebSocketFault)
    }

    private let maximumFrameSize: Int
    /// Whether the first reserved bit has a meaning: permessage-deflate was agreed upon.
    private let allowsCompression: Bool
    private var stage = Stage.header
    /// Whether a message has begun and not ended.
    private var isInMessage = false
    /// The bytes of a header or a control frame that has not arrived whole.
    private var incomplete = ByteBuffer()

    /// RFC 6455 §5.2: two bytes, and eight for the longest length. A server does not mask.
    private static let longestHeader = 10

    init(maximumFrameSize: Int, allowsCompression: Bool) {
        self.maximumFrameSize = maximumFrameSize
        self.allowsCompression = allowsCompression
    }

    /// Takes what it can from the buffer; nil when it needs more bytes, and then the buffer is
    /// empty. A fault is final.
    mutating func next(_ buffer: inout ByteBuffer) throws(WebSocketFault) -> Event? {
        do throws(WebSocketFault) {
            while true {
                switch stage {
                case .header:
                    guard let begun = try nextHeader(&buffer) else { return nil }
                    if let event = begun { return event }
                case .data(let remaining, let isFinal):
                    return nextData(&buffer, remaining: remaining, isFinal: isFinal)
                case .control(let opcode, let count):
                    return nextControl(&buffer, opcode, count: count)
                case .failed(let fault):
                    throw fault
                }
            }
        } catch {
            stage = .failed(error)
            throw error
        }
    }

    private mutating func nextData(_ buffer: inout ByteBuffer, remaining: Int, isFinal: Bool) -> Event? {
        let count = min(remaining, buffer.readableBytes)
        guard let piece = buffer.readSlice(length: count), count > 0 || remaining == 0 else { return nil }
        guard count == remaining else {
            stage = .data(remaining: remaining - count, isFinal: isFinal)
            return .data(piece, isLast: false)
        }
        stage = .header
        if isFinal { isInMessage = false }
        return .data(piece, isLast: isFinal)
    }

    private mutating func nextControl(_ buffer: inout ByteBuffer, _ opcode: WebSocketOpcode, count: Int) -> Event? {
        guard incomplete.readableBytes == 0, let payload = buffer.readSlice(length: count) else {
            let missing = count - incomplete.readableBytes
            guard var part = buffer.readSlice(length: min(missing, buffer.readableBytes)) else { return nil }
            incomplete.writeBuffer(&part)
            guard incomplete.readableBytes == count else { return nil }
            let payload = incomplete
            incomplete = ByteBuffer()
            stage = .header
            return .control(opcode, payload)
        }
        stage = .header
        return .control(opcode, payload)
    }

    /// Reads a header. Nil when it needs more bytes; otherwise the event that it is, or none where
    /// the payload is next.
    private mutating func nextHeader(_ buffer: inout ByteBuffer) throws(WebSocketFault) -> Event?? {
        guard incomplete.readableBytes > 0 else {
            guard let header = try Header(&buffer) else {
                incomplete = buffer
                buffer.moveReaderIndex(to: buffer.writerIndex)
                // A copy, so that two bytes do not keep a whole receive buffer.
                incomplete = ByteBuffer(bytes: incomplete.readableBytesView)
                return nil
            }
            return .some(try begin(header))
        }
        let before = incomplete.readableBytes
        let more = buffer.getSlice(
            at: buffer.readerIndex,
            length: min(Self.longestHeader - before, buffer.readableBytes)
        )
        guard var more, more.readableBytes > 0 else { return nil }
        incomplete.writeBuffer(&more)
        let total = incomplete.readableBytes
        guard let header = try Header(&incomplete) else {
            buffer.moveReaderIndex(forwardBy: total - before)
            return nil
        }
        buffer.moveReaderIndex(forwardBy: total - incomplete.readableBytes - before)
        incomplete = ByteBuffer()
        return .some(try begin(header))
    }

    private mutating func begin(_ header: Header) throws(WebSocketFault) -> Event? {
        // RFC 6455 §5.2: a reserved bit that no extension has given a meaning fails the connection.
        guard header.reservedBits & (allowsCompression ? 0b011 : 0b111) == 0 else {
            throw .protocolError("A frame has a reserved bit that was not agreed upon.")
        }
        guard let opcode = WebSocketOpcode(rawValue: header.opcode) else {
            throw .protocolError("A frame has the reserved opcode \(header.opcode).")
        }
        // RFC 6455 §5.1.
        guard !header.isMasked else { throw .protocolError("A frame of the server is masked.") }
        // RFC 7692 §6.1: the bit is set on the first frame of a message only.
        let isCompressed = header.reservedBits & 0b100 != 0
        guard !opcode.isControl else {
            // RFC 6455 §5.5.
            guard header.isFinal else { throw .protocolError("A control frame is fragmented.") }
            guard header.length <= 125 else { throw .protocolError("A control frame has more than 125 bytes.") }
            guard !isCompressed else { throw .protocolError("A control frame is compressed.") }
            stage = .control(opcode, count: Int(header.length))
            return nil
        }
        guard header.length <= UInt64(max(maximumFrameSize, 0)) else {
            throw .tooBig("A frame of \(header.length) bytes is larger than \(maximumFrameSize) bytes.")
        }
        stage = .data(remaining: Int(header.length), isFinal: header.isFinal)
        // RFC 6455 §5.4.
        if opcode == .continuation {
            guard isInMessage else { throw .protocolError("A frame continues a message that has not begun.") }
            guard !isCompressed else { throw .protocolError("A frame inside a message has the bit of compression.") }
            return nil
        }
        guard !isInMessage else { throw .protocolError("A message begins inside another one.") }
        isInMessage = true
        return .begin(opcode, isCompressed: isCompressed)
    }
}

extension WebSocketFrameReader {
    /// The header of a frame (RFC 6455 §5.2).
    private struct Header {
        let isFinal: Bool
        let reservedBits: UInt8
        let opcode: UInt8
        let isMasked: Bool
        let length: UInt64

        /// Reads a header; nil, with nothing taken, when more bytes are needed.
        init?(_ buffer: inout ByteBuffer) throws(WebSocketFault) {
            let start = buffer.readerIndex
            guard let word: UInt16 = buffer.getInteger(at: start) else { return nil }
            let short = UInt64(word & 0x7F)
            var size = 2
            switch short {
            case 126:
                guard let long: UInt16 = buffer.getInteger(at: start + 2) else { return nil }
                // RFC 6455 §5.2: the minimal number of bytes must be used.
                guard long > 125 else { throw .protocolError("A frame has a length that is longer than it must be.") }
                length = UInt64(long)
                size = 4
            case 127:
                guard let long: UInt64 = buffer.getInteger(at: start + 2) else { return nil }
                guard long <= UInt64(Int64.max) else { throw .protocolError("A frame has a length beyond 63 bits.") }
                guard long > 0xFFFF else {
                    throw .protocolError("A frame has a length that is longer than it must be.")
                }
                length = long
                size = 10
            default: length = short
            }
            isFinal = word & 0x8000 != 0
            reservedBits = UInt8(truncatingIfNeeded: word >> 12) & 0b111
            opcode = UInt8(truncatingIfNeeded: word >> 8) & 0b1111
            isMasked = word & 0x80 != 0
            buffer.moveReaderIndex(forwardBy: size)
        }
    }
}
