import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The hooks of transfers that were over in an earlier process, over real sockets; the next session
/// has the same store, as that of the next process would.
@Suite(.timeLimit(.minutes(3)))
struct RestoredHooksTests {
    private static func hooks(_ log: EventLog<String>) -> SessionHooks {
        var hooks = SessionHooks()
        hooks.sessionDidCreateTask = { log.append("created \($0.identifier)") }
        hooks.taskDidSendBodyData = { _, _, _, _ in log.append("sent") }
        hooks.dataTaskDidReceiveResponse = { _, _ in
            log.append("response")
            return .allow
        }
        hooks.downloadTaskDidFinishDownloading = { _, _ in
            log.append("finished")
            return nil
        }
        hooks.taskDidFinishCollectingMetrics = { task, _ in log.append("metrics \(task.identifier)") }
        hooks.taskDidComplete = { task, error in
            await Task.yield()
            log.append("complete \(task.identifier) \(error?.code.rawValue ?? "-")")
        }
        return hooks
    }

    @Test(arguments: [true, false], [200, 404])
    func `the last hooks are called for a result that nobody took`(isUpload: Bool, status: Int) async throws {
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .respond(status, body: "body")]) { server in
                let (store, file) = (MemoryTransferStore(), directory.appending(path: "a"))
                try await withJournal(in: store) { session in
                    let task: any SessionTask
                    if isUpload {
                        try Data("movie".utf8).write(to: file)
                        let request = try Request(.post, to: server.baseURL)
                        task = try session.uploadTask(for: request, from: .file(file), as: .string)
                    } else {
                        task = session.downloadTask(for: try Request(to: server.baseURL), to: file)
                    }
                    task.resume()
                    try await until("the task is over") { task.state == .completed }
                }
                let log = EventLog<String>()
                try await withJournal(in: store, { $0.hooks = Self.hooks(log) }) { session in
                    let task = try #require(session.restoredTasks.first)
                    if let download = task as? DownloadTask {
                        _ = await download.result
                    } else {
                        _ = await (try #require(task as? UploadTask<Data>)).result
                    }
                    // Who has the result has it after the last hook.
                    let code = isUpload || status == 200 ? "-" : "unacceptable-status-code"
                    let number = task.identifier
                    #expect(log.events == ["created \(number)", "metrics \(number)", "complete \(number) \(code)"])
                }
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test func `a transfer that is cancelled by its first hook is forgotten, and its last hooks are called`()
        async throws
    {
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .respond(body: "body")]) { server in
                let (store, file) = (MemoryTransferStore(), directory.appending(path: "a"))
                try await withJournal(in: store) { session in
                    let task = session.downloadTask(for: try Request(to: server.baseURL), to: file)
                    task.resume()
                    try await until("the task is over") { task.state == .completed }
                }
                let log = EventLog<String>()
                var hooks = SessionHooks()
                hooks.sessionDidCreateTask = { $0.cancel() }
                hooks.taskDidComplete = { _, error in log.append(error?.code.rawValue ?? "-") }
                try await withJournal(in: store, { $0.hooks = hooks }) { session in
                    let task = try #require(session.restoredTasks.first as? DownloadTask)
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .cancelled)
                }
                #expect(log.events == ["cancelled"])
                #expect(store.identifiers == [])
            }
        }
    }
}
