import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// What the end of a session and a full disk leave in a journal: everything whose result nobody
/// has.
@Suite(.timeLimit(.minutes(3)))
struct TransferEndTests {
    /// What a server, whose responses to `/held` wait for the gate, a folder and a store are there
    /// for.
    private struct Stage {
        let server: FaultServer
        let gate: FaultGate
        let directory: URL
        let store = MemoryTransferStore()

        func download(_ name: String, in session: SessionManager) throws -> DownloadTask {
            var request = try Request(to: server.baseURL + "/" + name)
            request.taskDescription = name
            return session.downloadTask(for: request, to: directory.appending(path: name))
        }

        /// An upload of the file `movie`.
        func upload(_ name: String, in session: SessionManager) throws -> UploadTask<Data> {
            var request = try Request(.post, to: server.baseURL + "/" + name)
            request.body = try .file(directory.appending(path: "movie"))
            return session.uploadTask(for: request)
        }

        func task(_ name: String, isUpload: Bool, in session: SessionManager) throws -> any ValueTask {
            isUpload ? try upload(name, in: session) : try download(name, in: session)
        }

        /// Has a session end that has received a result, which nobody took.
        func leaveResult(isUpload: Bool = false) async throws {
            try await withJournal(in: store) { session in
                let task = try task("a", isUpload: isUpload, in: session)
                task.resume()
                try await until("the task is over") { task.state == .completed }
                await session.synchronizeTransfers()
            }
            #expect(store.identifiers == [1])
        }
    }

    private func withStage(_ body: (Stage) async throws -> Void) async throws {
        let gate = FaultGate()
        let script = FaultServer.Script.requests { request in
            [
                request.target.hasPrefix("/held") ? .hold(gate) : nil,
                .respond(headers: [("ETag", "\"1\"")], body: "body of \(request.target)"),
            ].compactMap(\.self)
        }
        try await FaultServer.run(script) { server in
            try await withDirectory { directory in
                try Data("movie".utf8).write(to: directory.appending(path: "movie"))
                try await body(Stage(server: server, gate: gate, directory: directory))
            }
            gate.open()
        }
    }

    private func failure(of task: some ValueTask) async -> NetworkingError? {
        if case .failure(let error) = await task.result { error } else { nil }
    }

    private func failureOfRestored(in session: SessionManager) async throws -> NetworkingError? {
        await failure(of: try restored(in: session))
    }

    /// Counts what becomes of a task.
    private func count(_ outcomes: Counter, of task: some ValueTask) {
        task.whenComplete { _ in outcomes.increment() }
    }

    private func restored(in session: SessionManager) throws -> any ValueTask {
        try #require(session.restoredTasks.first as? any ValueTask)
    }

    // MARK: The end of a session

    @Test(arguments: [false, true])
    func `downloads that wait in a queue when their session ends are those of the next one`(
        isCancelling: Bool
    ) async throws {
        try await withStage { stage in
            let queue = TaskQueue(maximumConcurrentTasks: 2)
            try await withJournal(in: stage.store) { session in
                for number in 1...6 { queue.add(try stage.download("held\(number)", in: session)) }
                try await until("two have begun") { stage.server.requests.count == 2 }
                session.invalidate(cancellingTasks: isCancelling)
                stage.gate.open()
                try await until("the queue is empty") { queue.count == 0 }
                await session.synchronizeTransfers()
            }
            if isCancelling {
                #expect(stage.store.identifiers == Array(1...6))
            } else {
                // The results of the first two are there.
                #expect(stage.store.identifiers == Array(1...6))
                #expect(try names(in: stage.directory) == ["held1", "held2", "movie"])
            }
            try await withJournal(in: stage.store) { session in
                for task in session.restoredTasks.compactMap({ $0 as? DownloadTask }) { _ = try await task.value }
            }
            #expect(stage.store.identifiers == [])
            #expect(try names(in: stage.directory).count == 7)
        }
    }

    @Test(arguments: [false, true])
    func `a result whose task was stopped while it was stored is given by the next session`(
        isUpload: Bool
    ) async throws {
        try await withStage { stage in
            try await withJournal(in: stage.store) { session in
                let step = stage.store.holdResult()
                let task = try stage.task("a", isUpload: isUpload, in: session)
                task.resume()
                try await until("the result is being stored") { step.isHeld }
                session.invalidate()
                step.release()
                #expect(await failure(of: task)?.code == .sessionInvalidated)
            }
            #expect(stage.store.identifiers == [1])
            try await withJournal(in: stage.store) { session in
                let last = try await failureOfRestored(in: session)
                #expect(last == nil)
            }
            #expect(stage.server.requests.count == 1)
            #expect(stage.store.identifiers == [])
        }
    }

