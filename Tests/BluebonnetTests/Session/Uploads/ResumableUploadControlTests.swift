import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Resumable uploads that are cancelled, suspended, continued by another task and by another
/// process.
@Suite(.timeLimit(.minutes(3)))
struct ResumableUploadControlTests {
    private typealias Answer = ResumableUploadServer.Answer

    private static let bytes = RangeResponses.bytes(3_000_000)
    private static let half = 1_000_000

    private func withFile(_ work: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "movie")
            try Data(Self.bytes).write(to: file)
            try await work(file)
        }
    }

    /// A server whose first body does not get beyond its half.
    private static let stalling = ResumableUploadServer.Options { $0.stalls = [half] }

    private func came(_ count: Int, to server: ResumableUploadServer) async throws {
        try await until("bytes came") { server.uploads.last?.bytes.count == count }
    }

    /// Returns when the bytes have come, and the task knows of the upload resource.
    private func came<Output>(_ count: Int, to server: ResumableUploadServer, by task: UploadTask<Output>) async throws
    {
        try await came(count, to: server)
        try await until("the 104 response came") { task.core.call.uploadOffer?.resource != nil }
    }

    // MARK: Cancelling

    /// A step at which a server does not go on.
    enum Step: String, CaseIterable, Sendable {
        case creation = "PUT"
        case asking = "HEAD"
        case appending = "PATCH"
    }

    @Test(arguments: Step.allCases)
    func `an upload can be cancelled at every step`(_ step: Step) async throws {
        let options = ResumableUploadServer.Options { options in
            options.cuts = [step == .creation ? nil : Self.half]
            options.answer = { $0.method == step.rawValue && step != .creation ? .stall : nil }
            options.result = { _ in .stall }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withFile { file in
                try await withSession(.withoutPauses) { session in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL + "/", body: .file(file)))
                    task.resume()
                    try await until("the step") { server.requests.last?.method == step.rawValue }
                    try await came(step == .creation ? Self.bytes.count : Self.half, to: server)
                    task.cancel()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .cancelled)
                }
            }
            #expect(server.requests.last?.method == step.rawValue)
        }
    }

    @Test func `an upload can be cancelled in a pause`() async throws {
        let pauses = Mutex<[Int]>([])
        let configuration = SessionConfiguration { configuration in
            configuration.pauseOfUpload = { failures in
                pauses.withLock { $0.append(failures) }
                return failures == 1 ? .zero : .seconds(3600)
            }
        }
        let options = ResumableUploadServer.Options { options in
            options.cuts = [Self.half]
            options.answer = { $0.method == "HEAD" ? Answer(503) : nil }
        }
        try await ResumableUploadServer.run(options) { server in
            try await withFile { file in
                try await withSession(configuration) { session in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL + "/", body: .file(file)))
                    task.resume()
                    try await until("the pause") { pauses.withLock { $0 } == [1, 2] }
                    task.cancel()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .cancelled)
                }
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD"])
        }
    }

    @Test func `the pauses grow to half a minute`() {
        let pause = SessionConfiguration().pauseOfUpload
        #expect((0...9).map(pause) == [0, 0, 1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }

    // MARK: Continuing

    @Test func `another task continues an upload from its resume data`() async throws {
        try await ResumableUploadServer.run(Self.stalling) { server in
            try await withFile { file in
                try await withAPI(at: server.baseURL, .withoutPauses) { api in
                    let task = try api.uploadTask("videos", from: .file(file), as: .json)
                    task.resume()
                    try await came(Self.half, to: server, by: task)
                    let found = await task.cancelProducingResumeData()
                    let data = try JSONEncoder().encode(try #require(found))
                    let resumeData = try JSONDecoder().decode(UploadResumeData.self, from: data)
                    #expect(resumeData == found)
                    #expect(resumeData.url.path == "/uploads/0")
                    #expect(resumeData.originalURL.path == "/videos")

                    let json = try await api.upload("videos", from: .file(file), resuming: resumeData, as: .json)
                    #expect(json["length"] == .number(JSONNumber(Self.bytes.count)))
                }
            }
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    @Test func `an upload that was not offered has no resume data`() async throws {
        try await ResumableUploadServer.run(
            .init {
                $0.stalls = [Self.half]; $0.announces = false
            }
        ) { server in
            try await withFile { file in
                try await withAPI(at: server.baseURL, .withoutPauses) { api in
                    let task = try api.uploadTask("videos", from: .file(file), as: .json)
                    #expect(await task.cancelProducingResumeData() == nil)
                    let other = try api.uploadTask("videos", from: .file(file), as: .json)
                    other.resume()
                    try await came(Self.half, to: server)
                    #expect(await other.cancelProducingResumeData() == nil)
                }
            }
        }
    }

    @Test func `resume data is not for another body`() async throws {
        let resumeData = UploadResumeData(
            url: try #require(URL(string: "http://127.0.0.1:1/uploads/0")),
            originalURL: try #require(URL(string: "http://127.0.0.1:1/videos")),
            totalByteCount: 5,
            version: .version6
        )
        try await withSession(.withoutPauses) { session in
            let request = try Request(.post, to: "http://127.0.0.1:1/videos", body: .string("text"))
            let error = try await networkingError {
                try await session.uploadTask(for: request, resuming: resumeData).value
            }
            #expect(error.code == .requestBodyLengthMismatch)
        }
    }

    @Test(arguments: [
        "{}", "{\"format\": 2}",
        "{\"format\": 1, \"url\": \"http://a/\", \"originalURL\": \"http://a/\", \"version\": 7}",
    ])
    func `resume data of another format is not decoded`(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(UploadResumeData.self, from: Data(text.utf8))
        }
    }

    @Test func `an upload resource that is gone makes the continued upload begin anew`() async throws {
        try await ResumableUploadServer.run(Self.stalling) { server in
            try await withFile { file in
                try await withAPI(at: server.baseURL, .withoutPauses) { api in
                    let task = try api.uploadTask("videos", from: .file(file), method: .put, as: .json)
                    task.resume()
                    try await came(Self.half, to: server, by: task)
                    let resumeData = await task.cancelProducingResumeData()
                    server.forgetUploads()
                    _ = try await api.upload("videos", from: .file(file), method: .put, resuming: resumeData, as: .json)
                }
            }
            #expect(server.requests.map(\.method) == ["PUT", "HEAD", "PUT"])
            #expect(server.uploads.last?.bytes == Self.bytes)
        }
    }

    // MARK: Suspending

    @Test func `an upload that was cut while it was suspended goes on when it is resumed`() async throws {
        try await ResumableUploadServer.run(Self.stalling) { server in
            try await withFile { file in
                try await withSession(.withoutPauses) { session in
                    let task = session.uploadTask(for: try Request(.put, to: server.baseURL + "/", body: .file(file)))
                    task.resume()
                    try await came(Self.half, to: server, by: task)
                    task.suspend()
                    server.closeConnections()
                    #expect(task.state == .suspended)
                    task.resume()
                    _ = try await task.value
                }
            }
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
        }
    }

    // MARK: Another process

    @Test func `an upload of an earlier process goes on where the server is`() async throws {
        let store = MemoryTransferStore()
        try await ResumableUploadServer.run(Self.stalling) { server in
            try await withFile { file in
                var configuration = try SessionConfiguration(journalIn: store)
                configuration.pauseOfUpload = { _ in .zero }
                try await withSession(configuration) { session in
                    var request = try Request(.post, to: server.baseURL + "/videos", body: .file(file))
                    request.headerFields[.authorization] = "Bearer x"
                    let task = session.uploadTask(for: request)
                    task.resume()
                    try await came(Self.half, to: server, by: task)
                    await session.synchronizeTransfers()
                    session.invalidate()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .sessionInvalidated)
                }
                #expect(store.identifiers.count == 1)
                configuration.transferJournal = try TransferJournal(store)
                try await withSession(configuration) { session in
                    let task = try #require(session.restoredTasks.first as? UploadTask<Data>)
                    #expect(try await String(decoding: task.value, as: UTF8.self).contains("3000000"))
                }
            }
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(server.requests.allSatisfy { $0.value(of: "Authorization") == "Bearer x" })
            #expect(server.uploads.map(\.bytes) == [Self.bytes])
            #expect(store.identifiers == [])
        }
    }

    // MARK: Progress

    @Test func `the progress is that of the whole upload, and ends with it`() async throws {
        let steps = Mutex<[TransferProgress]>([])
        try await ResumableUploadServer.run(.init { $0.cuts = [Self.half, Self.half] }) { server in
            try await withFile { file in
                try await withAPI(at: server.baseURL, .withoutPauses) { api in
                    try await api.upload("videos", from: .file(file)) { step in
                        steps.withLock { $0.append(step.upload) }
                    }
                }
            }
        }
        let seen = steps.withLock { $0 }
        #expect(seen.allSatisfy { $0.total == Self.bytes.count && $0.completed <= Self.bytes.count })
        #expect(seen.last?.completed == Self.bytes.count)
    }
}
