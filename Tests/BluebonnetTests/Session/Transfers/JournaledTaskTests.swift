import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads of sessions with a journal, over real sockets; the next session has the
/// same store, as that of the next process would.
@Suite(.timeLimit(.minutes(3)))
struct JournaledTaskTests {
    private static let bytes = RangeResponses.bytes(300_000)
    /// The bytes that a server sends before it sends no more.
    private static let stalled = 100_000

    /// Runs a server, whose responses the body may change, with a folder and a store.
    private func withServer(
        _ responses: RangeResponses = RangeResponses(bytes: bytes),
        _ body: (FaultServer, Shared, URL, MemoryTransferStore) async throws -> Void
    ) async throws {
        let shared = Shared(responses)
        try await FaultServer.run(.requests { request in shared.steps(request) }) { server in
            try await withDirectory { directory in
                try await body(server, shared, directory, MemoryTransferStore())
            }
        }
    }

    private final class Shared: Sendable {
        private let value: Mutex<RangeResponses>
        private let stalls = Mutex(false)

        init(_ responses: RangeResponses) {
            value = Mutex(responses)
        }

        /// The steps for a request. A body that is cut ends with the connection, or not at all.
        func steps(_ request: FaultServer.Request) -> [FaultStep] {
            let steps = value.withLock { $0.steps(request) }
            return stalls.withLock { $0 } && steps.count > 1 ? [steps[0], .stall] : steps
        }

        func stall(after count: Int?) {
            value.withLock { $0.cut = count }
            stalls.withLock { $0 = count != nil }
        }

        func withLock<Result: Sendable>(_ body: (inout RangeResponses) -> Result) -> Result {
            value.withLock { body(&$0) }
        }
    }

    private final class Reports: TaskObserver {
        let log = EventLog<TaskReport>()

        func taskDidEnd(_ report: TaskReport) { log.append(report) }
    }

    private func over(_ task: any SessionTask) async throws {
        try await until("the task is over") { task.state == .completed }
    }

    /// Returns when so many bytes are in the partial file of a target.
    private func came(_ count: Int, of target: URL) async throws {
        try await until("bytes came") { (try? SystemFile.size(of: target.path + ".bluebonnet")) == count }
    }

    // MARK: Downloads

