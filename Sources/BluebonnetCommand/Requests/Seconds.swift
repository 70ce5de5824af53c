import Bluebonnet

/// A number of seconds as people write it: 0.5, 30.
struct Seconds: Equatable {
    /// The largest number. It is longer than any useful wait, and a `Duration` can hold it.
    private static let most = 1e9

    /// The largest number, for messages.
    static let mostText = "1000000000 (30 years)"

    let duration: Duration

    /// Nil when the value is negative, too large or not a number.
    init?(_ value: Double) {
        guard value >= 0, value <= Self.most else { return nil }
        duration = .seconds(value)
    }
}

extension Timeouts {
    /// Sets the timeout of the whole request and turns the shorter ones off, except for connecting.
    ///
    /// A user who allows a request two minutes also allows its first byte two minutes.
    mutating func limitRequest(to duration: Duration) {
        request = duration
        waiting = nil
        firstByte = nil
        betweenBytes = nil
    }
}