    @Test(arguments: [false, true])
    func `a task that is cancelled while its result is stored is forgotten`(isUpload: Bool) async throws {
        try await withStage { stage in
            try await withJournal(in: stage.store) { session in
                let step = stage.store.holdResult()
                let task = try stage.task("a", isUpload: isUpload, in: session)
                task.resume()
                try await until("the result is being stored") { step.isHeld }
                task.cancel()
                step.release()
                try await until("the task is over") { task.state == .completed }
            }
            #expect(stage.store.identifiers == [])
        }
    }

    @Test(arguments: [false, true])
    func `a result that is asked for after the end of the session stays`(isUpload: Bool) async throws {
        try await withStage { stage in
            try await stage.leaveResult(isUpload: isUpload)
            try await withJournal(in: stage.store) { session in
                let task = try restored(in: session)
                session.invalidate()
                #expect(await failure(of: task)?.code == .sessionInvalidated)
            }
            #expect(stage.store.identifiers == [1])
        }
    }

    @Test(arguments: [false, true])
    func `a result stays when its task is dropped, or cancelled, after the end`(isCancelled: Bool) async throws {
        try await withStage { stage in
            try await stage.leaveResult()
            let configuration = try SessionConfiguration(journalIn: stage.store)
            let outcomes = Counter()
            try await withSession(configuration) { session in
                var task: (any ValueTask)? = try restored(in: session)
                if let task { count(outcomes, of: task) }
                if !isCancelled { task = nil }
                await session.shutdown()
                task?.cancel()
            }
            try await until("the task is over") { outcomes.value == 1 }
            try await withSession(configuration) { session in
                await session.synchronizeTransfers()
                #expect(stage.store.identifiers == [1])
                let last = try await failureOfRestored(in: session)
                #expect(last == nil)
            }
        }
    }

    @Test func `an ended session changes nothing in the journal of the next one`() async throws {
        try await withStage { stage in
            let configuration = try SessionConfiguration(journalIn: stage.store)
            let old = SessionManager(configuration: configuration)
            let early = try stage.download("early", in: old)
            await old.shutdown()
            try await withSession(configuration) { session in
                #expect(session.restoredTasks.map(\.taskDescription) == ["early"])
                let new = try stage.download("new", in: session)
                let late = try stage.download("late", in: old)
                #expect(late.identifier == new.identifier)
                early.priority = .background
                late.priority = .background
                late.cancel()
                early.cancel()
                #expect(await failure(of: late)?.code == .cancelled)
                await session.synchronizeTransfers()
                #expect(stage.store.identifiers == [1, 2])
                #expect(stage.store.text(of: 1)?.contains("early") ?? false)
                #expect(stage.store.text(of: 1)?.contains("taskPriority") == false)
                #expect(stage.store.text(of: 2)?.contains("new") ?? false)
                #expect(await failure(of: new) == nil)
            }
        }
    }

    @Test func `who waits for the transfers of an ended session does not wait`() async throws {
        try await withStage { stage in
            let session = SessionManager(configuration: try SessionConfiguration(journalIn: stage.store))
            let task = try stage.download("a", in: session)
            await session.shutdown()
            await session.finishTransfers()
            #expect(task.state == .suspended)
        }
    }

    /// Goes on for a while after its request was stopped.
    private struct Slow: Interceptor {
        let gate = HeldStep()

        func intercept(
            _ request: Request,
            context: ExchangeContext,
            next: Next
        ) async throws -> TransportResponse {
            guard request.url.path().hasPrefix("/slow") else { return try await next(request) }
            try await BlockingThreads.pipes.runEvenIfCancelled { gate.hold() }
            return try await next(request)
        }
    }

    @Test func `transfers that the end of a session stopped are not reported as finished`() async throws {
        try await withStage { stage in
            let (slow, finished) = (Slow(), Counter())
            try await withJournal(
                in: stage.store,
                {
                    $0.interceptors = [slow]
                    $0.hooks.sessionDidFinishTransfers = { finished.increment() }
                }
            ) { session in
                let other = session.dataTask(for: try Request(to: stage.server.baseURL + "/slow"))
                other.resume()
                let task = try stage.download("held", in: session)
                task.resume()
                try await until("both have begun") { slow.gate.isHeld && stage.server.requests.count == 1 }
                session.invalidate()
                #expect(await failure(of: task)?.code == .sessionInvalidated)
                slow.gate.release()
                await session.finishTransfers()
            }
            #expect(finished.value == 0)
            // The first task was no transfer.
            #expect(stage.store.identifiers == [2])
        }
    }

