import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import BluebonnetFoundation

/// Foundation's progress of a task. It is read on the queue on which it changes.
@Suite(.timeLimit(.minutes(5)))
struct ValueTaskProgressTests {
    private let queue = DispatchQueue(label: "progress")

    /// Waits until what is read on the queue is so.
    private func wait(
        _ what: String,
        _ condition: @escaping @Sendable () -> Bool
    ) async throws {
        try await until(what) { queue.sync(execute: condition) }
    }

    @Test func `the progress of a download follows the task and is finished with it`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcd"), .hold(gate), .send("efghij"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.downloadProgress(on: queue)
                #expect(queue.sync { progress.isIndeterminate && progress.isCancellable && progress.isPausable })
                task.resume()
                try await wait("4 of 10") { progress.completedUnitCount == 4 && progress.totalUnitCount == 10 }
                #expect(queue.sync { progress.fractionCompleted } == 0.4)
                gate.open()
                _ = try await task.value
                try await wait("the end") { progress.isFinished && progress.completedUnitCount == 10 }
            }
        }
    }

    @Test func `the progress of a download does not take its result from the journal`() async throws {
        let store = MemoryTransferStore()
        try await FaultServer.run(.requests { _ in [.respond(body: "hello")] }) { server in
            try await withDirectory { directory in
                try await withJournal(in: store) { session in
                    let file = directory.appending(path: "a")
                    let task = session.downloadTask(for: try Request(to: server.baseURL), to: file)
                    let progress = task.downloadProgress(on: queue)
                    task.resume()
                    try await wait("the end") { progress.isFinished && progress.completedUnitCount == 5 }
                    await session.synchronizeTransfers()
                    #expect(store.identifiers == [task.identifier])
                }
                // The next session has the result, and so has its progress.
                try await withJournal(in: store, { $0.resumesTransfers = true }) { session in
                    let task = try #require(session.restoredTasks.first as? DownloadTask)
                    let progress = task.downloadProgress(on: queue)
                    try await wait("the end") { progress.isFinished }
                    await session.synchronizeTransfers()
                    #expect(store.identifiers == [task.identifier])
                    _ = try await task.value
                    await session.synchronizeTransfers()
                    #expect(store.identifiers.isEmpty)
                }
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a body of unknown length is finished at the end, and an upload counts its own body`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabcd"), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(.post, to: server.baseURL, body: .string("0123456")))
                let (up, down) = (task.uploadProgress(on: queue), task.downloadProgress(on: queue))
                _ = try await task.value
                try await wait("both ends") { up.isFinished && down.isFinished }
                #expect(queue.sync { up.completedUnitCount } == 7 && queue.sync { down.completedUnitCount } == 4)
            }
        }
    }

    @Test func `a progress that is finished has all bytes`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "abcd")] }) { server in
            try await withSession { session in
                for _ in 0..<300 {
                    let task = session.dataTask(for: try Request(.post, to: server.baseURL, body: .string("0123456")))
                    let (up, down) = (task.uploadProgress(on: queue), task.downloadProgress(on: queue))
                    _ = try await task.value
                    try await wait("both ends") { up.isFinished && down.isFinished }
                    let counts = queue.sync { [up.completedUnitCount, down.completedUnitCount] }
                    try #require(counts == [7, 4])
                }
            }
        }
    }

    @Test func `the progress of a failed task is not finished`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcd"), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.downloadProgress(on: queue)
                _ = try? await task.value
                try await wait("4 of 10") { progress.completedUnitCount == 4 }
                #expect(queue.sync { progress.isFinished } == false && queue.sync { progress.fractionCompleted } == 0.4)
            }
        }
    }

    @Test func `a parent counts its children, and cancels and pauses their tasks`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"), .hold(gate), .send("cd"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let tasks = try (0..<2).map { _ in session.dataTask(for: try Request(to: server.baseURL)) }
                let whole = Progress(totalUnitCount: 2)
                queue.sync {
                    for task in tasks { whole.addChild(task.downloadProgress(on: queue), withPendingUnitCount: 1) }
                }
                for task in tasks { task.resume() }
                try await wait("both halves") { whole.fractionCompleted == 0.5 }
                queue.sync { whole.pause() }
                try await until("both pause") { tasks.allSatisfy { $0.state == .suspended } }
                queue.sync { whole.resume() }
                try await until("both go on") { tasks.allSatisfy { $0.state == .running } }
                queue.sync { whole.cancel() }
                for task in tasks {
                    guard case .failure(let error) = await task.result else {
                        Issue.record("It was not cancelled.")
                        continue
                    }
                    #expect(error.code == .cancelled)
                }
            }
        }
    }

    @Test func `lengths that change with the hops neither end the process nor finish the progress early`() async throws
    {
        let gate = FaultGate()
        let script: FaultServer.Script = .requests { request in
            switch request.target {
            case "/first":
                [
                    .send("HTTP/1.1 302 Found\r\nLocation: /second\r\nContent-Length: 154\r\n\r\n"),
                    .fill(0x78, count: 154),
                ]
            case "/second":
                [.hold(gate), .send("HTTP/1.1 302 Found\r\nLocation: /empty\r\nContent-Length: 3\r\n\r\nabc")]
            default: [.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
            }
        }
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let tasks = try (0..<2).map { _ in session.dataTask(for: try Request(to: "\(server.baseURL)/first")) }
                let whole = Progress(totalUnitCount: 2)
                queue.sync {
                    for task in tasks { whole.addChild(task.downloadProgress(on: queue), withPendingUnitCount: 1) }
                }
                tasks[0].resume()
                try await server.waitForRequests(2)
                #expect(queue.sync { whole.fractionCompleted } < 0.5)
                gate.open()
                _ = try await tasks[0].value
                try await wait("the first one") { whole.fractionCompleted == 0.5 }
                _ = try await tasks[1].value
                try await wait("both") { whole.isFinished }
            }
        }
    }

    /// Which of these a task reports is a matter of time: it reports ten times a second.
    @Test func `whatever lengths a task reports, its progress and the whole are finished at its end`() async throws {
        let reports: [(completed: Int, total: Int?)] = [
            (0, nil), (0, 154), (60, 154), (154, 154), (0, nil), (0, 3), (3, 3), (0, 0), (0, nil),
        ]
        try await withSession { session in
            let task = session.dataTask(for: try Request(to: "http://127.0.0.1/"))
            for choice in 0..<(1 << reports.count) {
                let follower = ProgressFollower(task, queue)
                queue.sync {
                    let whole = Progress(totalUnitCount: 2)
                    whole.addChild(follower.progress, withPendingUnitCount: 1)
                    for (place, report) in reports.enumerated() where choice >> place & 1 == 1 {
                        follower.update(TransferProgress(completed: report.completed, total: report.total))
                        #expect(!follower.progress.isFinished && (0..<0.5).contains(whole.fractionCompleted))
                        #expect(follower.progress.isIndeterminate == ((report.total ?? 0) == 0))
                    }
                    follower.finish()
                    #expect(follower.progress.isFinished && whole.completedUnitCount == 1, "\(choice)")
                    #expect(whole.fractionCompleted == 0.5, "\(choice)")
                }
            }
        }
    }

    @Test func `a refused response that came whole does not finish the progress`() async throws {
        try await FaultServer.run([.readRequest, .respond(404, body: "gone")]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL), as: .string)
                let progress = task.downloadProgress(on: queue)
                _ = try? await task.value
                try await wait("the bytes") { progress.completedUnitCount == 3 }
                #expect(queue.sync { progress.isFinished } == false)
            }
        }
    }

    @Test func `pausing and resuming the progress of a task that was not started does not start it`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "x")]) { server in
            try await withSession { session in
                let task = session.dataTask(for: try Request(to: server.baseURL))
                let progress = task.downloadProgress(on: queue)
                queue.sync { progress.pause() }
                queue.sync { progress.resume() }
                for _ in 0..<10 { queue.sync {} }
                #expect(task.state == .suspended && server.requests.isEmpty)
                _ = try await task.value
                try await wait("the end") { progress.isFinished }
            }
        }
    }

    @Test func `a progress is finished also when nobody holds its task`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "hello")] }) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                for _ in 0..<100 {
                    let progress = started(request, session)
                    try await wait("the end") { progress.isFinished }
                }
            }
        }
    }

    private func started(_ request: Request, _ session: SessionManager) -> Progress {
        let task = session.dataTask(for: request)
        defer { task.resume() }
        return task.downloadProgress(on: queue)
    }

    @Test func `a progress is no child of the current one of its thread`() async throws {
        try await withSession { session in
            let task = session.dataTask(for: try Request(to: "http://127.0.0.1:9/"))
            let (progress, whole) = (
                queue.sync { madeProgress(of: task, within: Progress(totalUnitCount: 1)) }, Progress(totalUnitCount: 1)
            )
            whole.addChild(progress, withPendingUnitCount: 1)
            queue.sync { whole.cancel() }
            try await until("it is cancelled") { task.state == .completed }
        }
    }

    /// The progress of a task, made while another one is the current one of the thread.
    private func madeProgress(of task: DataTask<Data>, within outer: Progress) -> Progress {
        outer.becomeCurrent(withPendingUnitCount: 1)
        defer { outer.resignCurrent() }
        return task.downloadProgress(on: queue)
    }
}
