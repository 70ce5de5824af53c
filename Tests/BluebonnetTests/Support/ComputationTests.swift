import BluebonnetTesting
import Dispatch
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(3)))
struct ComputationTests {
    /// Parses until the test has it end, as an image without an end does.
    private struct Endless: ResponseSerializer {
        final class Bodies: Sendable {
            private let counts = Mutex((now: 0, most: 0))
            private let end = DispatchSemaphore(value: 0)

            var now: Int { counts.withLock(\.now) }
            var most: Int { counts.withLock(\.most) }

            func parse() {
                counts.withLock { counts in
                    counts.now += 1
                    counts.most = max(counts.most, counts.now)
                }
                end.wait()
                counts.withLock { $0.now -= 1 }
            }

            func end(_ count: Int) { for _ in 0..<count { end.signal() } }
        }

        let bodies: Bodies

        var isLengthy: Bool { true }

        func serialize(_ body: Data, head: ResponseHead, request: Request) throws(NetworkingError) -> Bool {
            bodies.parse()
            return EventLoopTaskExecutor.isRunningOnEventLoop
        }
    }

    @Test func `lengthy bodies are parsed as many at a time as there are cores, and stop no Swift task`() async throws {
        let (bodies, count) = (Endless.Bodies(), System.coreCount + 3)
        try await withSession(transport: StubTransport { _ in .text("1") }) { session in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        try await session.response(for: Request(to: "http://x/"), as: Endless(bodies: bodies)).value
                    }
                }
                defer { bodies.end(count) }
                // On the threads of the runtime, this would not go on.
                try await until("each core has a body") { bodies.now == System.coreCount }
                bodies.end(count)
                for try await isOnEventLoop in group { #expect(!isOnEventLoop) }
            }
        }
        #expect(bodies.most == System.coreCount)
    }
}
