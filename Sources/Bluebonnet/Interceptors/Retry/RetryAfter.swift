import FoundationEssentials
import HTTPTypes

/// The time that a server wants its client to wait before it sends a request again (RFC 9110
/// §10.2.3).
enum RetryAfter {
    /// The longest time: one of more seconds counts as so many.
    static let longest = Duration.seconds(1 << 32)

    /// The time that a response asks for; nil where it asks for none, or in no format that the RFC
    /// has. Of several fields, of which there should be one, the longest time counts.
    ///
    /// A date counts from that of the response (§6.6.1), because the clock of the server may be
    /// another one than ours; without that, from now. One that is over asks for no time.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - now: The time of day.
    /// - Returns: The time.
    static func time(in head: ResponseHead, now: @autoclosure () -> Date) -> Duration? {
        guard let name = HTTPField.Name.retryAfter else { return nil }
        let values = head.values(for: name)
        guard !values.isEmpty else { return nil }
        let now = now()
        let dates = head.values(for: .date)
        let sentAt = dates.count == 1 ? HTTPDate(dates[0], now: now) : nil
        return values.compactMap { time($0, sentAt: sentAt, now: now) }.max()
    }

    /// The time of a value: a number of seconds, or a date in one of the three formats of §5.6.7.
    static func time(_ value: String, sentAt: HTTPDate?, now: Date) -> Duration? {
        if !value.isEmpty, value.utf8.allSatisfy(ASCII.isDigit) {
            // A number that is too large for the type is too large for any limit.
            return min(Int64(value).map { .seconds($0) } ?? longest, longest)
        }
        guard let date = HTTPDate(value, now: now) else { return nil }
        let start = sentAt?.secondsSince1970 ?? Int(now.timeIntervalSince1970)
        return .seconds(min(max(date.secondsSince1970 - start, 0), 1 << 32))
    }
}

extension HTTPField.Name {
    fileprivate static let retryAfter = HTTPField.Name("Retry-After")
}