    @Test func `a download that the end of a session stopped is given back, and goes on where it was`() async throws {
        try await withServer { server, responses, directory, store in
            let file = directory.appending(path: "a")
            let identifier = try await withJournal(in: store) { session in
                // One that nobody keeps is not one of the next session.
                _ = session.downloadTask(for: try Request(to: server.baseURL + "/never"), to: file)
                var request = try Request(to: server.baseURL + "/a")
                request.taskDescription = "the first"
                request.headerFields[.authorization] = "Bearer x"
                let task = session.downloadTask(for: request, to: .file(file, options: .createDirectories))
                task.priority = .background
                responses.stall(after: Self.stalled)
                task.resume()
                try await came(Self.stalled, of: file)
                session.invalidate()
                let error = try await networkingError { try await task.value }
                #expect(error.code == .sessionInvalidated)
                return task.identifier
            }
            #expect(store.identifiers == [identifier])
            responses.stall(after: nil)
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                #expect(session.restoredTasks.count == 1)
                #expect(session.downloadTasks.map(\.identifier) == [identifier])
                #expect(task.identifier == identifier)
                #expect(task.state == .suspended)
                #expect(task.taskDescription == "the first")
                #expect(task.originalRequest.headerFields[.authorization] == "Bearer x")
                #expect(task.priority == .background)
                let other = session.downloadTask(for: try Request(to: server.baseURL + "/b"), to: file)
                #expect(other.identifier > identifier)
                other.cancel()
                #expect(try await task.value.path == file.path)
                #expect(session.restoredTasks.isEmpty)
            }
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(server.requests.last?.value(of: "Range") == "bytes=\(Self.stalled)-")
            #expect(store.identifiers == [])
            #expect(try names(in: directory) == ["a"])
        }
    }

    @Test func `a download into a folder finds its partial file again`() async throws {
        var responses = RangeResponses(bytes: Self.bytes)
        responses.headers = [("Content-Disposition", "attachment; filename=\"named.bin\"")]
        try await withServer(responses) { server, shared, directory, store in
            shared.stall(after: Self.stalled)
            try Data("old".utf8).write(to: directory.appending(path: "named.bin"))
            try await withJournal(in: store) { session in
                let task = session.downloadTask(for: try Request(to: server.baseURL + "/a"), to: .folder(directory))
                task.resume()
                try await came(Self.stalled, of: directory.appending(path: "named.bin"))
                await session.synchronizeTransfers()
            }
            shared.stall(after: nil)
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                #expect(try await task.value.lastPathComponent == "named 2.bin")
            }
            #expect(try names(in: directory) == ["named 2.bin", "named.bin"])
            #expect(try Data(contentsOf: directory.appending(path: "named 2.bin")) == Data(Self.bytes))
            #expect(server.requests.last?.value(of: "Range") != nil)
        }
    }

    @Test func `a result that nobody took is given again, without a request`() async throws {
        try await withServer { server, _, directory, store in
            let file = directory.appending(path: "a")
            try await withJournal(in: store) { session in
                let task = session.downloadTask(for: try Request(to: server.baseURL + "/a"), to: file)
                task.resume()
                try await over(task)
            }
            #expect(store.identifiers == [1])
            let reports = Reports()
            try await withJournal(in: store) {
                $0.observers = [reports]
            } _: { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                let response = try await task.response
                #expect(response.value.path == file.path)
                #expect(response.head[.eTag] == "\"v1\"")
            }
            #expect(reports.log.events.map(\.file?.path) == [file.path])
            #expect(server.requests.count == 1)
            #expect(store.identifiers == [])
        }
    }

    @Test(arguments: [false, true])
    func `the watch of a queue or a batch takes no result`(isBatch: Bool) async throws {
        try await withServer { server, _, directory, store in
            try await withJournal(in: store) { session in
                let queue = TaskQueue()
                let request = try Request(to: server.baseURL + "/a")
                let task = session.downloadTask(for: request, to: directory.appending(path: "a"))
                if isBatch {
                    let batch = queue.add([task])
                    await batch.finish()
                    #expect(batch.currentProgress == BatchProgress(finished: 1, total: 1))
                } else {
                    queue.add(task)
                    try await until("it is over") { queue.count == 0 }
                }
                await session.synchronizeTransfers()
                #expect(store.identifiers == [1])
                let outcome = Mutex(false)
                task.whenComplete { _ in outcome.withLock { $0 = true } }
                #expect(outcome.withLock { $0 })
                await session.synchronizeTransfers()
                #expect(store.identifiers == [])
            }
        }
    }

    @Test(arguments: [false, true])
    func `a file that got its name before the process ended is not fetched again`(isNumbered: Bool) async throws {
        try await withServer { server, _, directory, store in
            let file = directory.appending(path: "a")
            let options: DownloadTarget.Options = isNumbered ? .uniqueName : .withoutOverwriting
            if isNumbered { try Data("old".utf8).write(to: file) }
            // The process ends before it has noted the end.
            store.refuseEnds()
            try await withJournal(in: store) { session in
                let request = try Request(to: server.baseURL + "/a")
                let task = session.downloadTask(for: request, to: .file(file, options: options))
                task.resume()
                try await over(task)
            }
            store.refuse { _, _ in false }
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                #expect(try await task.value.lastPathComponent == (isNumbered ? "a 2" : "a"))
            }
            #expect(server.requests.count == 1)
            #expect(try names(in: directory) == (isNumbered ? ["a", "a 2"] : ["a"]))
        }
    }

    /// Whether files of `/dev/shm` cannot be moved to the folder for temporary files.
    private static let hasAnotherDisk: Bool = {
        func device(_ path: String) -> Int? {
            try? FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
        }
        let (memory, temporary) = (device("/dev/shm"), device(FileManager.default.temporaryDirectory.path))
        return memory != nil && memory != temporary && FileManager.default.isWritableFile(atPath: "/dev/shm")
    }()

    @Test(.enabled(if: hasAnotherDisk))
    func `a file that was copied from another disk before the process ended is not fetched again`() async throws {
        let other = URL(filePath: "/dev/shm/bluebonnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: other) }
        try await withServer { server, responses, directory, store in
            responses.withLock { $0.cut = Self.stalled }
            let request = try Request(to: server.baseURL + "/a")
            let resumeData = try await withJournal(in: store) { session in
                let error = try await networkingError {
                    try await session.download(request, to: other.appending(path: "a"))
                }
                return try #require(error.resumeData)
            }
            responses.withLock { $0.cut = nil }
            let file = directory.appending(path: "a")
            try Data("old".utf8).write(to: file)
            store.refuseEnds()
            try await withJournal(in: store) { session in
                let target = DownloadTarget(file, options: .uniqueName)
                let task = session.downloadTask(for: request, to: target, resuming: resumeData)
                task.resume()
                try await over(task)
            }
            let count = server.requests.count
            store.refuse { _, _ in false }
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                #expect(try await task.value.lastPathComponent == "a 2")
            }
            #expect(server.requests.count == count)
            #expect(try names(in: directory) == ["a", "a 2"])
            #expect(try names(in: other) == [])
            #expect(try Data(contentsOf: directory.appending(path: "a 2")) == Data(Self.bytes))
        }
    }

    @Test func `a partial file that is gone is fetched anew, and a file that changed is the new one`() async throws {
        for isGone in [true, false] {
            try await withServer { server, responses, directory, store in
                let file = directory.appending(path: "a")
                responses.stall(after: Self.stalled)
                try await withJournal(in: store) { session in
                    let task = session.downloadTask(for: try Request(to: server.baseURL + "/a"), to: file)
                    task.resume()
                    try await came(Self.stalled, of: file)
                }
                responses.stall(after: nil)
                let new = RangeResponses.bytes(200_000, seed: 2)
                if isGone {
                    try FileManager.default.removeItem(atPath: file.path + ".bluebonnet")
                } else {
                    responses.withLock { $0 = RangeResponses(bytes: new, tag: "\"v2\"") }
                }
                try await withJournal(in: store) { session in
                    let task = try #require(session.restoredTasks.first as? DownloadTask)
                    _ = try await task.value
                }
                #expect(try Data(contentsOf: file) == Data(isGone ? Self.bytes : new))
                #expect(try names(in: directory) == ["a"])
            }
        }
    }

    @Test func `an error is a result, too`() async throws {
        try await withServer(RangeResponses(bytes: Self.bytes, cut: 100_000)) { server, responses, directory, store in
            let file = directory.appending(path: "a")
            try await withJournal(in: store) { session in
                let task = session.downloadTask(for: try Request(to: server.baseURL + "/a"), to: file)
                task.resume()
                try await over(task)
            }
            responses.withLock { $0.cut = nil }
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                let error = try await networkingError { try await task.value }
                #expect(error.code == .truncatedResponse)
                let resumeData = try #require(error.resumeData)
                #expect(resumeData.byteCount > 0)
                try await session.download(task.originalRequest, to: file, resuming: resumeData)
            }
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
            #expect(store.identifiers == [])
        }
    }

    @Test func `a transfer that was cancelled is forgotten with what was received`() async throws {
        try await withServer { server, responses, directory, store in
            responses.stall(after: Self.stalled)
            let request = try Request(to: server.baseURL + "/a")
            try await withJournal(in: store) { session in
                let running = session.downloadTask(for: request, to: directory.appending(path: "a"))
                running.resume()
                try await came(Self.stalled, of: directory.appending(path: "a"))
                let waiting = session.downloadTask(for: request, to: directory.appending(path: "b"))
                await session.synchronizeTransfers()
                #expect(store.identifiers == [1, 2])
                waiting.cancel()
                session.invalidate()
            }
            #expect(store.identifiers == [1])
            #expect(try names(in: directory) == ["a.bluebonnet"])
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? DownloadTask)
                task.cancel()
                let error = try await networkingError { try await task.value }
                #expect(error.isCancelled)
                #expect(session.restoredTasks.isEmpty)
            }
            #expect(store.identifiers == [])
            #expect(try names(in: directory) == [])
        }
    }

    @Test func `a task that is cancelled after the end of its session keeps the file of the next one`() async throws {
        try await withServer { server, responses, directory, store in
            let file = directory.appending(path: "a")
            responses.stall(after: Self.stalled)
            try await withJournal(in: store) { session in
                session.downloadTask(for: try Request(to: server.baseURL + "/a"), to: file).resume()
                try await came(Self.stalled, of: file)
            }
            var old: DownloadTask?
            try await withJournal(in: store) { old = $0.restoredTasks.first as? DownloadTask }
            let task = try #require(old)
            task.cancel()
            let error = try await networkingError { try await task.value }
            #expect(error.isCancelled)
            #expect(try names(in: directory) == ["a.bluebonnet"])
            #expect(store.identifiers == [1])
        }
    }

    // MARK: The journal

    @Test func `the end of the last transfer is told, with all results given`() async throws {
        try await withServer { server, _, directory, store in
            let finished = Mutex(0)
            try await withJournal(in: store, { $0.hooks.sessionDidFinishTransfers = { finished.withLock { $0 += 1 } } })
            { session in
                await session.finishTransfers()
                let taken = Mutex(0)
                let counts = Mutex<[Int]>([])
                let tasks = try (0..<3).map { number in
                    session.downloadTask(
                        for: try Request(to: server.baseURL + "/\(number)"),
                        to: directory.appending(path: "\(number)")
                    )
                }
                for task in tasks { task.whenComplete { _ in taken.withLock { $0 += 1 } } }
                for task in tasks { task.resume() }
                await session.finishTransfers()
                counts.withLock { $0.append(taken.withLock { $0 }) }
                #expect(counts.withLock { $0 } == [3])
                try await until("the closure was called") { finished.withLock { $0 } > 0 }
                // Of data tasks the journal knows nothing.
                _ = try await session.data(for: Request(to: server.baseURL + "/a"))
                #expect(finished.withLock { $0 } == 1)
            }
            #expect(store.identifiers == [])
        }
    }

    @Test func `two sessions cannot have one journal, and the second one can when the first has ended`() async throws {
        try await withServer { server, _, directory, store in
            let configuration = try SessionConfiguration(journalIn: store)
            let file = directory.appending(path: "a")
            let request = try Request(to: server.baseURL + "/a")
            try await withSession(configuration) { _ in
                try await withSession(configuration) { second in
                    let error = try await networkingError { try await second.download(request, to: file) }
                    #expect(error.code == .storeInUse)
                }
            }
            #expect(server.requests.isEmpty)
            try await withSession(configuration) { _ = try await $0.download(request, to: file) }
            #expect(store.identifiers == [])
        }
    }

    @Test func `a transfer that cannot be stored fails before anything is sent`() async throws {
        try await withServer { server, _, directory, store in
            try await withJournal(in: store) { session in
                let request = try Request(to: server.baseURL + "/a")
                let decided = DecidedDestination { _, _ in DownloadTarget(directory.appending(path: "a")) }
                let error = try await networkingError { try await session.download(request, to: decided) }
                #expect(error.code == .invalidRequest)
                store.refuse { _, _ in true }
                let file = directory.appending(path: "a")
                let full = try await networkingError { try await session.download(request, to: file) }
                #expect(full.code == .storeFailed)
                store.refuse { _, _ in false }
                try await session.download(request, to: file)
            }
            #expect(server.requests.count == 1)
            #expect(store.identifiers == [])
        }
    }

    @Test func `what is waiting in a queue comes back, and was not begun`() async throws {
        try await withServer { server, _, directory, store in
            let queue = TaskQueue(maximumConcurrentTasks: 1)
            queue.suspend()
            try await withJournal(in: store) { session in
                for number in 1...3 {
                    let request = try Request(to: server.baseURL + "/\(number)")
                    queue.add(session.downloadTask(for: request, to: directory.appending(path: "\(number)")))
                }
                await session.synchronizeTransfers()
                #expect(store.identifiers == [1, 2, 3])
            }
            try await withJournal(in: store, { $0.resumesTransfers = true }) { session in
                #expect(session.restoredTasks.map(\.state) == [.suspended, .suspended, .suspended])
                let next = TaskQueue(maximumConcurrentTasks: 1)
                let batch = next.add(session.restoredTasks.compactMap { $0 as? DownloadTask })
                await batch.finish()
                #expect(batch.currentProgress.failed == 0)
            }
            #expect(try names(in: directory) == ["1", "2", "3"])
        }
    }
}
