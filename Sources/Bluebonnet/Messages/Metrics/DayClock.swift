import FoundationEssentials
import NIOCore
import Synchronization

/// The time of day of instants of the event loops' clock.
///
/// The system's clock is read at most once a second, so that a request does not pay for it: a clock
/// that was set is noticed a second later.
enum DayClock {
    private static let offset = Atomic<Int64>(0)
    /// The instant of the last reading, in nanoseconds; 0 before the first.
    private static let readAt = Atomic<UInt64>(0)
    private static let interval: UInt64 = 1_000_000_000

    /// The time of day less the time of the event loops, in nanoseconds.
    static func offset(at now: NIODeadline) -> Int64 {
        let last = readAt.load(ordering: .acquiring)
        guard last == 0 || now.uptimeNanoseconds > last &+ interval else { return offset.load(ordering: .relaxed) }
        let day = Int64(Date().timeIntervalSince1970 * 1e9)
        let value = day - Int64(clamping: NIODeadline.now().uptimeNanoseconds)
        offset.store(value, ordering: .relaxed)
        readAt.store(now.uptimeNanoseconds, ordering: .releasing)
        return value
    }

    /// The time of day of an instant.
    static func date(of instant: NIODeadline, offset: Int64) -> Date {
        Date(timeIntervalSince1970: Double(Int64(clamping: instant.uptimeNanoseconds) + offset) / 1e9)
    }
}
