import NIOCore

/// The tokens of a ``RateLimit``: one is taken for each request, and one comes after each part of
/// its interval.
///
/// Kept as the time at which the bucket will be full, so that nothing has to be counted while time
/// is over (the generic cell rate algorithm of ITU-T I.371). Times are nanoseconds of the clock of
/// the event loops; they saturate.
struct TokenBucket {
    /// The time from one token to the next.
    private let step: UInt64
    /// The time in which an empty bucket gets all tokens but one.
    private let tolerance: UInt64
    private var fullAt: UInt64 = 0

    init(_ limit: RateLimit) {
        let interval = UInt64(clamping: max(limit.interval, .zero).timeAmount.nanoseconds)
        let requests = UInt64(max(1, limit.requests))
        // Rounded up: rather a nanosecond late than a request too many.
        step = interval / requests + (interval % requests == 0 ? 0 : 1)
        // Half of all times at most: `fullAt`, which saturates, can then still be too late.
        tolerance = min(Self.product(step, UInt64(max(1, limit.burst) - 1)), .max / 2)
    }

    /// The time at which a token can be taken, when those before it are taken as soon as they can
    /// be.
    ///
    /// - Parameters:
    ///   - number: The number of the token, from 1.
    ///   - now: The present.
    /// - Returns: The time, which is not before the present.
    func time(ofToken number: Int, at now: UInt64) -> UInt64 {
        let ahead = Self.product(step, UInt64(max(1, number) - 1))
        let (time, overflows) = max(fullAt, now).addingReportingOverflow(ahead)
        guard !overflows else { return .max }
        return max(now, time > tolerance ? time - tolerance : 0)
    }

    /// Whether there is a token.
    func hasToken(at now: UInt64) -> Bool { time(ofToken: 1, at: now) <= now }

    /// Whether it has all its tokens.
    func isFull(at now: UInt64) -> Bool { fullAt <= now }

    /// Takes a token.
    mutating func take(at now: UInt64) {
        let (time, overflows) = max(fullAt, now).addingReportingOverflow(step)
        fullAt = overflows ? .max : time
    }

    /// Takes a token back that was not used.
    mutating func giveBack() {
        fullAt = fullAt > step ? fullAt - step : 0
    }

    private static func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}
