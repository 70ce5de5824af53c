import FoundationEssentials
import NIOCore

/// The clocks, the waits and the random numbers of retries, which tests replace.
struct RetryTiming: Sendable {
    /// Returns the present by the clock of the event loops.
    var now: @Sendable () -> NIODeadline = { .now() }
    /// Returns the time of day.
    var date: @Sendable () -> Date = { Date() }
    /// Returns a number from 0 to below 1.
    var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
    /// Waits until the time is over, or the task is stopped.
    var sleep: @Sendable (ExchangeContext, Duration) async throws -> Void = { context, time in
        try await context.sleep(for: time)
    }
}
