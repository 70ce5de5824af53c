/// The WINDOW_UPDATE frames that a server may send, as a value without I/O.
///
/// They cost the client more than the server, and RFC 9113 §10.5 lets the receiver bound such
/// frames. A server sends them because of what it was sent: so each stream and each DATA frame
/// allows some more of them.
struct HTTP2UpdateAllowance {
    private var left = 10_000

    private static let perFrame = 8
    /// A server may give the window back in steps of about this. Some do so for each read of a
    /// program, however small, on the stream and on the connection.
    private static let leastStep = 16

    /// A frame was sent that begins a stream, or has so many bytes of content.
    mutating func sent(content: Int = 0) {
        left += Self.perFrame + content / Self.leastStep
    }

    /// A WINDOW_UPDATE came. Returns whether it was allowed.
    mutating func take() -> Bool {
        left -= 1
        return left >= 0
    }
}
