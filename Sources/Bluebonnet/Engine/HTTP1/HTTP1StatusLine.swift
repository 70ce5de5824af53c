/// The status line of a response (RFC 9112 §4).
struct HTTP1StatusLine {
    /// Whether the version is HTTP/1.0; any later 1.x is treated as 1.1 (RFC 9110 §2.5).
    let isHTTP10: Bool
    /// 100 to 999.
    let code: Int
    /// The range of the reason phrase, counted from the start of the head.
    let reason: Range<Int>

    /// "HTTP/1." as the bytes of a little-endian number, and the seven bytes that count.
    private static let prefix: UInt64 = 0x00_2E31_2F50_5454_48
    private static let prefixLength = 7

    /// The most bytes of a line that messages show: up to the status code. A server of another
    /// protocol may have sent anything.
    static let shownLength = 12

    /// Checks what has arrived of "HTTP/1.", so that anything but HTTP/1 is refused at its first
    /// wrong byte.
    @inline(__always)
    static func checkPrefix(_ bytes: UnsafeRawBufferPointer) throws(HTTP1ParseError) {
        if bytes.count >= 8 {
            // In bounds: eight bytes are there.
            let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
            guard word & 0x00FF_FFFF_FFFF_FFFF != prefix else { return }
        }
        try unsafe checkPrefixByByte(bytes)
    }

    @inline(never)
    private static func checkPrefixByByte(_ bytes: UnsafeRawBufferPointer) throws(HTTP1ParseError) {
        var position = 0
        // Only positions below the count are read.
        while position < min(prefixLength, bytes.count) {
            let byte = unsafe bytes[position]
            if byte != UInt8(truncatingIfNeeded: prefix &>> UInt64(position &* 8)) {
                // The types of TLS records that a server sends first: alert and handshake.
                if position == 0, byte == 0x15 || byte == 0x16 { throw HTTP1ParseError(.tlsRecord) }
                let isOtherVersion = position == 5 && ASCII.isDigit(byte)
                throw unsafe HTTP1ParseError(
                    isOtherVersion ? .unsupportedVersion : .malformedStatusLine,
                    showing: bytes.prefix(24).prefix { ASCII.isToken($0) || $0 == UInt8(ascii: "/") }
                )
            }
            position &+= 1
        }
    }

    /// Parses a line, without its ending, whose prefix has been checked and which is the start of
    /// the head.
    init(_ line: UnsafeRawBufferPointer) throws(HTTP1ParseError) {
        // "HTTP/1.1 200"; the space and the reason phrase may be missing.
        guard line.count >= 12, let base = line.baseAddress,
            case let minor = unsafe line[7], ASCII.isDigit(minor),
            unsafe line[8] == ASCII.space,
            case let hundreds = unsafe line[9], ASCII.isDigit(hundreds), hundreds != UInt8(ascii: "0"),
            case let tens = unsafe line[10], ASCII.isDigit(tens),
            case let units = unsafe line[11], ASCII.isDigit(units),
            unsafe line.count == 12 || line[12] == ASCII.space,
            unsafe ASCII.firstControl(base, from: 12, to: line.count) == nil
        else { throw unsafe HTTP1ParseError(.malformedStatusLine, showing: line.prefix(Self.shownLength)) }
        isHTTP10 = minor == UInt8(ascii: "0")
        code = Int(hundreds) * 100 + Int(tens) * 10 + Int(units) - 111 * 48
        reason = min(13, line.count)..<line.count
    }
}
