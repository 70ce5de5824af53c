import NIOCore
import NIOEmbedded
import Testing

@testable import Bluebonnet

/// One timer for many deadlines. The loop's time is set by the tests; all deadlines but `never` lie
/// in the past of the real clock.
@Suite struct DeadlineTimerTests {
    private final class Holder: DeadlineHolder {
        var nextDeadline: NIODeadline?
        var calls = 0
        var whenCalled: () -> Void = {}

        init(_ nextDeadline: NIODeadline?) {
            self.nextDeadline = nextDeadline
        }

        func deadlinePassed(now: NIODeadline) {
            calls += 1
            nextDeadline = nil
            whenCalled()
        }
    }

    private static let never = NIODeadline.distantFuture

    private static func at(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .milliseconds(milliseconds)
    }

    @Test func `the timer reports a passed deadline once`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let holder = Holder(Self.at(10))
        timer.add(holder)
        #expect(!timer.isEmpty)
        loop.advanceTime(to: Self.at(9))
        #expect(holder.calls == 0)
        loop.advanceTime(to: Self.at(10))
        #expect(holder.calls == 1)
        loop.advanceTime(to: Self.at(1000))
        #expect(holder.calls == 1)
    }

    @Test func `the timer does not report a deadline that was moved later`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let holder = Holder(Self.at(10))
        timer.add(holder)
        holder.nextDeadline = Self.never
        loop.advanceTime(to: Self.at(1000))
        #expect(holder.calls == 0)
    }

    @Test func `the timer does not report a withdrawn deadline`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let holder = Holder(Self.at(10))
        timer.add(holder)
        holder.nextDeadline = nil
        loop.advanceTime(to: Self.at(1000))
        #expect(holder.calls == 0)
    }

    @Test func `the timer reports a deadline that was moved earlier at its new time`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let holder = Holder(Self.never)
        timer.add(holder)
        holder.nextDeadline = Self.at(5)
        timer.arm(for: Self.at(5))
        // A later time does not put off an earlier one.
        timer.arm(for: Self.at(20))
        loop.advanceTime(to: Self.at(5))
        #expect(holder.calls == 1)
    }

    @Test func `the timer reports a deadline that was set after it fired`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let holder = Holder(Self.at(10))
        timer.add(holder)
        loop.advanceTime(to: Self.at(10))
        holder.nextDeadline = Self.at(30)
        timer.arm(for: Self.at(30))
        loop.advanceTime(to: Self.at(30))
        #expect(holder.calls == 2)
    }

    @Test func `the timer reports to each holder with a deadline and to no other`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let holders = [Holder(Self.at(10)), Holder(Self.at(10)), Holder(nil), Holder(Self.never)]
        for holder in holders { timer.add(holder) }
        loop.advanceTime(to: Self.at(10))
        #expect(holders.map(\.calls) == [1, 1, 0, 0])
    }

    @Test func `the timer does not report to a removed holder`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let (gone, staying) = (Holder(Self.at(10)), Holder(Self.at(10)))
        timer.add(gone)
        timer.add(staying)
        timer.remove(gone)
        loop.advanceTime(to: Self.at(10))
        #expect(gone.calls == 0 && staying.calls == 1)
        timer.remove(staying)
        #expect(timer.isEmpty)
    }

    @Test func `a holder may remove itself while the timer reports to it`() {
        let loop = EmbeddedEventLoop()
        let timer = DeadlineTimer(eventLoop: loop)
        let (leaving, staying) = (Holder(Self.at(10)), Holder(Self.at(10)))
        leaving.whenCalled = { timer.remove(leaving) }
        timer.add(leaving)
        timer.add(staying)
        loop.advanceTime(to: Self.at(10))
        #expect(leaving.calls == 1 && staying.calls == 1)
        leaving.whenCalled = {}
    }

    @Test func `the timer is released with its last holder`() {
        let loop = EmbeddedEventLoop()
        var timer: DeadlineTimer? = DeadlineTimer(eventLoop: loop)
        weak let reference = timer
        let holder = Holder(Self.at(10))
        timer?.add(holder)
        timer?.remove(holder)
        timer = nil
        #expect(reference == nil)
    }

    @Test(arguments: [
        (Duration.milliseconds(1), Int64(1_000_000)), (.seconds(-1), -1_000_000_000), (.zero, 0),
        (.seconds(Int64.max), Int64.max),
    ])
    func `durations become NIO's amounts of time`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.timeAmount == .nanoseconds(nanoseconds))
        #expect(Self.never.advanced(by: .seconds(1)) == Self.never)
        #expect(Self.at(5).advanced(by: .milliseconds(3)) == Self.at(8))
        #expect(Self.at(8).since(Self.at(5)) == .milliseconds(3))
    }
}
