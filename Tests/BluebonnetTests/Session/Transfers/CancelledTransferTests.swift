import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Transfers of a session with a journal that are cancelled when they are over.
@Suite(.timeLimit(.minutes(3)))
struct CancelledTransferTests {
    private func over(_ task: any SessionTask) async throws {
        try await until("the task is over") { task.state == .completed }
    }

    /// Runs a body with a session whose task is over, and whose result nobody has taken.
    private func withUntakenTask(
        _ status: Int,
        isUpload: Bool,
        _ body: (MemoryTransferStore, SessionManager, any SessionTask) async throws -> Void
    ) async throws {
        let store = MemoryTransferStore()
        try await FaultServer.run(.requests { _ in [.respond(status, body: "done")] }) { server in
            try await withDirectory { directory in
                try await withJournal(in: store) { session in
                    let request = try Request(isUpload ? .post : .get, to: server.baseURL)
                    let task: any SessionTask =
                        isUpload
                        ? try session.uploadTask(for: request, from: .text("text"), as: .data)
                        : session.downloadTask(for: request, to: directory.appending(path: "a"))
                    task.resume()
                    try await over(task)
                    await session.synchronizeTransfers()
                    #expect(store.identifiers == [task.identifier])
                    try await body(store, session, task)
                }
            }
        }
    }

    @Test(arguments: [200, 500], [true, false])
    func `a task that is over and cancelled is not given back`(status: Int, isUpload: Bool) async throws {
        try await withUntakenTask(status, isUpload: isUpload) { store, session, task in
            task.cancel()
            await session.synchronizeTransfers()
            #expect(store.identifiers == [])
            #expect(task.state == .completed)
        }
    }

    @Test(arguments: [true, false])
    func `so is one that an earlier session has left`(isUpload: Bool) async throws {
        try await withUntakenTask(200, isUpload: isUpload) { store, session, task in
            await session.shutdown()
            try await withJournal(in: store, { $0.resumesTransfers = true }) { next in
                let restored = try #require(next.restoredTasks.first)
                try await over(restored)
                #expect(store.identifiers == [task.identifier])
                restored.cancel()
                await next.synchronizeTransfers()
                #expect(store.identifiers == [] && next.restoredTasks.isEmpty)
            }
        }
    }

    @Test func `a cancelled task whose session has ended is one of the next session`() async throws {
        try await withUntakenTask(200, isUpload: true) { store, session, task in
            await session.shutdown()
            task.cancel()
            #expect(store.identifiers == [task.identifier])
        }
    }

    @Test func `the upload resource is known until the result is`() async throws {
        let gate = FaultGate()
        let fields = [("Location", "/uploads/7"), ("Upload-Draft-Interop-Version", "6")]
        let script: FaultServer.Script = [
            .readRequest, .informational(104, headers: fields), .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"),
            .hold(gate), .send("cd"),
        ]
        let store = MemoryTransferStore()
        try await FaultServer.run(script) { server in
            try await withJournal(in: store) { session in
                let request = try Request(.post, to: server.baseURL, body: .string("text"))
                let task = session.uploadTask(for: request)
                task.resume()
                try await until("the head came") { task.head != nil }
                try await until("bytes came") { task.currentProgress.download.completed == 2 }
                await session.synchronizeTransfers()
                // As JSON has it.
                #expect(store.text(of: task.identifier)?.contains("uploads\\/7") == true)
                gate.open()
                #expect(try await task.value == Data("abcd".utf8))
                await session.synchronizeTransfers()
                #expect(store.identifiers == [])
            }
        }
    }
}
