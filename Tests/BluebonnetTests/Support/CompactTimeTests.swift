import NIOCore
import Testing

@testable import Bluebonnet

/// Durations in eight bytes.
@Suite struct CompactTimeTests {
    private static let durations: [Duration?] = [
        nil, .zero, .nanoseconds(1), .milliseconds(1500), .seconds(-3), .seconds(290 * 365 * 86_400),
    ]

    @Test(arguments: durations)
    func `a Duration is kept exactly in a CompactTime`(duration: Duration?) {
        #expect(CompactTime(duration).duration == duration)
        var timeouts = Timeouts()
        timeouts.request = duration
        #expect(timeouts.request == duration && timeouts == Timeouts(request: duration))
    }

    @Test func `a CompactTime keeps more than 292 years as its longest time`() {
        #expect(CompactTime(.seconds(Int64.max)).duration == .nanoseconds(Int64.max))
        #expect(CompactTime(.seconds(Int64.max)).deadline(after: .uptimeNanoseconds(5)) == .distantFuture)
    }

    @Test func `the CompactTime between two points leads from one to the other`() {
        let (start, end) = (NIODeadline.uptimeNanoseconds(3), NIODeadline.uptimeNanoseconds(10))
        #expect(CompactTime(from: start, to: end).duration == .nanoseconds(7))
        #expect(CompactTime(from: start, to: end).deadline(after: start) == end)
    }

    @Test func `a missing CompactTime has no deadline`() {
        #expect(CompactTime.none.deadline(after: .uptimeNanoseconds(5)) == nil)
        #expect(CompactTime.none == CompactTime(nil) && CompactTime.none != CompactTime(.zero))
    }

    @Test func `the shorter of a CompactTime and a missing one is the one that is there`() {
        let (short, long) = (CompactTime(.seconds(1)), CompactTime(.seconds(2)))
        #expect(short.shorter(long) == short && long.shorter(short) == short)
        #expect(long.shorter(.none) == long && CompactTime.none.shorter(long) == long)
        #expect(CompactTime.none.shorter(.none) == .none)
    }

    @Test func `a CompactTime takes eight bytes, also without a time`() {
        #expect(MemoryLayout<CompactTime>.size == 8)
    }
}
