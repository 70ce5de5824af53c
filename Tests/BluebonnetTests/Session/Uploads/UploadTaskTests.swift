import Bluebonnet
import BluebonnetTesting
import Dispatch
import Foundation
import HTTPTypes
import LocalServer
import Testing

/// Uploads as calls, as tasks and with closures, from every source.
@Suite(.timeLimit(.minutes(3)))
struct UploadTaskTests {
    private struct Video: Codable, Sendable, Equatable {
        var id: Int
    }

    private struct Echo: Decodable, Sendable {
        var method: String
        var data: String?
        var json: Video?
        var headers: [String: String]
        var url: String
    }

    /// Responds with what was received.
    private static let script = FaultServer.Script.requests { request in
        [.respond(headers: [("Content-Type", "application/json")], body: "{\"id\": \(request.body.count)}")]
    }

    private static let pieces = ["one", "two"].map { Data($0.utf8) }

    private func withFile(_ bytes: Data, _ work: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "movie.json")
            try bytes.write(to: file)
            try await work(file)
        }
    }

    // MARK: Calls

    @Test func `an upload is one call, from variables of every kind of content`() async throws {
        try await LocalServer.run { server in
            try await withAPI(at: server.baseURL) { api in
                try await withFile(Data("{\"id\": 7}".utf8)) { file in
                    let path = "anything"
                    let content = RequestContent.file(file)
                    let echo: Echo = try await api.upload(path, from: content)
                    #expect(echo.method == "POST" && echo.json == Video(id: 7))
                    #expect(echo.headers["Content-Type"] == "application/json")
                    #expect(echo.headers["Content-Length"] == "9")

                    let method = HTTPRequest.Method.put
                    let headers: RequestHeaders = ["X-Key": "secret"]
                    let query: Parameters = ["draft": true]
                    let timeout = Duration.seconds(60)
                    let options: [RequestOption] = [.priority(.background)]
                    let other: Echo = try await api.upload(
                        path,
                        from: .data(Data("bytes".utf8)),
                        method: method,
                        query: query,
                        headers: headers,
                        timeout: timeout,
                        options: options
                    ) { _ in }
                    #expect(other.method == "PUT" && other.data == "bytes" && other.url.hasSuffix("?draft=1"))
                    #expect(other.headers["X-Key"] == "secret" && other.headers["Priority"] == "u=7")

                    let pieces = AsyncStream { continuation in
                        for piece in Self.pieces { continuation.yield(piece) }
                        continuation.finish()
                    }
                    let json = try await api.upload(path, from: .stream(pieces), as: .json)
                    #expect(json["data"] == "onetwo")

                    let form = try await api.upload(
                        path,
                        from: .multipart { form in
                            form.append("Ada", name: "user")
                            try form.append(fileURL: file, name: "movie")
                        },
                        as: .json
                    )
                    #expect(form["form"] == ["user": "Ada"])

                    try await api.upload(path, from: .text("no result"))
                    let error = try await networkingError { try await api.upload("status/403", from: .text("a")) }
                    #expect(error.code == .unacceptableStatusCode)
                }
            }
        }
    }

    @Test func `the closure of an upload gets the progress of the upload alone`() async throws {
        try await FaultServer.run(Self.script) { server in
            try await withAPI(at: server.baseURL) { api in
                let size = 3 << 20
                try await withFile(Data(repeating: 7, count: size)) { file in
                    let log = EventLog<TaskProgress>()
                    let video: Video = try await api.upload("", from: .file(file)) { log.append($0) }
                    #expect(video.id == size)
                    let steps = log.events
                    #expect(steps.allSatisfy { $0.download == TransferProgress() && $0.upload.total == size })
                    #expect(steps.map(\.upload.completed) == steps.map(\.upload.completed).sorted())
                    #expect(Set(steps.map(\.upload.completed)).count == steps.count)
                    #expect(steps.last?.fractionCompleted == 1)
                }
            }
        }
    }

    @Test func `an upload with closures returns its started task`() async throws {
        try await FaultServer.run(Self.script) { server in
            try await withAPI(at: server.baseURL) { base in
                var api = base
                api.completionQueue = DispatchQueue(label: "test")
                let (sizes, values) = (EventLog<Int>(), AsyncStream.makeStream(of: Int.self))
                let content = RequestContent.data(Data(count: 100_000))
                let task = api.upload(
                    "",
                    from: content,
                    progress: { sizes.append($0.upload.completed) },
                    success: { task, json in
                        values.continuation.yield(json["id"]?.int ?? -1)
                        #expect(task.state == .completed)
                    },
                    failure: { _, error in Issue.record(error) }
                )
                #expect(task != nil)
                let typed = api.upload("", from: content, as: .decodable(Video.self)) { task, video in
                    values.continuation.yield(video.id)
                } failure: { _, error in
                    Issue.record(error)
                }
                #expect(typed?.originalRequest.method == .post)
                var seen: [Int] = []
                for await value in values.stream where value > 0 {
                    seen.append(value)
                    if seen.count == 2 { break }
                }
                #expect(seen == [100_000, 100_000] && sizes.events.last == 100_000)
            }
        }
    }

    @Test func `an upload that cannot be made calls failure without a task`() async throws {
        try await withAPI(at: "http://example.com/", transport: StubTransport(routes: [:])) { base in
            var api = base
            api.completionQueue = DispatchQueue(label: "test")
            let codes = AsyncStream.makeStream(of: NetworkingError.Code.self)
            let file = URL(filePath: "/nowhere/movie.mp4")
            let task = api.upload("videos", from: .file(file), success: { _, _ in }) { task, error in
                #expect(task == nil)
                codes.continuation.yield(error.code)
            }
            #expect(task == nil)
            for await code in codes.stream {
                #expect(code == .requestBodyFailed)
                break
            }
        }
    }

    // MARK: Files

    @Test func `a file that is not there is an error before anything is sent`() async throws {
        try await FaultServer.run(Self.script) { server in
            try await withAPI(at: server.baseURL) { api in
                let file = URL(filePath: "/nowhere/movie.mp4")
                let error = try await networkingError { try await api.upload("", from: .file(file)) }
                #expect(error.code == .requestBodyFailed && error.message.contains("/nowhere/movie.mp4"))
                let request = try Request(.put, to: server.baseURL)
                let other = try await networkingError {
                    _ = try api.session.uploadTask(for: request, from: .file(file), as: .json)
                }
                #expect(other.code == .requestBodyFailed && server.connections.isEmpty)
                #expect(api.session.tasks.isEmpty)
            }
        }
    }

    @Test(arguments: [10, 3 << 20], [-1, 1])
    func `a file that has another length when it is sent fails the upload`(size: Int, change: Int) async throws {
        try await FaultServer.run(Self.script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withFile(Data(repeating: 7, count: size)) { file in
                    let task = try api.uploadTask("", from: .file(file), as: .json)
                    #expect(task.originalRequest.body?.length == size)
                    try Data(repeating: 7, count: size + change).write(to: file)
                    let error = try await networkingError { _ = try await task.value }
                    #expect(error.code == .requestBodyLengthMismatch, "\(error)")
                    #expect(error.message.contains("\(size)"))
                }
            }
        }
    }

    // MARK: Tasks

    @Test func `an upload task is not started when it is made`() async throws {
        try await FaultServer.run(Self.script) { server in
            try await withSession(SessionConfiguration()) { session in
                let request = try Request(.put, to: server.baseURL)
                let task = try session.uploadTask(for: request, from: .text("text"), as: .decodable(Video.self))
                #expect(task.state == .suspended && session.uploadTasks.map(\.identifier) == [task.identifier])
                #expect(task.originalRequest.headerFields[.contentType] == "text/plain; charset=utf-8")
                #expect(server.connections.isEmpty)
                let ends = AsyncStream.makeStream(of: Video.self)
                task.whenComplete { ends.continuation.yield((try? $0.get().value) ?? Video(id: -1)) }
                task.resume()
                for await video in ends.stream {
                    #expect(video.id == 4)
                    break
                }
                let value = try await task.value
                #expect(value.id == 4 && task.state == .completed && task.head?.status == .ok)
                #expect(task.currentProgress.upload.completed == 4 && session.uploadTasks.isEmpty)

                let data = try await session.uploadTask(for: task.originalRequest).value
                #expect(String(decoding: data, as: UTF8.self) == "{\"id\": 4}")
            }
        }
    }

    @Test func `cancelling an upload ends it and its connection`() async throws {
        try await FaultServer.run([.readHead, .stopReading, .stall]) { server in
            try await withAPI(at: server.baseURL) { api in
                let task = try api.uploadTask("", from: .data(Data(count: 32 << 20)), as: .json)
                let progress = task.progress
                task.resume()
                for await step in progress where step.upload.completed > 0 { break }
                task.cancel()
                let error = try await networkingError { _ = try await task.value }
                #expect(error.code == .cancelled && api.session.tasks.isEmpty)
                let new = try api.uploadTask("", from: .text("a"), as: .json)
                new.cancel()
                let other = try await networkingError { _ = try await new.value }
                #expect(other.code == .cancelled)
                // The server may accept the first one after it has been cancelled.
                try await until("there was one connection") { !server.connections.isEmpty }
                #expect(server.connections.count == 1)
            }
        }
    }
}
