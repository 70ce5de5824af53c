import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Tasks of all kinds that are resumed, suspended, cancelled and moved at random, at a server that
/// breaks off at random: each completes once, with a result that its history permits, and is told
/// of once.
///
/// Each run has another seed, which it prints; `BLUEBONNET_SEED` repeats one.
@Suite(.timeLimit(.minutes(5)))
struct TaskStormTests {
    private enum Kind: CaseIterable {
        case data, upload, download, stream
    }

    private enum Fault: CaseIterable {
        case none, reset, close, truncation, cut, stall
    }

    /// What a task sends, and what its server does.
    private struct Plan {
        let kind: Kind
        let fault: Fault
        let size: Int

        init(_ number: Int, seed: UInt64) {
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            kind = Kind.allCases[number % 4]
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<70: fault = .none
            case 70..<77: fault = .reset
            case 77..<84: fault = .close
            case 84..<91: fault = .truncation
            case 91..<98: fault = .cut
            default: fault = .stall
            }
            size = [0, 100, 20_000, 300_000][Int.random(in: 0..<4, using: &generator)]
        }

        private static let pattern = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }

        /// The body of an upload, and of a response to another task.
        var bytes: [UInt8] { Array(Self.pattern.prefix(size)) }

        /// The steps of the server, which knows whether it received the whole body.
        func steps(_ request: FaultServer.Request) -> [FaultStep] {
            let body = kind == .upload ? Array("\(request.body == bytes)".utf8) : bytes
            let more = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count + 1000)\r\n\r\n"
            return switch fault {
            case .none: [.respond(bytes: body)]
            case .reset: [.reset]
            case .close: [.close]
            case .truncation: [.send(more), .send(body), .close]
            case .cut: [.send(more), .send(body), .reset]
            case .stall: [.send(more), .send(body), .stall]
            }
        }

        /// The errors that the fault may have.
        var codes: [NetworkingError.Code] {
            switch fault {
            case .none: []
            case .reset, .close: [.connectionLost]
            case .truncation: [.truncatedResponse]
            case .cut: [.truncatedResponse, .connectionLost]
            case .stall: [.betweenBytesTimeout, .firstByteTimeout]
            }
        }
    }

    private enum Outcome {
        case right, wrong
        case failed(NetworkingError.Code)
    }

    /// A task, and the one way to its outcome.
    private struct Subject: Sendable {
        let task: any SessionTask
        let outcome: @Sendable () async -> Outcome
    }

    /// What there is beside the tasks.
    enum Setting: CaseIterable {
        case plain, hooks
        /// A queue starts half of the tasks, and the session ends in the middle, with or without
        /// its tasks.
        case endAndCancel, endAndComplete

        var count: Int { self == .plain ? 600 : 300 }
        var ends: Bool { [.endAndCancel, .endAndComplete].contains(self) }
        var hasHooks: Bool { self != .plain }
    }

    /// What is told of each task, beside the events.
    private final class Witness: TaskObserver {
        /// The identifiers of the tasks.
        let (reports, hooks) = (EventLog<Int>(), EventLog<Int>())

        func taskDidEnd(_ report: TaskReport) { reports.append(report.taskIdentifier) }

        var configuration: SessionHooks {
            var hooks = SessionHooks()
            hooks.sessionDidCreateTask = { _ in await Task.yield() }
            hooks.dataTaskDidReceiveData = { _, _ in await Task.yield() }
            hooks.taskDidSendBodyData = { _, _, _, _ in await Task.yield() }
            hooks.taskDidComplete = { [log = self.hooks] task, _ in
                await Task.yield()
                log.append(task.identifier)
            }
            return hooks
        }
    }

    @Test(arguments: Setting.allCases)
    func `every task completes once, with a result that its history permits`(setting: Setting) async throws {
        let given = ProcessInfo.processInfo.environment["BLUEBONNET_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
        print("task storm, \(setting): BLUEBONNET_SEED=\(seed)")
        let (count, witness) = (setting.count, Witness())
        let configuration = SessionConfiguration { configuration in
            configuration.observers = [witness]
            if setting.hasHooks { configuration.hooks = witness.configuration }
            configuration.maximumConnectionsPerHost = 8
            configuration.timeouts = Timeouts(waiting: nil, firstByte: .seconds(10), betweenBytes: .seconds(3))
        }
        let script = FaultServer.Script.requests { request in
            Plan(Int(request.target.dropFirst()) ?? 0, seed: seed).steps(request)
        }
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let engine = Engine(configuration: configuration)
                let session = SessionManager(configuration: configuration, transport: engine)
                let events = session.events(keepingNewest: nil)
                let completions = (0..<count).map { _ in Counter() }
                var subjects: [Subject] = []
                for number in 0..<count {
                    let plan = Plan(number, seed: seed)
                    let url = "\(server.baseURL)/\(number)"
                    let counter = completions[number]
                    subjects.append(try subject(plan, url, session, directory, number) { counter.increment() })
                }
                #expect(session.tasks.count == count && session.core.rememberedTasks == count)
                #expect(session.dataTasks.count == count / 4 && session.uploadTasks.count == count / 4)
                #expect(session.downloadTasks.count == count / 4 && session.streamTasks.count == count / 4)
                let queue = TaskQueue(maximumConcurrentTasks: 16)
                if setting.ends { queue.add(subjects.compactMap { $0.task as? any ValueTask }) }
                let faults = await withTaskGroup(of: String?.self) { group in
                    for (number, subject) in subjects.enumerated() {
                        group.addTask { await fault(of: subject, number, seed, setting) }
                    }
                    if setting.ends {
                        group.addTask {
                            try? await until("a third is over") { completions.count { $0.value > 0 } > count / 3 }
                            session.invalidate(cancellingTasks: setting == .endAndCancel)
                            return nil
                        }
                    }
                    return await group.reduce(into: [String]()) { if let fault = $1 { $0.append(fault) } }
                }
                #expect(faults.isEmpty, "BLUEBONNET_SEED=\(seed)")
                // That of a stream is told when its body has ended.
                try await until("the last completion") { completions.allSatisfy { $0.value > 0 } }
                subjects = []
                try await until("no task is left") { session.tasks.isEmpty && session.core.rememberedTasks == 0 }
                try await until("nothing waits") { engine.waitingExchanges == 0 && engine.attempts == 0 }
                await session.shutdown()
                #expect(completions.allSatisfy { $0.value == 1 }, "BLUEBONNET_SEED=\(seed)")
                #expect(engine.openConnections == 0)
                try await server.wait("every connection closed") { $0.connections.allSatisfy(\.isClosed) }
                #expect(server.clientSockets(.established) == 0)
                #expect(openFiles(in: directory).isEmpty, "BLUEBONNET_SEED=\(seed)")
                let told = await toldFaults(events, witness, setting)
                #expect(told.isEmpty, "BLUEBONNET_SEED=\(seed)")
            }
        }
    }

    /// Tells what is wrong with the events, reports and hooks of tasks that are all over.
    private func toldFaults(_ events: AsyncStream<SessionEvent>, _ witness: Witness, _ setting: Setting) async
        -> [String]
    {
        var kinds: [Int: [SessionEvent.Kind]] = [:]
        for await event in events {
            if let task = event.task { kinds[task.identifier, default: []].append(event.kind) }
        }
        func counts(_ identifiers: [Int]) -> [Int: Int] { identifiers.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
        let (reports, hooks) = (counts(witness.reports.events), counts(witness.hooks.events))
        return (1...setting.count).compactMap { task in
            let all = kinds[task] ?? []
            // One that starts behind the end of the session begins never, and nobody reads of it.
            let hasEnd = all.last == .didComplete || all.isEmpty && setting.ends
            let changes = all.filter { $0 == .didResume || $0 == .didSuspend }
            let isInTurn = changes.indices.allSatisfy { changes[$0] == ($0 % 2 == 0 ? .didResume : .didSuspend) }
            let hasBegun = all.contains(.didResume)
            let (reported, hooked) = (reports[task] ?? 0, hooks[task] ?? 0)
            let hasOneEnd = all.count { $0 == .didComplete } <= 1
            let hasBeginning = all.first == .didResume || all.count <= 1
            let isReported = reported == 1 || !hasBegun && reported == 0
            let isHooked = hooked == (hasBegun && setting.hasHooks ? 1 : 0)
            guard hasEnd, isInTurn, hasOneEnd, hasBeginning, isReported, isHooked else {
                return "\(task): \(all.map(\.description)), \(reported) reports, \(hooked) hooks"
            }
            return nil
        }
    }

    /// Makes the task of a plan, which tells when it is over.
    private func subject(
        _ plan: Plan,
        _ url: String,
        _ session: SessionManager,
        _ directory: URL,
        _ number: Int,
        _ completed: @escaping @Sendable () -> Void
    ) throws -> Subject {
        let bytes = Data(plan.bytes)
        switch plan.kind {
        case .data:
            let task = session.dataTask(for: try Request(to: url))
            task.whenComplete { _ in completed() }
            return Subject(task: task) { Self.outcome(await task.result.map { $0.value == bytes }) }
        case .upload:
            let body: RequestBody
            switch number / 4 % 3 {
            case 0: body = .data(bytes)
            case 1:
                let file = directory.appending(path: "upload \(number)")
                try bytes.write(to: file)
                body = try .file(file)
            default:
                body = .stream {
                    AsyncStream { continuation in
                        continuation.yield(bytes)
                        continuation.finish()
                    }
                }
            }
            let task = session.uploadTask(for: try Request(.put, to: url, body: body))
            task.whenComplete { _ in completed() }
            return Subject(task: task) { Self.outcome(await task.result.map { $0.value == Data("true".utf8) }) }
        case .download:
            let file = directory.appending(path: "download \(number)")
            let task = session.downloadTask(for: try Request(to: url), to: file)
            task.whenComplete { _ in completed() }
            return Subject(task: task) {
                Self.outcome(await task.result.map { (try? Data(contentsOf: $0.value)) == bytes })
            }
        case .stream:
            let task = session.streamTask(for: try Request(to: url))
            task.whenComplete { _ in completed() }
            return Subject(task: task) {
                do throws(NetworkingError) {
                    let isRight = try await task.value.body.collect() == bytes
                    return isRight ? .right : .wrong
                } catch {
                    return .failed(error.code)
                }
            }
        }
    }

    private static func outcome(_ result: Result<Bool, NetworkingError>) -> Outcome {
        switch result {
        case .success(let isRight): isRight ? .right : .wrong
        case .failure(let error): .failed(error.code)
        }
    }

    /// Plays with a task, lets it run to its end, and tells what is wrong with its outcome.
    private func fault(of subject: Subject, _ number: Int, _ seed: UInt64, _ setting: Setting) async -> String? {
        var generator = SeededGenerator(seed: ~seed &+ UInt64(number))
        let (task, plan) = (subject.task, Plan(number, seed: seed))
        var isCancelled = false
        // Half of those in a queue are started by it.
        let isStarted = !setting.ends || plan.kind == .stream || Bool.random(using: &generator)
        for _ in 0..<Int.random(in: 1..<16, using: &generator) {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0..<12: if isStarted { task.resume() }
            case 12..<22: if isStarted { task.suspend() }
            case 22..<30:
                task.priority = RequestPriority(urgency: Int.random(in: 0..<8, using: &generator))
            case 30..<34:
                for _ in 0..<Int.random(in: 0..<30, using: &generator) { await Task.yield() }
            case 34..<39: try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<20, using: &generator)))
            default:
                task.cancel()
                isCancelled = true
            }
        }
        if isStarted { task.resume() }
        let outcome = await subject.outcome()
        let isPermitted =
            switch outcome {
            case .right: plan.fault == .none
            case .wrong: false
            case .failed(let code):
                plan.codes.contains(code) || isCancelled && code == .cancelled
                    || setting.ends && code == .sessionInvalidated
            }
        return isPermitted ? nil : "\(number): \(plan.kind), \(plan.fault), \(plan.size) bytes: \(outcome)"
    }

    /// The files of a directory that this process has open.
    private func openFiles(in directory: URL) -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }.filter { $0.contains(directory.lastPathComponent) }
    }
}
