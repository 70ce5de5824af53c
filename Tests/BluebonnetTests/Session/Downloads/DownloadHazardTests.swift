import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@testable import Bluebonnet

/// Downloads whose folder others use, and whose server sends what is allowed but rare.
@Suite(.timeLimit(.minutes(5)))
struct DownloadHazardTests {
    // MARK: The folder

    @Test(arguments: [false, true])
    func `a partial file that somebody replaced or removed is not put in place`(isReplaced: Bool) async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"a\"\r\n\r\nfir"), .hold(gate),
            .send("st!"),
        ]
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let partial = directory.appending(path: "a.bluebonnet")
                    let task = try api.downloadTask(.get, "a", to: file)
                    task.resume()
                    try await until("bytes are in the file") { (try? SystemFile.size(of: partial.path)) == 3 }
                    try FileManager.default.removeItem(at: partial)
                    if isReplaced { try Data("half of another".utf8).write(to: partial) }
                    gate.open()
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("a.bluebonnet was removed or replaced"))
                    #expect(error.resumeData == nil)
                    #expect(try names(in: directory) == (isReplaced ? ["a.bluebonnet"] : []))
                }
            }
        }
    }

    enum Obstacle: CaseIterable {
        case link, linkToNothing, folder, pipe
    }

    @Test(arguments: Obstacle.allCases)
    func `a file with a unique name is in its folder, whatever has the name`(obstacle: Obstacle) async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "new")] }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let outside = directory.appending(path: "outside")
                    let downloads = directory.appending(path: "downloads")
                    for folder in [outside, downloads] {
                        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    }
                    let (name, other) = (downloads.appending(path: "a.txt"), outside.appending(path: "b.txt"))
                    try Data("old".utf8).write(to: other)
                    switch obstacle {
                    case .link: try FileManager.default.createSymbolicLink(at: name, withDestinationURL: other)
                    case .linkToNothing:
                        let nothing = outside.appending(path: "c.txt")
                        try FileManager.default.createSymbolicLink(at: name, withDestinationURL: nothing)
                    case .folder:
                        try FileManager.default.createDirectory(at: name, withIntermediateDirectories: false)
                    case .pipe: try #require(unsafe mkfifo(name.path, 0o600) == 0)
                    }
                    let error = try await networkingError {
                        try await api.download("a.txt", to: .file(name, options: .withoutOverwriting))
                    }
                    #expect(error.code == .outputFailed)
                    #expect(error.message.contains("File exists"), "\(error)")
                    let saved = try await api.download("a.txt", to: .folder(downloads))
                    #expect(saved.lastPathComponent == "a 2.txt")
                    #expect(try Data(contentsOf: downloads.appending(path: "a 2.txt")) == Data("new".utf8))
                    #expect(try names(in: downloads) == ["a 2.txt", "a.txt"])
                    #expect(try names(in: outside) == ["b.txt"])
                    #expect(try Data(contentsOf: other) == Data("old".utf8))
                }
            }
        }
    }

    @Test(arguments: [200, 100])
    func `a pipe gets the whole file, also when a part of it is there`(received: Int) async throws {
        let responses = Mutex(RangeResponses(bytes: RangeResponses.bytes(200), cut: 100))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let first = try await networkingError {
                        try await api.download("a", to: directory.appending(path: "a"))
                    }
                    var resumeData = try #require(first.resumeData)
                    if received == 200 {
                        try Data(responses.withLock { $0.bytes }).write(to: resumeData.partialFile)
                        resumeData = ResumeData(
                            url: resumeData.url,
                            partialFile: resumeData.partialFile,
                            byteCount: received,
                            totalByteCount: received,
                            validator: resumeData.validator,
                            token: resumeData.token
                        )
                    }
                    responses.withLock { $0.cut = nil }
                    let pipe = directory.appending(path: "pipe")
                    try #require(unsafe mkfifo(pipe.path, 0o600) == 0)
                    // The pipe holds the bytes until they are read.
                    let descriptor = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK)
                    try #require(descriptor >= 0)
                    let reader = SystemFile(descriptor: descriptor, path: pipe.path)
                    try await api.download("a", to: pipe, resuming: resumeData)
                    let read = try reader.read(upTo: 1_000).map { Array(buffer: $0) }
                    #expect(read == responses.withLock { $0.bytes })
                    #expect(try names(in: directory) == ["pipe"])
                }
            }
        }
    }

    @Test func `a limit for the size of files is an error, not the end of the process`() async {
        // In another process, because the limit holds for all of it.
        await #expect(processExitsWith: .success) {
            try await FaultServer.run([.readRequest, .respond(bytes: [UInt8](repeating: 1, count: 500_000))]) {
                server in
                try await withAPI(at: server.baseURL) { api in
                    try await withDirectory { directory in
                        var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
                        try #require(unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0)
                        let error = try await networkingError {
                            try await api.download("a", to: directory.appending(path: "a"))
                        }
                        #expect(error.code == .outputFailed)
                        #expect(error.message.contains("File too large"))
                        #expect(try names(in: directory).isEmpty)
                    }
                }
            }
        }
    }

    // MARK: Cancelling

    /// A server that sends a part, and to later requests nothing.
    private static let half: FaultServer.Script = .connections([
        [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n\r\nhalf"), .close],
        [.readRequest, .stall],
    ])

    @Test(arguments: [false, true], [false, true])
    func `a continued download that is cancelled early is removed, or kept`(isStarted: Bool, isKept: Bool) async throws
    {
        try await FaultServer.run(Self.half) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let first = try await networkingError { try await api.download("a", to: file) }
                    let task = try api.downloadTask(.get, "a", to: file, resuming: first.resumeData)
                    if isStarted {
                        task.resume()
                        try await server.waitForRequests(2)
                    }
                    if isKept {
                        #expect(await task.cancelProducingResumeData() == first.resumeData)
                    } else {
                        task.cancel()
                    }
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCancelled)
                    #expect(try names(in: directory) == (isKept ? ["a.bluebonnet"] : []))
                }
            }
        }
    }

    @Test func `a download that is cancelled does not remove the file of another one`() async throws {
        try await FaultServer.run(Self.half) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let first = try await networkingError { try await api.download("a", to: file) }
                    let resumeData = try #require(first.resumeData)
                    let task = try api.downloadTask(.get, "a", to: file, resuming: resumeData)
                    let owner = try SystemFile.exclusive(resumeData.partialFile.path(percentEncoded: false))
                    task.cancel()
                    let error = try await networkingError { try await task.value }
                    #expect(error.isCancelled)
                    #expect(owner.hasItsName)
                    #expect(try owner.size() == 4)
                }
            }
        }
    }

    // MARK: The server

    @Test func `a part without the fields of the whole goes to the same file of a folder`() async throws {
        let disposition = "Content-Type: text/plain\r\nContent-Disposition: attachment; filename=name.txt\r\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n"
        let script: FaultServer.Script = .connections([
            [.readRequest, .send("\(head)\(disposition)\r\nhalf"), .close],
            [
                .readRequest,
                .respond(206, headers: [("Content-Range", "bytes 4-8/9"), ("ETag", "\"v1\"")], body: " more"),
            ],
        ])
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let first = try await networkingError { try await api.download("x.bin", to: .folder(directory)) }
                    #expect(try names(in: directory) == ["name.txt.bluebonnet"])
                    let types = Mutex<[String?]>([])
                    let destination = DecidedDestination { head, request in
                        types.withLock { $0.append(head.mediaType) }
                        let name = head.suggestedFileName(for: request.url)
                        return DownloadTarget(directory.appending(path: name))
                    }
                    let saved = try await api.download("x.bin", to: destination, resuming: first.resumeData)
                    #expect(saved.lastPathComponent == "name.txt")
                    #expect(types.withLock { $0 } == ["text/plain"])
                    #expect(try names(in: directory) == ["name.txt"])
                }
            }
        }
    }

    @Test(arguments: [206, 416])
    func `what was received stays until the new version is there`(status: Int) async throws {
        let bytes = RangeResponses.bytes(2_000)
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 1_200))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let first = try await networkingError { try await api.download("a", to: file) }
                    let script: FaultServer.Script = .requests { request in
                        guard request.value(of: "Range") != nil else { return [.respond(503, body: "busy")] }
                        let range = status == 206 ? "bytes 1200-1204/1205" : "bytes */5"
                        return [
                            .respond(status, headers: [("ETag", "\"v2\""), ("Content-Range", range)], body: "wrong")
                        ]
                    }
                    try await FaultServer.run(script) { other in
                        let error = try await networkingError {
                            try await api.download(other.baseURL, to: file, resuming: first.resumeData)
                        }
                        #expect(error.code == .unacceptableStatusCode)
                        #expect(error.resumeData?.byteCount == 1_200)
                        #expect(other.requests.count == 2)
                    }
                    responses.withLock { $0.cut = nil }
                    try await api.download("a", to: file, resuming: first.resumeData)
                    #expect(server.requests.last?.value(of: "Range") == "bytes=1200-")
                    #expect(try Data(contentsOf: file) == Data(bytes))
                }
            }
        }
    }

    /// A server that sends at most some bytes of what it is asked for.
    private static func inParts(of most: Int, _ bytes: [UInt8], total: String? = nil) -> FaultServer.Script {
        .requests { request in
            let tag = ("ETag", "\"v1\"")
            guard let range = request.value(of: "Range") else {
                let length = total == nil ? "Content-Length: \(bytes.count)\r\n" : "Transfer-Encoding: chunked\r\n"
                let body = total == nil ? "" : "a\r\n"
                let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\(length)\r\n\(body)"
                return [.send(Array(head.utf8) + bytes.prefix(10)), .close]
            }
            let start = Int(range.dropFirst(6).dropLast()) ?? 0
            guard start < bytes.count else {
                return [.respond(416, headers: [tag, ("Content-Range", "bytes */\(bytes.count)")])]
            }
            let end = min(start + most, bytes.count)
            let part = ("Content-Range", "bytes \(start)-\(end - 1)/\(total ?? String(bytes.count))")
            return [.respond(206, headers: [tag, part], bytes: Array(bytes[start..<end]))]
        }
    }

    @Test func `parts of a whole of unknown length are asked for until there is none`() async throws {
        let bytes = RangeResponses.bytes(200)
        try await FaultServer.run(Self.inParts(of: 100, bytes, total: "*")) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let first = try await networkingError { try await api.download("a", to: file) }
                    #expect(first.resumeData?.byteCount == 10)
                    #expect(first.resumeData?.totalByteCount == nil)
                    try await api.download("a", to: file, resuming: first.resumeData)
                    #expect(try Data(contentsOf: file) == Data(bytes))
                    #expect(
                        server.requests.dropFirst().map { $0.value(of: "Range") }
                            == ["bytes=10-", "bytes=110-", "bytes=200-"]
                    )
                }
            }
        }
    }

    @Test func `the progress never goes back, and the file is decided once, however many parts come`() async throws {
        let bytes = RangeResponses.bytes(1_000)
        try await FaultServer.run(Self.inParts(of: 300, bytes)) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let count = Mutex(0)
                    let destination = DecidedDestination { _, _ in
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        return DownloadTarget(directory.appending(path: "file \(number)"))
                    }
                    let first = try await networkingError { try await api.download("a", to: destination) }
                    let seen = Mutex<[TransferProgress]>([])
                    let saved = try await api.download("a", to: destination, resuming: first.resumeData) { progress in
                        seen.withLock { $0.append(progress.download) }
                    }
                    #expect(saved.lastPathComponent == "file 2")
                    #expect(try Data(contentsOf: saved) == Data(bytes))
                    #expect(server.requests.count == 5)
                    let progress = seen.withLock { $0 }
                    #expect(progress.allSatisfy { $0.total == 1_000 })
                    #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.completed <= $1.completed })
                    #expect(progress.first?.completed == 10)
                    #expect(progress.last?.completed == 1_000)
                }
            }
        }
    }

    @Test func `a part that is longer than its Content-Range is refused, and nothing of it is kept`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n\r\n"
        let part = "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes 4-8/9\r\n"
        let script: FaultServer.Script = .connections([
            [.readRequest, .send("\(head)half"), .close],
            [.readRequest, .send("\(part)Transfer-Encoding: chunked\r\n\r\n7\r\n more: \r\n0\r\n\r\n")],
        ])
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let first = try await networkingError { try await api.download("a", to: file) }
                    let error = try await networkingError {
                        try await api.download("a", to: file, resuming: first.resumeData)
                    }
                    #expect(error.code == .unexpectedContentRange && error.response?.status.code == 206)
                    #expect(error.resumeData?.byteCount == 4)
                    #expect(try names(in: directory) == ["a.bluebonnet"])
                }
            }
        }
    }

    @Test func `downloads with one wish for a name do not take what the other one has kept`() async throws {
        let script: FaultServer.Script = .requests { request in
            guard request.value(of: "Range") == nil else {
                return [.respond(206, headers: [("ETag", "\"v1\""), ("Content-Range", "bytes 4-8/9")], body: " more")]
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nETag: \"v1\"\r\n\r\n"
            return request.target == "/1/x" ? [.send("\(head)half"), .close] : [.send("\(head)the other")]
        }
        try await FaultServer.run(script) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let destination = DownloadTarget(directory.appending(path: "x"), options: .uniqueName)
                    let first = try await networkingError { try await api.download("1/x", to: destination) }
                    let other = try await api.download("2/x", to: destination)
                    #expect(other.lastPathComponent == "x")
                    let saved = try await api.download("1/x", to: destination, resuming: first.resumeData)
                    #expect(saved.lastPathComponent == "x 2")
                    #expect(try String(contentsOf: saved, encoding: .utf8) == "half more")
                }
            }
        }
    }

    @Test func `the progress of a file that changed begins at zero`() async throws {
        let bytes = RangeResponses.bytes(1_000)
        let responses = Mutex(RangeResponses(bytes: bytes, cut: 600))
        try await FaultServer.run(.requests { request in responses.withLock { $0.steps(request) } }) { server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    let first = try await networkingError { try await api.download("a", to: file) }
                    responses.withLock { $0 = RangeResponses(bytes: Array(bytes.prefix(700)), tag: "\"v2\"") }
                    let last = Mutex(TaskProgress())
                    try await api.download("a", to: file, resuming: first.resumeData) { progress in
                        last.withLock { $0 = progress }
                    }
                    #expect(last.withLock { $0.download.completed } == 700)
                    #expect(last.withLock { $0.download.total } == 700)
                }
            }
        }
    }

    @Test func `a response without a body is an empty file`() async throws {
        try await FaultServer.run(.requests { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")] }) {
            server in
            try await withAPI(at: server.baseURL) { api in
                try await withDirectory { directory in
                    let file = directory.appending(path: "a")
                    _ = try await api.downloadTask(.head, "a", to: file).value
                    #expect(try Data(contentsOf: file).isEmpty)
                }
            }
        }
    }

    /// Responds with four bytes, whatever is asked for, and another length.
    private struct Whole: Transport {
        var length = 3
        var count = Counter()

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            count.increment()
            let fields: HTTPFields = [.contentLength: "\(length)", .eTag: "\"v1\""]
            let head = ResponseHead(status: .ok, headerFields: fields)
            return TransportResponse(head: head, body: .data(Data("four".utf8)), request: request)
        }
    }

    @Test func `a body that is shorter than its length is asked for once more, and not for ever`() async throws {
        try await withDirectory { directory in
            let transport = Whole(length: 9)
            try await withSession(transport: transport) { session in
                let request = try Request(to: "http://example.com/")
                let error = try await networkingError {
                    try await session.download(request, to: directory.appending(path: "a"))
                }
                #expect(error.code == .truncatedResponse)
                #expect(error.message.contains("The file has 4 of 9 bytes"))
                #expect(transport.count.value == 2)
            }
        }
    }

    @Test func `a body that is longer than its length is not continued`() async throws {
        try await withDirectory { directory in
            try await withSession(transport: Whole()) { session in
                let request = try Request(to: "http://example.com/")
                let error = try await networkingError {
                    try await session.download(request, to: directory.appending(path: "a"))
                }
                #expect(error.message.contains("The file has 4 of 3 bytes"))
                #expect(error.resumeData == nil)
                #expect(try names(in: directory).isEmpty)
            }
        }
    }
}
