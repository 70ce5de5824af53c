import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Downloads to files: what arrives, what is left behind, and what is told.
@Suite(.timeLimit(.minutes(5)))
struct DownloadTaskTests {
    // MARK: Whole files

    @Test func `a download is one call`() async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "letters")
                    let saved = try await api.download("range/100000", to: file)
                    #expect(saved == file)
                    let contents = try Data(contentsOf: file)
                    #expect(contents.count == 100_000)
                    #expect(contents.prefix(4) == Data("abcd".utf8))
                    #expect(try names(in: directory) == ["letters"])
                }
            }
        }
    }

    @Test func `the progress of a download ends with all bytes`() async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                try await withAPI(at: server.baseURL) { api in
                    let last = Mutex(TaskProgress())
                    try await api.download("range/300000", to: directory.appending(path: "a")) { progress in
                        last.withLock { $0 = progress }
                    }
                    #expect(last.withLock { $0.download.completed } == 300_000)
                    #expect(last.withLock { $0.fractionCompleted } == 1)
                }
            }
        }
    }

    @Test func `a download with closures tells of the file`() async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                try await withAPI(at: server.baseURL) { api in
                    var api = api
                    api.completionQueue = .global()
                    let file = directory.appending(path: "a")
                    let (results, continuation) = AsyncStream.makeStream(of: Result<URL, NetworkingError>.self)
                    let task = api.download("range/10", to: file) { _, url in
                        continuation.yield(.success(url))
                    } failure: { _, error in
                        continuation.yield(.failure(error))
                    }
                    #expect(task != nil)
                    for await result in results {
                        let saved = try result.get()
                        #expect(saved == file)
                        break
                    }
                    api.download("status/404", to: file, success: nil) { task, error in
                        continuation.yield(.failure(error))
                        #expect(task?.head?.status == .notFound)
                    }
                    for await result in results {
                        guard case .failure(let error) = result else { throw Unmet(description: "no error: \(result)") }
                        #expect(error.code == .unacceptableStatusCode)
                        break
                    }
                }
            }
        }
    }

    @Test func `an error page is an error with its body, and no file`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .respond(404, body: #"{"reason": "gone"}"#)]) { server in
                try await withAPI(at: server.baseURL) { api in
                    let error = try await networkingError {
                        try await api.download("a", to: directory.appending(path: "a"))
                    }
                    #expect(error.code == .unacceptableStatusCode)
                    #expect(error.bodyString == #"{"reason": "gone"}"#)
                    #expect(error.resumeData == nil)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `an existing file is replaced, kept, or gets a neighbour`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "a.txt")
                    try Data("old".utf8).write(to: file)
                    let error = try await networkingError {
                        try await api.download("a", to: .file(file, options: .withoutOverwriting))
                    }
                    #expect(error.code == .outputFailed)
                    #expect(try Data(contentsOf: file) == Data("old".utf8))
                    let other = try await api.download("a", to: .file(file, options: .uniqueName))
                    #expect(other.lastPathComponent == "a 2.txt")
                    let third = try await api.download("a", to: .file(file, options: .uniqueName))
                    #expect(third.lastPathComponent == "a 3.txt")
                    try await api.download("a", to: file)
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                    #expect(try names(in: directory) == ["a 2.txt", "a 3.txt", "a.txt"])
                }
            }
        }
    }

    @Test func `a missing folder is made only when that is allowed`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "x/y/a.txt")
                    let error = try await networkingError { try await api.download("a", to: file) }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("No such file or directory"))
                    try await api.download("a", to: .file(file, options: .createDirectories))
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                }
            }
        }
    }

    @Test func `a folder gets the name that the server suggests`() async throws {
        try await withDirectory { directory in
            let name = "attachment; filename=\"../../na\u{EF}ve.txt\""
            try await FaultServer.run(
                .requests { request in
                    [.respond(headers: request.target == "/x.bin" ? [] : [("Content-Disposition", name)], body: "new")]
                }
            ) { server in
                try await withAPI(at: server.baseURL) { api in
                    let folder = directory.appending(path: "downloads")
                    let first = try await api.download("a", to: .folder(folder))
                    #expect(first.lastPathComponent == "naïve.txt")
                    let second = try await api.download("x.bin", to: .folder(folder))
                    #expect(second.lastPathComponent == "x.bin")
                    #expect(try names(in: folder) == ["naïve.txt", "x.bin"])
                    #expect(try names(in: directory) == ["downloads"])
                }
            }
        }
    }

    @Test func `a closure decides where the file goes, and its error ends the download`() async throws {
        struct Refusal: Error {}
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(headers: [("X-Kind", "k")], body: "new")] }) {
                server in
                try await withAPI(at: server.baseURL) { api in
                    let file = try await api.download(
                        "a",
                        to: DecidedDestination { head, request in
                            let kind = HTTPField.Name("X-Kind").flatMap { head[$0] } ?? ""
                            return DownloadTarget(directory.appending(path: request.url.lastPathComponent + kind))
                        }
                    )
                    #expect(file.lastPathComponent == "ak")
                    let error = try await networkingError {
                        try await api.download("a", to: DecidedDestination { _, _ in throw Refusal() })
                    }
                    #expect(error.code == .outputFailed)
                    #expect(error.underlying is Refusal)
                }
            }
        }
    }

    @Test func `a link stays, and what it names is written`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
                try await withAPI(at: server.baseURL) { api in
                    let (file, link) = (directory.appending(path: "file"), directory.appending(path: "link"))
                    try Data("old".utf8).write(to: file)
                    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
                    try await api.download("a", to: link)
                    #expect(try Data(contentsOf: file) == Data("new".utf8))
                    #expect(
                        try FileManager.default.attributesOfItem(atPath: link.path)[.type] as? FileAttributeType
                            == .typeSymbolicLink
                    )
                }
            }
        }
    }

    @Test(arguments: ["https://example.com/a", "file://example.com/tmp/a", "file:///tmp/a%00b"])
    func `what is no file of this machine is an error`(text: String) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await withAPI(at: server.baseURL) { api in
                let url = try #require(URL(string: text))
                let error = try await networkingError { try await api.download("a", to: url) }
                #expect(error.code == .outputFailed)
                let response = try await api.stream("a").open()
                let second = try await networkingError { try await response.body.write(to: url) }
                #expect(second.code == .outputFailed)
            }
        }
    }

    @Test func `a device is written to directly`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await withAPI(at: server.baseURL) { api in
                let null = URL(filePath: "/dev/null")
                let saved = try await api.download("a", to: null)
                #expect(saved == null)
            }
        }
    }

    @Test func `a disk without room is an error that says so`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "new")]) { server in
            try await withAPI(at: server.baseURL) { api in
                let error = try await networkingError { try await api.download("a", to: URL(filePath: "/dev/full")) }
                #expect(error.code == .outputFailed)
                #expect(error.message.contains("No space left on device"))
            }
        }
    }

    @Test func `a file that no disk can hold fails before its bytes come`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(1 << 60)\r\nETag: \"a\"\r\n\r\n"), .stall,
        ]
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let error = try await networkingError {
                        try await api.download("a", to: directory.appending(path: "a"))
                    }
                    #expect(error.code == .outputFailed)
                    #expect(error.resumeData == nil)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a task that is cancelled before it starts, and dropped, ends once, as cancelled`() async throws {
        try await withDirectory { directory in
            let request = try Request(to: "http://example.com/a")
            let resumeData = ResumeData(
                url: request.url,
                partialFile: directory.appending(path: "a.bluebonnet"),
                byteCount: 1,
                totalByteCount: 2,
                validator: .entityTag("\"a\"")
            )
            try await withSession(SessionConfiguration()) { session in
                let errors = EventLog<NetworkingError?>()
                let rounds = 200
                for _ in 0..<rounds {
                    let file = directory.appending(path: "a")
                    let task = session.downloadTask(for: request, to: file, resuming: resumeData)
                    task.whenComplete { outcome in
                        if case .failure(let error) = outcome { errors.append(error) } else { errors.append(nil) }
                    }
                    task.cancel()
                }
                try await until("all have ended") { errors.events.count >= rounds }
                #expect(errors.events.count == rounds)
                #expect(errors.events.allSatisfy { $0?.code == .cancelled })
            }
        }
        let ending = TaskEnding<Int>()
        ending.end(1)
        ending.end(2)
        #expect(await ending.outcome(onCancel: {}) == 1)
    }

    private struct Streaming: Transport {
        let pieces: AsyncStream<[UInt8]>

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            TransportResponse(head: ResponseHead(status: .ok), body: .stream(pieces), request: request)
        }
    }

    @Test func `a body from a sequence that never ends can be cancelled`() async throws {
        let (pieces, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        continuation.yield([1])
        let transport = Streaming(pieces: pieces)
        try await withDirectory { directory in
            try await withSession(transport: transport) { session in
                let file = directory.appending(path: "a")
                let task = session.downloadTask(for: try Request(to: "http://example.com/"), to: file)
                task.resume()
                try await until("the partial file is there") { (try? names(in: directory)) == ["a.bluebonnet"] }
                task.cancel()
                let error = try await networkingError { try await task.value }
                #expect(error.isCancelled)
                #expect(try names(in: directory).isEmpty)
            }
        }
    }

    @Test func `two downloads never write to one file`() async throws {
        try await withDirectory { directory in
            let gate = FaultGate()
            let script: FaultServer.Script = .connections([
                [
                    .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nfir"), .hold(gate), .send("st!"),
                    .readRequest,
                ],
                [.readRequest, .respond(body: "second")],
            ])
            try await FaultServer.run(script) { server in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "a")
                    let first = try api.downloadTask(.get, "a", to: file)
                    first.resume()
                    for await progress in first.progress where progress.download.completed > 0 { break }
                    try await until("the partial file is there") { (try? names(in: directory)) == ["a.bluebonnet"] }
                    let error = try await networkingError { try await api.download("a", to: file) }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("Another download writes to"))
                    gate.open()
                    let saved = try await first.value
                    #expect(saved == file)
                    #expect(try Data(contentsOf: file) == Data("first!".utf8))
                    #expect(try names(in: directory) == ["a"])
                }
            }
        }
    }

    @Test func `a body with a content coding is decoded`() async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "a.json")
                    try await api.download("gzip", to: file)
                    #expect(try JSONValue(parsing: Data(contentsOf: file))["gzipped"] == true)
                }
            }
        }
    }

    @Test func `a request asks for no coding, unless it says otherwise`() async throws {
        try await withDirectory { directory in
            try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
                try await withAPI(at: server.baseURL) { api in
                    let file = directory.appending(path: "a")
                    try await api.download("a", to: file)
                    try await api.download("a", headers: [.acceptEncoding: "gzip"], to: file)
                    #expect(server.requests.map { $0.value(of: "Accept-Encoding") } == ["identity", "gzip"])
                }
            }
        }
    }

    // MARK: The session

    @Test func `downloads are among the tasks of their session`() async throws {
        try await FaultServer.run([.readRequest, .stall]) { server in
            try await withDirectory { directory in
                try await withSession { session in
                    let request = try Request(to: server.baseURL)
                    let task = session.downloadTask(for: request, to: directory.appending(path: "a"))
                    #expect(session.downloadTasks.map(\.identifier) == [task.identifier])
                    task.resume()
                    try await server.waitForRequests(1)
                    #expect(session.downloadTasks.first === task)
                    #expect(task.state == .running)
                    task.cancel()
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCancelled)
                    #expect(session.tasks.isEmpty)
                    #expect(task.state == .completed)
                    #expect(try names(in: directory).isEmpty)
                }
            }
        }
    }

    @Test func `a suspended download holds the server back`() async throws {
        let size = 64 << 20
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\na"), .hold(gate),
            .fill(UInt8(ascii: "a"), count: size),
        ]
        try await FaultServer.run(script, options: .init(sendBuffer: 65_536)) { server in
            try await withDirectory { directory in
                try await withSession { session in
                    let file = directory.appending(path: "a")
                    let task = session.downloadTask(for: try Request(to: server.baseURL), to: file)
                    let progress = task.progress
                    task.resume()
                    for await step in progress where step.download.completed == 1 { break }
                    task.suspend()
                    gate.open()
                    await #expect(throws: FaultServer.WaitTimeout.self) {
                        try await server.wait("everything sent", timeout: .milliseconds(500)) { record in
                            record.connections[0].bytesSent > size
                        }
                    }
                    task.resume()
                    _ = try await task.value
                    #expect(try SystemFile.size(of: file.path) == size + 1)
                }
            }
        }
    }
}
