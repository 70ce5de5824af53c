import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Queues and batches of tasks, through sockets and stub transports.
@Suite(.timeLimit(.minutes(5)))
struct TaskQueueTests {
    /// Notes the requests, and responds when the gate of their path is opened; to `/fail` with an
    /// error.
    private final class Recorder: Transport {
        private let log = EventLog<String>()
        private let waiting = Mutex<[String: CheckedContinuation<Void, Never>]>([:])
        private let opened = Mutex<Set<String>>([])
        let atOnce: Bool

        init(atOnce: Bool = false) {
            self.atOnce = atOnce
        }

        var paths: [String] { log.events }

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            let path = request.url.path(percentEncoded: true)
            log.append(path)
            if !atOnce {
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let isOpen = opened.withLock { opened in
                            if !opened.contains(path) { waiting.withLock { $0[path] = continuation } }
                            return opened.contains(path)
                        }
                        if isOpen { continuation.resume() }
                    }
                } onCancel: {
                    open(path)
                }
            }
            if path == "/fail" { throw NetworkingError(.connectionLost, "lost") }
            return TransportResponse(head: ResponseHead(status: .ok), body: .data(Data(path.utf8)), request: request)
        }

        func open(_ path: String) {
            let continuation = opened.withLock { opened in
                opened.insert(path)
                return waiting.withLock { $0.removeValue(forKey: path) }
            }
            continuation?.resume()
        }

        func wait(for count: Int) async throws {
            try await until("\(count) requests") { self.paths.count >= count }
        }
    }

    private func task(
        _ path: String,
        _ session: SessionManager,
        host: String = "example.com",
        _ priority: RequestPriority? = nil
    ) throws -> DataTask<Data> {
        var request = try Request(to: "http://\(host)\(path)")
        request.properties.priority = priority
        return session.dataTask(for: request)
    }

    @Test func `a queue runs so many tasks at a time, in their order`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 2)
            let tasks = try (1...4).map { try task("/\($0)", session) }
            for task in tasks { queue.add(task) }
            try await transport.wait(for: 2)
            #expect(queue.runningCount == 2 && queue.count == 4 && tasks[2].state == .suspended)
            transport.open("/2")
            try await transport.wait(for: 3)
            #expect(transport.paths.prefix(2).sorted() == ["/1", "/2"] && transport.paths.last == "/3")
            for path in ["/1", "/3", "/4"] { transport.open(path) }
            for (index, task) in tasks.enumerated() {
                let value = try await task.value
                #expect(value == Data("/\(index + 1)".utf8))
            }
            try await until("the queue is empty") { queue.count == 0 && queue.runningCount == 0 }
        }
    }

    @Test func `urgent tasks come first, and a priority can change while a task waits`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 1)
            let (first, low, normal, late, later) = (
                try task("/first", session), try task("/low", session, .background), try task("/normal", session),
                try task("/late", session), try task("/later", session)
            )
            for task in [first, low, normal, late, later] { queue.add(task) }
            late.priority = .responsive
            queue.setPriority(.responsive, of: later)
            for path in ["/late", "/later", "/normal", "/low", "/first"] { transport.open(path) }
            for task in [first, low, normal, late, later] { _ = try await task.value }
            #expect(transport.paths == ["/first", "/late", "/later", "/normal", "/low"])
        }
    }

    @Test func `a task starts after the tasks that it waits for, also when they fail`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue()
            let (failing, elsewhere, last) = (
                try task("/fail", session), try task("/elsewhere", session), try task("/last", session)
            )
            queue.add(failing)
            try queue.add(last, after: [failing, elsewhere])
            elsewhere.resume()
            try await transport.wait(for: 2)
            transport.open("/fail")
            let error = try await networkingError { _ = try await failing.value }
            #expect(error.code == .connectionLost && last.state == .suspended)
            for path in ["/elsewhere", "/last"] { transport.open(path) }
            _ = try await last.value
            #expect(transport.paths.last == "/last")
        }
    }

    @Test func `tasks that would wait for each other are refused`() async throws {
        try await withSession(transport: Recorder(atOnce: true)) { session in
            let queue = TaskQueue()
            let (first, second, third) = (try task("/1", session), try task("/2", session), try task("/3", session))
            try queue.add(second, after: [first])
            try queue.add(third, after: [second])
            let error = try await networkingError { try queue.add(first, after: [third]) }
            #expect(error.code == .invalidRequest && error.message.contains("wait"))
            let own = try await networkingError { try queue.add(first, after: [first]) }
            #expect(own.code == .invalidRequest)
            queue.add(first)
            _ = try await third.value
        }
    }

    @Test func `a cancelled task leaves the queue, and the others go on`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 1)
            let tasks = try (1...3).map { try task("/\($0)", session) }
            for task in tasks { queue.add(task) }
            try await transport.wait(for: 1)
            tasks[1].cancel()
            #expect(queue.count == 2)
            tasks[0].cancel()
            transport.open("/3")
            _ = try await tasks[2].value
            #expect(transport.paths == ["/1", "/3"])
        }
    }

    @Test func `cancelling all tasks starts none of them`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 2)
            let batch = queue.add(try (1...50).map { try task("/\($0)", session) })
            try await transport.wait(for: 2)
            queue.cancelAllTasks()
            await batch.finish()
            #expect(batch.currentProgress == BatchProgress(finished: 50, failed: 50, total: 50))
            #expect(transport.paths.sorted() == ["/1", "/2"] && queue.count == 0)
        }
    }

    @Test func `a suspended queue starts nothing until it is resumed`() async throws {
        let transport = Recorder(atOnce: true)
        try await withSession(transport: transport) { session in
            let queue = TaskQueue()
            queue.suspend()
            let task = try task("/1", session)
            queue.add(task)
            #expect(queue.runningCount == 0 && queue.tasks.count == 1 && task.state == .suspended)
            queue.resume()
            _ = try await task.value
        }
    }

    @Test func `hosts share the queue`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 2)
            let many = try (1...4).map { try task("/a\($0)", session, host: "a.example") }
            let few = try (1...2).map { try task("/b\($0)", session, host: "b.example") }
            let batch = queue.add(many + few)
            for path in (1...4).map({ "/a\($0)" }) + ["/b1", "/b2"] { transport.open(path) }
            await batch.finish()
            #expect(transport.paths.prefix(2).sorted() == ["/a1", "/b1"])
        }
    }

    // MARK: Batches

    @Test func `a batch tells how many tasks are over, in order, and then that all are`() async throws {
        try await withSession(transport: Recorder(atOnce: true)) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 3)
            queue.suspend()
            let batch = queue.add(try (1...20).map { try task($0 == 7 ? "/fail" : "/\($0)", session) })
            let log = EventLog<Int>()
            batch.onProgress { log.append($0.finished) }
            let last: BatchProgress = await withCheckedContinuation { continuation in
                batch.whenComplete { progress in
                    log.append(-1)
                    continuation.resume(returning: progress)
                }
                queue.resume()
            }
            #expect(log.events == Array(1...20) + [-1] && last == batch.currentProgress)
            #expect(batch.tasks.count == 20 && batch.tasks.allSatisfy { $0.state == .completed })
            #expect(batch.currentProgress.failed == 1 && batch.currentProgress.fractionCompleted == 1)
        }
    }

    @Test func `an empty batch is finished`() async {
        let batch = TaskQueue().add([])
        await batch.finish()
        let calls = Counter()
        batch.onProgress { _ in calls.increment() }
        batch.whenComplete { _ in calls.increment() }
        for await _ in batch.progress { calls.increment() }
        #expect(calls.value == 1 && batch.currentProgress.isFinished && batch.tasks.isEmpty)
    }

    @Test func `a batch of tasks that are started elsewhere counts them too`() async throws {
        try await withSession(transport: Recorder(atOnce: true)) { session in
            let tasks = try (1...3).map { try task("/\($0)", session) }
            let batch = TaskBatch(tasks + tasks)
            for task in tasks { task.resume() }
            await batch.finish()
            #expect(batch.currentProgress == BatchProgress(finished: 3, total: 3))
        }
    }

    @Test func `cancelling who waits for a batch cancels its tasks`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let batch = TaskQueue(maximumConcurrentTasks: 1).add(try (1...3).map { try task("/\($0)", session) })
            let waiter = Task { await batch.finish() }
            try await transport.wait(for: 1)
            waiter.cancel()
            await waiter.value
            #expect(batch.currentProgress.failed == 3 && transport.paths == ["/1"])
        }
    }

    // MARK: Lifetimes

    @Test func `a queue that nobody holds goes on while one of its tasks runs`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let tasks = try (1...3).map { try task("/\($0)", session) }
            do {
                let queue = TaskQueue(maximumConcurrentTasks: 1)
                for task in tasks { queue.add(task) }
            }
            for path in ["/1", "/2", "/3"] { transport.open(path) }
            for task in tasks { _ = try await task.value }
            #expect(transport.paths == ["/1", "/2", "/3"])
        }
    }

    @Test func `a queue is released when its tasks are over, and a suspended one cancels them`() async throws {
        try await withSession(transport: Recorder(atOnce: true)) { session in
            weak var released: TaskQueue?
            weak var waiting: DataTask<Data>?
            let batches = Counter()
            do {
                let queue = TaskQueue()
                released = queue
                let done = try task("/1", session)
                queue.add(done)
                _ = try await done.value
                try await until("the queue is empty") { queue.count == 0 }
                queue.suspend()
                let task = try task("/2", session)
                waiting = task
                queue.add([task]).whenComplete { _ in batches.increment() }
            }
            try await until("the queue is released") { released == nil && waiting == nil }
            #expect(session.tasks.isEmpty && batches.value == 1)
        }
    }

    @Test func `a batch that nobody started is released with its tasks`() async throws {
        try await withSession(transport: Recorder(atOnce: true)) { session in
            weak var waiting: DataTask<Data>?
            let ends = Counter()
            do {
                let task = try task("/1", session)
                waiting = task
                TaskBatch([task]).whenComplete { progress in ends.add(progress.failed) }
            }
            #expect(waiting == nil && ends.value == 1 && session.tasks.isEmpty)
        }
    }

    @Test func `awaiting a task of a queue waits for its turn`() async throws {
        let transport = Recorder(atOnce: true)
        try await withSession(transport: transport) { session in
            let queue = TaskQueue()
            queue.suspend()
            let (first, second) = (try task("/1", session), try task("/2", session))
            try queue.add(second, after: [first])
            queue.add(first)
            let readers = [second, first].map { task in Task { try await task.value } }
            for _ in 0..<20 { await Task.yield() }
            #expect(transport.paths.isEmpty)
            queue.resume()
            for reader in readers { _ = try await reader.value }
            #expect(transport.paths == ["/1", "/2"])
        }
    }

    @Test func `a task that its user starts runs beside those of its queue`() async throws {
        let transport = Recorder(atOnce: true)
        try await withSession(transport: transport) { session in
            let queue = TaskQueue()
            queue.suspend()
            let task = try task("/1", session)
            queue.add(task)
            task.resume()
            _ = try await task.value
            try await until("the queue is empty") { queue.count == 0 }
        }
    }

    @Test func `a task that its user suspended stays so when its turn comes`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue()
            queue.suspend()
            let task = try task("/1", session)
            queue.add(task)
            task.resume()
            try await transport.wait(for: 1)
            task.suspend()
            queue.resume()
            #expect(task.state == .suspended)
            task.resume()
            transport.open("/1")
            _ = try await task.value
            try await until("the queue is empty") { queue.count == 0 }
        }
    }

    @Test func `a queue that nobody holds waits for a task elsewhere`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let (elsewhere, last) = (try task("/elsewhere", session), try task("/last", session))
            do { try TaskQueue().add(last, after: [elsewhere]) }
            elsewhere.resume()
            for path in ["/elsewhere", "/last"] { transport.open(path) }
            _ = try await last.value
            #expect(transport.paths == ["/elsewhere", "/last"])
        }
    }

    @Test func `cancelling tasks that wait for each other starts none`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue()
            let tasks = try (0..<30).map { try task("/\($0)", session) }
            queue.add(tasks[0])
            for index in 1..<30 { try queue.add(tasks[index], after: [tasks[index - 1]]) }
            try await transport.wait(for: 1)
            queue.cancelAllTasks()
            for task in tasks { _ = await task.result }
            #expect(transport.paths == ["/0"])
            let one = TaskQueue(maximumConcurrentTasks: 1)
            let urgent = try task("/urgent", session, .responsive)
            let batch = one.add(try (50..<99).map { try task("/\($0)", session) } + [urgent])
            try await transport.wait(for: 2)
            batch.cancel()
            await batch.finish()
            #expect(transport.paths == ["/0", "/urgent"])
        }
    }

    @Test func `a task that waits can be told to wait for another one, and one that runs cannot`() async throws {
        let transport = Recorder()
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 1)
            let (first, second, third) = (try task("/1", session), try task("/2", session), try task("/3", session))
            for task in [first, second, third] { queue.add(task) }
            try queue.add(second, after: [third])
            let error = try await networkingError { try queue.add(first, after: [third]) }
            #expect(error.code == .invalidRequest && error.message.contains("under way"))
            for path in ["/1", "/2", "/3"] { transport.open(path) }
            _ = try await second.value
            #expect(transport.paths == ["/1", "/3", "/2"])
        }
    }

    @Test func `a task over already and a dependency over already are no obstacle`() async throws {
        try await withSession(transport: Recorder(atOnce: true)) { session in
            let (over, other, last) = (try task("/1", session), try task("/2", session), try task("/3", session))
            _ = try await over.value
            _ = try await other.value
            let queue = TaskQueue()
            queue.add(over)
            try queue.add(last, after: [over, other])
            _ = try await last.value
            try await until("the queue is empty") { queue.count == 0 }
        }
    }

    @Test func `ten thousand tasks of a thousand hosts run once each`() async throws {
        let transport = Recorder(atOnce: true)
        try await withSession(transport: transport) { session in
            let queue = TaskQueue(maximumConcurrentTasks: 16, maximumConcurrentTasksPerHost: 2)
            let tasks = try (0..<10_000).map { try task("/\($0)", session, host: "host\($0 % 1000).example") }
            let batch = queue.add(tasks)
            await batch.finish()
            #expect(batch.currentProgress == BatchProgress(finished: 10_000, total: 10_000))
            #expect(Set(transport.paths).count == 10_000 && transport.paths.count == 10_000)
        }
    }

    @Test func `tasks of a queue go through sockets`() async throws {
        try await FaultServer.run(.requests { request in [.respond(200, body: request.target)] }) { server in
            try await withSession { session in
                let queue = TaskQueue(maximumConcurrentTasks: 8)
                let tasks = try (0..<200).map { try session.dataTask(for: Request(to: "\(server.baseURL)/\($0)")) }
                await queue.add(tasks).finish()
                for (index, task) in tasks.enumerated() {
                    let value = try await task.value
                    #expect(value == Data("/\(index)".utf8))
                }
                #expect(server.connections.count <= 8)
            }
        }
    }
}
