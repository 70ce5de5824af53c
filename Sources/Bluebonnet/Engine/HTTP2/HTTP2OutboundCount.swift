/// Counts what a connection has handed over and what of that the peer's system has, as a value
/// without I/O.
///
/// Both are running counts, so that it can be told of each stream and of each PING when its last
/// byte was sent, whatever other streams send behind it: as soon as ``written`` has come to what
/// ``handedOver`` was then. Of a frame its header counts and, of DATA, its content. Compressed
/// fields and what TLS adds do not: they make the count a few bytes late, and never early for long,
/// because where nothing is unsent both counts are equal.
struct HTTP2OutboundCount {
    /// The bytes of all frames that were handed to the frame layer.
    private(set) var handedOver = 0
    /// The bytes that the peer's system has acknowledged, as far as was seen at the last look.
    private(set) var written = 0
    /// The bytes that were handed over before the last flush: the system knows of no others.
    private var flushed = 0

    /// The bytes in front of the payload of a frame (RFC 9113 §4.1).
    static let frameHeader = HTTP2Frame.Header.length

    /// A frame was handed over, with so many bytes of content where it is DATA.
    mutating func handOver(content: Int = 0) {
        handedOver += content + Self.frameHeader
    }

    /// All that was handed over is flushed.
    mutating func flush() {
        flushed = handedOver
    }

    /// Notes how many bytes are unsent now: in the channel, and in the system's buffer. Returns
    /// ``written``.
    mutating func look(unsent: Int) -> Int {
        written = max(written, flushed - unsent)
        return written
    }

    /// Whether so much may be unsent that what is handed over now waits behind it.
    var mayWait: Bool { handedOver - written >= 1 << 16 }
}
