/// A number of seconds as people write it: 0.5, 30.
struct Seconds: Equatable {
    /// Longer than anybody waits, and far from what a duration cannot hold.
    private static let most = 1e9

    /// The same for messages.
    static let mostText = "1000000000 (30 years)"

    let duration: Duration

    /// Nil for what is no time: negative, infinite or no number.
    init?(_ value: Double) {
        guard value >= 0, value <= Self.most else { return nil }
        duration = .seconds(value)
    }
}
