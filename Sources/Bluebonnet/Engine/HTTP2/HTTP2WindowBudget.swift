/// The memory that the receive windows of a connection's streams share, as a value without I/O.
///
/// A window begins with ``first``. It grows with what its reader takes: to ``guaranteed`` always,
/// and beyond that, up to ``largest``, as far as the budget allows. So all streams together hold at
/// most the budget and ``guaranteed`` for each, and none that is read is held up by others (RFC
/// 9113 §5.2.2).
struct HTTP2WindowBudget {
    /// The window of a stream before its reader has taken anything.
    ///
    /// It grows when a quarter of it was taken. In TCP's slow start, a server has sent twice these
    /// bytes and its initial window when it hears of that, so that the windows never hold it up.
    static let first = 1 << 18
    /// The window of each stream that is read, whatever the others have.
    static let guaranteed = growth * first / 4
    /// The size of a window for each byte that its reader has taken. Slow start sends two.
    private static let growth = 16

    /// The bytes that no stream has.
    private(set) var left: Int
    /// The size up to which windows grow.
    var largest: Int

    init(total: Int = HTTP2FrameHandler.connectionWindow, largest: Int = 8 << 20) {
        left = total
        self.largest = largest
    }

    /// Makes a window larger, as its reader goes on.
    mutating func grow(_ window: inout HTTP2ReceiveWindow) {
        guard window.taken >= Self.first / 4 else { return }
        let before = Self.share(of: window)
        window.grow(to: min(Self.growth * window.taken, largest, Self.guaranteed + before + left))
        left -= Self.share(of: window) - before
    }

    /// The stream of this window has ended.
    mutating func takeBack(_ window: HTTP2ReceiveWindow) {
        left += Self.share(of: window)
    }

    /// The part of a window that is of the budget.
    private static func share(of window: HTTP2ReceiveWindow) -> Int {
        max(0, window.size - guaranteed)
    }
}