    @Test func `a session that ends after its transfers reports that they have finished`() async throws {
        try await withStage { stage in
            let finished = Counter()
            try await withJournal(in: stage.store, { $0.hooks.sessionDidFinishTransfers = { finished.increment() } }) {
                session in
                let task = try stage.download("held", in: session)
                task.resume()
                try await until("it has begun") { stage.server.requests.count == 1 }
                session.invalidate(cancellingTasks: false)
                stage.gate.open()
                #expect(await failure(of: task) == nil)
            }
            try await until("it is reported") { finished.value == 1 }
        }
    }

    @Test func `transfers that cannot be read are counted, and stay`() async throws {
        try await withStage { stage in
            let strange = StoredTransfer(identifier: 7, data: Data("{\"version\":2}".utf8))
            try stage.store.update(storing: [strange], removing: [])
            try await withJournal(in: stage.store) { session in
                #expect(session.unreadableTransfers == 1)
                #expect(session.restoredTasks.isEmpty)
                let task = try stage.download("a", in: session)
                #expect(task.identifier == 8)
                #expect(await failure(of: task) == nil)
            }
            #expect(stage.store.identifiers == [7])
        }
    }

    // MARK: A disk that refuses

    @Test(arguments: [false, true])
    func `a restored transfer that the disk has no room for is one of the next session`(
        isUpload: Bool
    ) async throws {
        try await withStage { stage in
            try await withJournal(in: stage.store) { session in
                let task = try stage.task("a", isUpload: isUpload, in: session)
                await session.synchronizeTransfers()
                withExtendedLifetime(task) {}
                session.invalidate()
            }
            #expect(stage.store.identifiers == [1])
            try await withJournal(in: stage.store) { session in
                let task = try restored(in: session)
                stage.store.refuse { _, _ in true }
                #expect(await failure(of: task)?.code == .storeFailed)
                stage.store.refuse { _, _ in false }
                #expect(session.restoredTasks.isEmpty)
                await session.finishTransfers()
                // What was refused before is tried again with it.
                let other = try stage.download("b", in: session)
                #expect(await failure(of: other) == nil)
            }
            #expect(stage.store.identifiers == [1])
            #expect(stage.store.text(of: 1)?.contains("\"isStarted\":false") ?? false)
            try await withJournal(in: stage.store) { session in
                let last = try await failureOfRestored(in: session)
                #expect(last == nil)
            }
            #expect(stage.store.identifiers == [])
        }
    }

    @Test(arguments: [false, true])
    func `a transfer that was started before goes on although the disk is full`(isUpload: Bool) async throws {
        try await withStage { stage in
            try await withJournal(in: stage.store) { session in
                let task = try stage.task("held", isUpload: isUpload, in: session)
                task.resume()
                try await until("it has begun") { stage.server.requests.count == 1 }
            }
            stage.gate.open()
            stage.store.refuse { _, _ in true }
            try await withJournal(in: stage.store) { session in
                let last = try await failureOfRestored(in: session)
                #expect(last == nil)
            }
            // It is given again: nobody could note that it was taken.
            #expect(stage.store.identifiers == [1])
        }
    }

    @Test(arguments: [false, true])
    func `the error of a restored transfer that was never started is a result`(isTaken: Bool) async throws {
        try await withStage { stage in
            try await withJournal(in: stage.store) { session in
                let task = try stage.upload("a", in: session)
                await session.synchronizeTransfers()
                session.invalidate()
                withExtendedLifetime(task) {}
            }
            try FileManager.default.removeItem(at: stage.directory.appending(path: "movie"))
            try await withJournal(in: stage.store) { session in
                let task = try restored(in: session)
                if isTaken {
                    #expect(await failure(of: task)?.code == .requestBodyFailed)
                    #expect(session.restoredTasks.isEmpty)
                } else {
                    task.resume()
                    try await until("it is over") { task.state == .completed }
                }
            }
            #expect(stage.store.identifiers == (isTaken ? [] : [1]))
            guard !isTaken else { return }
            try await withJournal(in: stage.store) { session in
                let last = try await failureOfRestored(in: session)
                #expect(last?.code == .requestBodyFailed)
            }
            #expect(stage.store.identifiers == [])
        }
    }
}
