import NIOCore

extension HTTP1ResponseParser {
    /// The position of the parser in the chunked coding (RFC 9112 §7.1).
    enum ChunkState {
        /// In front of the first digit of a size. Then `size`.
        case start
        /// In the digits. Then `chunkExtension` or `sizeLineFeed`.
        case size(UInt64, line: Int)
        /// In the extensions behind the size, which are skipped (§7.1.1). Then `sizeLineFeed`.
        case chunkExtension(UInt64, line: Int)
        /// Behind the CR of the line with the size. Then `data`, or the trailers after a size of 0.
        case sizeLineFeed(UInt64)
        case data(remaining: UInt64)
        /// Behind the data of a chunk. Then `dataLineFeed`, and `start`.
        case dataReturn
        case dataLineFeed
    }

    /// The largest size, 15 hexadecimal digits of 16, so that it also fits the signed counters
    /// around here.
    private static let largestChunk = UInt64(Int64.max)

    /// Goes on in the chunked body: returns data or the end, or nil when the buffer is used up.
    mutating func nextChunkPiece(
        _ buffer: inout ByteBuffer,
        _ start: ChunkState
    ) throws(HTTP1ParseError) -> Event? {
        var current = start
        while true {
            if case .data(let remaining) = current {
                let count = Int(min(remaining, UInt64(buffer.readableBytes)))
                guard count > 0, let slice = buffer.readSlice(length: count) else {
                    state = .chunked(current)
                    return nil
                }
                let rest = remaining - UInt64(count)
                state = .chunked(rest == 0 ? .dataReturn : .data(remaining: rest))
                return .body(slice)
            }
            guard let byte = buffer.readInteger(as: UInt8.self) else {
                state = .chunked(current)
                return nil
            }
            if case .sizeLineFeed(0) = current, byte == ASCII.lineFeed {
                // The last chunk; trailers and an empty line follow.
                state = .trailers
                scanner.begin(head: false)
                return try next(&buffer)
            }
            guard let following = chunkState(after: byte, in: current) else {
                // Only this byte is shown: those behind it may be body.
                throw HTTP1ParseError(.malformedChunk, showing: CollectionOfOne(byte))
            }
            current = following
        }
    }

    /// The state after one byte outside of chunk data; nil if the byte is wrong there.
    ///
    /// A bare LF is not accepted here: §7.1 has CRLF only, and leniency in chunk lines has been
    /// used to smuggle.
    private func chunkState(after byte: UInt8, in current: ChunkState) -> ChunkState? {
        switch current {
        case .start:
            ASCII.hexDigit(byte).map { .size(UInt64($0), line: 1) }
        case .size(let size, let line):
            if let digit = ASCII.hexDigit(byte) {
                // At most 16 digits, leading zeros included.
                size <= Self.largestChunk >> 4 && line < 16 ? .size(size << 4 | UInt64(digit), line: line + 1) : nil
            } else {
                afterSize(byte, size, line: line)
            }
        case .chunkExtension(let size, let line):
            if byte == ASCII.carriageReturn {
                .sizeLineFeed(size)
            } else {
                inExtension(byte, size, line: line)
            }
        case .sizeLineFeed(let size):
            byte == ASCII.lineFeed ? .data(remaining: size) : nil
        case .data:
            nil
        case .dataReturn:
            byte == ASCII.carriageReturn ? .dataLineFeed : nil
        case .dataLineFeed:
            byte == ASCII.lineFeed ? .start : nil
        }
    }

    /// The first byte behind the digits: CR, or the start of extensions (";", possibly behind
    /// whitespace).
    private func afterSize(_ byte: UInt8, _ size: UInt64, line: Int) -> ChunkState? {
        switch byte {
        case ASCII.carriageReturn: .sizeLineFeed(size)
        case UInt8(ascii: ";"), ASCII.space, ASCII.tab: inExtension(byte, size, line: line)
        default: nil
        }
    }

    private func inExtension(_ byte: UInt8, _ size: UInt64, line: Int) -> ChunkState? {
        let isControl = byte < 0x20 && byte != ASCII.tab || byte == 0x7F
        return isControl || line >= limits.chunkLine ? nil : .chunkExtension(size, line: line + 1)
    }
}
