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
        #expect(progress.upload.estimatedTimeRemaining == nil && progress.upload.bytesPerSecond == nil)
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.sent += 500 }
        #expect(progress.upload.bytesPerSecond == 1000)
        #expect(progress.upload.estimatedTimeRemaining == .seconds(10))
        #expect(progress.current.estimatedTimeRemaining == .seconds(10) && progress.current.bytesPerSecond == 1000)
        #expect(progress.download.bytesPerSecond == nil && progress.download.estimatedTimeRemaining == nil)
    }

    @Test func `a download has a speed and a time left, which count when the response has begun`() {
        call.beginHop(expectedToSend: 10)
        call.update { $0.sent = 10 }
        #expect(progress.upload.estimatedTimeRemaining == .zero)
        call.update { $0.expectedToArrive = 3000 }
        call.update { $0.arrived += 1000 }
        clock.move(by: .milliseconds(250))
        call.update { $0.arrived += 500 }
        #expect(progress.download.bytesPerSecond == 2000)
        #expect(
            progress.current.estimatedTimeRemaining == .milliseconds(750) && progress.current.bytesPerSecond == 2000
        )
    }

    @Test func `a complete transfer keeps its speed and has no time left`() {
        call.beginHop(expectedToSend: 1000)
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(3_600_000))
        #expect(progress.upload.bytesPerSecond == 1000 && progress.upload.estimatedTimeRemaining == .zero)
    }

    @Test func `a complete task keeps the speed it had`() throws {
        call.update { $0.arrived += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.arrived += 500 }
        try call.complete(nil, nil)
        clock.move(by: .milliseconds(3_600_000))
        #expect(progress.download.bytesPerSecond == 1000)
    }

    @Test func `while no bytes are transferred the speed falls, until the time left is unknown`() throws {
        call.beginHop(expectedToSend: 2000)
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(500))
        call.update { $0.sent += 500 }
        clock.move(by: .milliseconds(2000))
        let slow = try #require(progress.upload.bytesPerSecond)
        #expect(slow < 1000)
        #expect(try #require(progress.upload.estimatedTimeRemaining) > .seconds(1))
        clock.move(by: .milliseconds(3_600_000))
        #expect(progress.upload.estimatedTimeRemaining == nil)
    }

    @Test func `without a length a transfer has a speed and no time left`() {
        call.beginHop(expectedToSend: nil)
        call.update { $0.sent += 1 }
        clock.move(by: .milliseconds(100))
        call.update { $0.sent += 100 }
        #expect(progress.upload.bytesPerSecond == 1000 && progress.current.estimatedTimeRemaining == nil)
    }

    @Test func `the speed of a new hop is measured anew`() {
        call.beginHop(expectedToSend: 1000)
        call.update { $0.sent += 1 }
        clock.move(by: .milliseconds(100))
        call.update { $0.sent += 100 }
        call.beginHop(expectedToSend: 1000)
        #expect(progress.upload.bytesPerSecond == nil && progress.upload.completed == 0)
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

    // MARK: One bar

    @Test func `the fraction of a call is that of its upload until the response begins`() {
        call.beginHop(expectedToSend: 10)
        #expect(progress.current == progress.upload && progress.fractionCompleted == 0)
        call.update { $0.sent = 5 }
        #expect(progress.fractionCompleted == 0.5)
        // All is sent, and the server has not responded yet.
        call.update { $0.sent = 10 }
        #expect(progress.current == progress.upload && progress.fractionCompleted == 1)
        call.update { $0.expectedToArrive = 4 }
        #expect(progress.current == progress.download && progress.fractionCompleted == 0)
        call.update { $0.arrived = 4 }
        #expect(progress.fractionCompleted == 1 && progress.upload.fractionCompleted == 1)
    }

    @Test(arguments: [nil, 0])
    func `the fraction of a call without a body is that of its download`(expected: Int?) {
        call.beginHop(expectedToSend: expected)
        #expect(progress.current == progress.download && progress.fractionCompleted == nil)
        call.update {
            $0.expectedToArrive = 4
            $0.arrived = 1
        }
        #expect(progress.fractionCompleted == 0.25)
    }

    @Test func `the fraction of an upload without a length is not known`() {
        call.beginHop(expectedToSend: nil)
        call.update { $0.sent = 5 }
        #expect(progress.current == progress.upload && progress.fractionCompleted == nil)
        call.update { $0.arrived = 1 }
        #expect(progress.current == progress.download)
    }

    @Test(arguments: [(0, 0, 1.0), (0, 4, 0), (1, 4, 0.25), (4, 4, 1), (5, 4, 1), (5, -1, 1), (-5, 4, 0)])
    func `a fraction is between 0 and 1`(completed: Int, total: Int, fraction: Double) {
        let transfer = TransferProgress(completed: completed, total: total)
        #expect(transfer.fractionCompleted == fraction)
    }

    @Test func `counts at the ends of the integers do not overflow`() {
        let transfer = TransferProgress(completed: .min, total: .max, bytesPerSecond: 1)
        #expect(transfer.estimatedTimeRemaining == nil && transfer.fractionCompleted == 0)
    }
}
