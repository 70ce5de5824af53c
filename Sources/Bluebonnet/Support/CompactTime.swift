import NIOCore

/// A duration or none, in eight bytes and nanoseconds.
///
/// An optional `Duration` takes 24 bytes, and its 128-bit arithmetic would slow every request.
/// About 292 years are the most that is kept.
struct CompactTime: Sendable, Hashable {
    private var nanoseconds = Int64.min

    /// No time.
    static let none = CompactTime()
    static let zero = CompactTime(Duration.zero)

    private init() {}

    init(_ duration: Duration?) {
        guard let duration else { return }
        nanoseconds = max(.min + 1, duration.timeAmount.nanoseconds)
    }

    /// The time from one point to another one.
    init(from start: NIODeadline, to end: NIODeadline) {
        nanoseconds = (end - start).nanoseconds
    }

    var duration: Duration? { self == .none ? nil : .nanoseconds(nanoseconds) }

    /// The shorter of the two; none counts as longer than any.
    func shorter(_ other: CompactTime) -> CompactTime {
        if self == .none { return other }
        return other == .none || nanoseconds <= other.nanoseconds ? self : other
    }

    /// The point this much later; nil without a time.
    func deadline(after start: NIODeadline) -> NIODeadline? {
        self == .none ? nil : start.advanced(by: .nanoseconds(nanoseconds))
    }
}

extension Duration? {
    /// For messages: `10 seconds`.
    var sentence: String {
        guard let self else { return "the time allowed" }
        let (seconds, attoseconds) = self.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds % 1000 != 0 else { return seconds == 1 ? "1 second" : "\(seconds) seconds" }
        return "\(milliseconds) ms"
    }
}
