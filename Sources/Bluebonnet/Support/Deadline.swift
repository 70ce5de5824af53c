import NIOCore

extension Duration {
    /// For NIO's timers; saturates at about 292 years.
    var timeAmount: TimeAmount {
        let (seconds, attoseconds) = components
        let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .nanoseconds(.max) : .nanoseconds(nanoseconds &+ attoseconds / 1_000_000_000)
    }
}

extension NIODeadline {
    /// The point in time a duration later, saturating at the distant future.
    func advanced(by duration: Duration) -> NIODeadline {
        advanced(by: duration.timeAmount)
    }

    /// The point in time an amount later, saturating at the distant future.
    func advanced(by amount: TimeAmount) -> NIODeadline {
        self > .distantFuture - amount ? .distantFuture : self + amount
    }

    /// The time since an earlier point.
    func since(_ earlier: NIODeadline) -> Duration {
        .nanoseconds((self - earlier).nanoseconds)
    }
}
