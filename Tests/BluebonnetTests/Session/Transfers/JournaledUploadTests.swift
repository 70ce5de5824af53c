import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// Uploads of sessions with a journal, over real sockets.
@Suite(.timeLimit(.minutes(3)))
struct JournaledUploadTests {
    private static let bytes = RangeResponses.bytes(300_000)

    /// Counts the bodies, and responds with the number when the gate is open.
    private func withUploads(
        status: Int = 200,
        _ gate: FaultGate? = nil,
        _ body: (FaultServer, URL, MemoryTransferStore) async throws -> Void
    ) async throws {
        let script = FaultServer.Script.requests { request in
            [gate.map { .hold($0) }, .respond(status, body: "\(request.body.count) bytes")].compactMap(\.self)
        }
        try await FaultServer.run(script) { server in
            try await withDirectory { directory in
                let file = directory.appending(path: "movie")
                try Data(Self.bytes).write(to: file)
                try await body(server, file, MemoryTransferStore())
            }
        }
    }

    @Test func `a response that nobody took is given again, and the body is not sent twice`() async throws {
        try await withUploads(status: 422) { server, file, store in
            try await withJournal(in: store) { session in
                let request = try Request(.post, to: server.baseURL + "/a")
                let task = try session.uploadTask(for: request, from: .file(file), as: .string)
                task.resume()
                try await until("the task is over") { task.state == .completed }
            }
            try await withJournal(in: store) { session in
                let task = try #require(session.restoredTasks.first as? UploadTask<Data>)
                #expect(session.uploadTasks.count == 1)
                let response = try await task.response
                #expect(response.status.code == 422)
                #expect(String(decoding: response.value, as: UTF8.self) == "300000 bytes")
            }
            #expect(server.requests.count == 1)
            #expect(store.identifiers == [])
        }
    }

    @Test func `an upload that was stopped is sent again, unless its file has changed`() async throws {
        for changes in [false, true] {
            let gate = FaultGate()
            try await withUploads(gate) { server, file, store in
                try await withJournal(in: store) { session in
                    let request = try Request(.post, to: server.baseURL + "/a")
                    let task = try session.uploadTask(for: request, from: .file(file), as: .string)
                    task.resume()
                    try await until("it was sent") { task.currentProgress.upload.completed == Self.bytes.count }
                    session.invalidate()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .sessionInvalidated)
                }
                #expect(store.identifiers == [1])
                gate.open()
                if changes { try Data("changed".utf8).write(to: file) }
                try await withJournal(in: store, { $0.resumesTransfers = true }) { session in
                    let task = try #require(session.restoredTasks.first as? UploadTask<Data>)
                    if changes {
                        let error = try await networkingError { try await task.value }
                        #expect(error.code == .requestBodyFailed)
                    } else {
                        #expect(String(decoding: try await task.value, as: UTF8.self) == "300000 bytes")
                    }
                }
                #expect(store.identifiers == [])
            }
        }
    }
}
