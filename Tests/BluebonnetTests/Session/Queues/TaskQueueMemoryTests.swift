import Bluebonnet
import Testing

/// The memory of tasks that wait in a queue.
@Suite(.timeLimit(.minutes(5)))
struct TaskQueueMemoryTests {
    @Test func `ten thousand tasks that wait in a queue take little memory`() async throws {
        // In a separate process, where other tests do not use memory.
        await #expect(processExitsWith: .success) {
            try await withSession(SessionConfiguration()) { session in
                let queue = TaskQueue()
                queue.suspend()
                queue.add(session.dataTask(for: try Request(to: "https://example.com/first")))
                let before = try peakMemory()
                let tasks = try (0..<10_000).map {
                    session.dataTask(for: try Request(to: "https://host\($0 % 100).example/\($0)"))
                }
                queue.add(tasks)
                let growth = try peakMemory() - before
                #expect(queue.count == 10_001 && session.tasks.count == 10_001)
                #expect(growth < 60_000_000, "the process grew by \(growth) bytes")
                queue.cancelAllTasks()
                #expect(queue.count == 0)
            }
        }
    }
}
