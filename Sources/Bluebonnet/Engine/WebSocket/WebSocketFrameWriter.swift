import NIOCore

/// Writes the frames of a client (RFC 6455 §5.2): each is masked with a key of its own (§5.3).
struct WebSocketFrameWriter {
    private var generator = SystemRandomNumberGenerator()
    /// RFC 6455 §5.3: a key is derived from a strong source of entropy, so that nobody can foresee
    /// it. Each half of a number is one.
    private var spare: UInt32?

    /// Appends a frame.
    ///
    /// - Parameters:
    ///   - opcode: The kind of the frame.
    ///   - isFinal: Whether it is the last one of its message.
    ///   - isCompressed: Whether the first reserved bit is set (RFC 7692 §6).
    ///   - count: The exact number of bytes of the payload.
    ///   - buffer: Where the frame is appended.
    ///   - write: Appends the payload.
    mutating func write(
        _ opcode: WebSocketOpcode,
        isFinal: Bool = true,
        isCompressed: Bool = false,
        count: Int,
        into buffer: inout ByteBuffer,
        payload write: (inout ByteBuffer) -> Void
    ) {
        buffer.reserveCapacity(minimumWritableBytes: count + 14)
        buffer.writeInteger((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
        switch count {
        case ...125: buffer.writeInteger(0x80 | UInt8(count))
        case ...0xFFFF: buffer.writeMultipleIntegers(0x80 | 126 as UInt8, UInt16(count))
        default: buffer.writeMultipleIntegers(0x80 | 127 as UInt8, UInt64(count))
        }
        let key = nextKey()
        buffer.writeInteger(key, endianness: .little)
        let start = buffer.writerIndex
        write(&buffer)
        assert(buffer.writerIndex - start == count, "the length of a frame is that of its payload")
        Self.mask(&buffer, from: start, key: key)
    }

    private mutating func nextKey() -> UInt32 {
        if let spare {
            self.spare = nil
            return spare
        }
        let number = generator.next()
        spare = UInt32(truncatingIfNeeded: number >> 32)
        return UInt32(truncatingIfNeeded: number)
    }

    /// Masks the bytes from a position to the end (RFC 6455 §5.3), eight at a time. The key's bytes
    /// are in the order of memory.
    static func mask(_ buffer: inout ByteBuffer, from start: Int, key: UInt32) {
        guard start < buffer.writerIndex else { return }
        let wide = UInt64(key) << 32 | UInt64(key)
        let offset = start - buffer.readerIndex
        unsafe buffer.withUnsafeMutableReadableBytes { readable in
            // The bytes from `start` on are readable ones.
            let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: readable[offset...])
            let count = bytes.count
            var index = 0
            while index &+ 8 <= count {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                unsafe bytes.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            var rest = wide
            while index < count {
                unsafe bytes[index] ^= UInt8(truncatingIfNeeded: rest)
                rest = rest >> 8
                index &+= 1
            }
        }
    }
}
