import Bluebonnet

/// An attempt to connect to an address, as text.
enum AttemptText {
    /// Address, time at which it began, outcome, and how long it took:
    /// `192.0.2.7:443 at 250 ms: connected after 12.1 ms`.
    static func text(of attempt: TransactionMetrics.AddressAttempt, since start: Duration) -> String {
        let time = attempt.phase.duration.map { " after \(HeadText.milliseconds($0))" } ?? ""
        let begin = HeadText.milliseconds(max(attempt.phase.start - start, .zero))
        return ShownText.harmless("\(attempt.endpoint) at \(begin): \(attempt.outcome)\(time)")
    }
}
