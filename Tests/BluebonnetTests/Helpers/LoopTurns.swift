import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Bluebonnet

/// Counts the turns of the event loop on which it was started.
private final class LoopTurns: Sendable {
    private let state = Mutex((count: 0, isOver: false))
    private let eventLoop: any EventLoop

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        next()
    }

    var count: Int { state.withLock { $0.count } }

    func stop() {
        state.withLock { $0.isOver = true }
    }

    /// With timers: a task that the loop runs again and again would keep it from its sockets.
    private func next() {
        eventLoop.scheduleTask(in: .microseconds(50)) {
            let goesOn = self.state.withLock { state in
                state.count += 1
                return !state.isOver
            }
            if goesOn { self.next() }
        }
    }
}

/// The turns of an event loop while a task on it does the work. Expects that the task is on a loop
/// again afterwards. Work that computes on the loop leaves no turns.
func loopTurns(during work: () async throws -> Void) async throws -> Int {
    try await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
        let turns = LoopTurns(on: try #require(MultiThreadedEventLoopGroup.currentEventLoop))
        defer { turns.stop() }
        let before = turns.count
        try await work()
        #expect(EventLoopTaskExecutor.isRunningOnEventLoop)
        return turns.count - before
    }
}
