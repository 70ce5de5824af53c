import NIOCore
import Testing

@testable import Bluebonnet

/// Speed and time left, by a clock that the test moves.
@Suite struct TaskProgressTests {
    private let clock = SteppingClock()
    private let call: Call

    init() {
        call = Call.withoutSession(isWatched: true) { [clock] in
            NIODeadline.uptimeNanoseconds(1_000_000_000) + TimeAmount(clock.now.offset)
        }
    }

    private var progress: TaskProgress { TaskProgress(call.counts) }

    @Test func `an upload has a speed and a time left`() {
        call.beginHop(expectedToSend: 11_000)
        #expect(progress.estimatedTimeToSend == nil && progress.bytesSentPerSecond == nil)
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.sent += 500 }
        #expect(progress.bytesSentPerSecond == 1000)
        #expect(progress.estimatedTimeToSend == .seconds(10))
        #expect(progress.estimatedTimeRemaining == .seconds(10) && progress.bytesPerSecond == 1000)
        #expect(progress.bytesReceivedPerSecond == nil && progress.estimatedTimeToReceive == nil)
    }

    @Test func `a download has a speed and a time left, which count when the response has begun`() {
        call.beginHop(expectedToSend: 10)
        call.update { $0.sent = 10 }
        #expect(progress.estimatedTimeToSend == .zero)
        call.update { $0.expectedToReceive = 3000 }
        call.update { $0.received += 1000 }
        clock.move(by: .milliseconds(250))
        call.update { $0.received += 500 }
        #expect(progress.bytesReceivedPerSecond == 2000)
        #expect(progress.estimatedTimeRemaining == .milliseconds(750) && progress.bytesPerSecond == 2000)
    }

    @Test func `a complete transfer keeps its speed and has no time left`() {
        call.beginHop(expectedToSend: 1000)
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(3_600_000))
        #expect(progress.bytesSentPerSecond == 1000 && progress.estimatedTimeToSend == .zero)
    }

    @Test func `a complete task keeps the speed it had`() throws {
        call.update { $0.received += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.received += 500 }
        try call.complete(nil, nil)
        clock.move(by: .milliseconds(3_600_000))
        #expect(progress.bytesReceivedPerSecond == 1000)
    }

    @Test func `while no bytes are transferred the speed falls, until the time left is unknown`() throws {
        call.beginHop(expectedToSend: 2000)
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(2000))
        let slow = try #require(progress.bytesSentPerSecond)
        #expect(slow < 1000)
        #expect(try #require(progress.estimatedTimeToSend) > .seconds(1))
        clock.move(by: .milliseconds(3_600_000))
        #expect(progress.estimatedTimeToSend == nil)
    }

    @Test func `without a length a transfer has a speed and no time left`() {
        call.beginHop(expectedToSend: nil)
        call.update { $0.sent += 1 }
        clock.move(by: .milliseconds(100))
        call.update { $0.sent += 100 }
        #expect(progress.bytesSentPerSecond == 1000 && progress.estimatedTimeRemaining == nil)
    }

    @Test func `the speed of a new hop is measured anew`() {
        call.beginHop(expectedToSend: 1000)
        call.update { $0.sent += 1 }
        clock.move(by: .milliseconds(100))
        call.update { $0.sent += 100 }
        call.beginHop(expectedToSend: 1000)
        #expect(progress.bytesSentPerSecond == nil && progress.bytesSent == 0)
    }

    @Test func `no speed is measured for a task that is not watched`() {
        let call = Call.withoutSession { [clock] in
            NIODeadline.uptimeNanoseconds(1_000_000_000) + TimeAmount(clock.now.offset)
        }
        call.update { $0.sent += 1 }
        clock.move(by: .milliseconds(1000))
        call.update { $0.sent += 1 }
        #expect(call.counts.sendingSpeed == nil && call.counts.sent == 2)
    }
}
