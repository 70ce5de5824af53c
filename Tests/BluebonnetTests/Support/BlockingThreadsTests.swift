import Dispatch
import Synchronization
import Testing

@testable import Bluebonnet

/// Threads for calls that block: as many as are needed, up to a limit. Idle ones end.
@Suite(.timeLimit(.minutes(5)))
struct BlockingThreadsTests {
    @Test func `blocking work that hangs does not delay other work`() async throws {
        let threads = BlockingThreads(limit: 64)
        let gate = DispatchSemaphore(value: 0)
        let begun = Counter()
        for _ in 0..<40 {
            threads.submit { _ in
                begun.increment()
                gate.wait()
            }
        }
        let result = try await threads.run { 42 }
        #expect(result == 42)
        try await until("all forty hang") { begun.value == 40 }
        #expect(threads.count >= 40)
        for _ in 0..<40 { gate.signal() }
    }

    @Test func `blocking work beyond the thread limit waits for its turn and is done`() async throws {
        let threads = BlockingThreads(limit: 2)
        let gate = DispatchSemaphore(value: 0)
        let (begun, done) = (Counter(), Counter())
        for _ in 0..<20 {
            threads.submit { _ in
                begun.increment()
                gate.wait()
                done.increment()
            }
        }
        try await until("two hang") { begun.value == 2 }
        #expect(threads.count == 2)
        for number in 1...20 {
            gate.signal()
            try await until("\(number) are done") { done.value == number }
        }
        #expect(threads.count == 2 && begun.value == 20)
    }

    @Test func `idle blocking threads end, and new work starts new ones`() async throws {
        let threads = BlockingThreads(limit: 8, idleTime: .milliseconds(5))
        for _ in 0..<3 {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<50 { group.addTask { try await threads.run { number } } }
                let sum = try await group.reduce(0, +)
                #expect(sum == 1225)
            }
            try await until("no thread is left") { threads.count == 0 }
        }
    }

    @Test func `blocking work may arrive at any moment while idle threads end`() async throws {
        let threads = BlockingThreads(limit: 4, idleTime: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        let result = try await threads.run { number }
                        #expect(result == number)
                    }
                }
            }
            try await group.waitForAll()
        }
        try await until("no thread is left") { threads.count == 0 }
    }

    @Test func `a cancelled task begins no blocking work except to clean up`() async throws {
        let threads = BlockingThreads(limit: 1)
        let ran = Counter()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await #expect(throws: CancellationError.self) {
                try await threads.run { _ = ran.increment() }
            }
            await #expect(throws: CancellationError.self) {
                try await threads.runUntilCancelled { _ in _ = ran.increment() }
            }
            #expect(ran.value == 0)
            try await threads.runEvenIfCancelled { _ = ran.increment() }
        }
        task.cancel()
        try await task.value
        #expect(ran.value == 1)
    }

    @Test func `a cancelled call of blocking work returns at once, and the work is told`() async throws {
        let threads = BlockingThreads(limit: 1)
        let (begun, ended) = (Counter(), Counter())
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await threads.runUntilCancelled { isWanted in
                begun.increment()
                gate.wait()
                if !isWanted() { ended.increment() }
            }
        }
        try await until("the work has begun") { begun.value == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ended.value == 0)
        gate.signal()
        try await until("the work has ended") { ended.value == 1 }
    }
}
