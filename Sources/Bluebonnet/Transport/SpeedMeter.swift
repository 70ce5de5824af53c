package import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The speed of a transfer, smoothed. A value without a clock: its callers say what time it is.
///
/// The clock starts with the first bytes, which do not count: how long they took is not known, and
/// the first ones of an upload only fill buffers. From then on bytes are gathered for at least
/// ``interval``; a sample of `n` bytes in `t` seconds has the rate `r = n / t` and moves the speed
/// by `(1 − e^(−t/τ)) · (r − speed)` with `τ` = ``timeConstant``. The first sample is the speed.
package struct SpeedMeter {
    /// Bytes are gathered for this long before they make a sample.
    static let interval = TimeAmount.milliseconds(100)
    /// After this long a new rate makes up 63 % of the speed, after three times as long 95 %.
    static let timeConstant = TimeAmount.seconds(2)

    private var sampledAt: NIODeadline?
    private var gathered = 0
    private var smoothed: Double?

    /// Makes a meter whose clock has not started.
    package init() {}

    /// Adds the bytes that were transferred until now.
    package mutating func add(_ count: Int, at now: NIODeadline) {
        guard count > 0 else { return }
        guard sampledAt != nil else {
            sampledAt = now
            return
        }
        gathered += count
        sample(at: now)
    }

    /// Bytes per second; nil while there is too little to tell. Falls while nothing is transferred.
    package func speed(at now: NIODeadline) -> Double? {
        var copy = self
        copy.sample(at: now)
        return copy.smoothed
    }

    private mutating func sample(at now: NIODeadline) {
        guard let last = sampledAt, now >= last + Self.interval else { return }
        let seconds = Double((now - last).nanoseconds) / 1e9
        let rate = Double(gathered) / seconds
        let weight = 1 - exp(-seconds * 1e9 / Double(Self.timeConstant.nanoseconds))
        smoothed = smoothed.map { $0 + weight * (rate - $0) } ?? rate
        sampledAt = now
        gathered = 0
    }
}
