import Bluebonnet
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// What a hook makes of the response of a data task.
@Suite(.timeLimit(.minutes(5)))
struct ResponseDispositionTests {
    /// Keeps the tasks that hooks hand out.
    private final class Kept<Kind: SessionTask>: Sendable {
        private let tasks = Mutex<[Kind]>([])

        var first: Kind? { tasks.withLock(\.first) }

        func keep(_ task: Kind) { tasks.withLock { $0.append(task) } }
    }

    /// Sends a head and the first half, and the second half when the gate is open.
    private static func halves(_ gate: FaultGate, status: Int = 200) -> FaultServer.Script {
        [
            .readRequest,
            .send("HTTP/1.1 \(status) Scripted\r\nContent-Length: 20\r\nETag: \"1\"\r\n\r\nfirst half"),
            .hold(gate), .send("the second"), .stall,
        ]
    }

    private static func configuration(
        _ disposition: ResponseDisposition,
        _ change: (inout SessionHooks) -> Void = { _ in }
    ) -> SessionConfiguration {
        var configuration = SessionConfiguration()
        configuration.hooks.dataTaskDidReceiveResponse = { _, _ in disposition }
        change(&configuration.hooks)
        return configuration
    }

    @Test func `a response that is cancelled ends its task and its connection`() async throws {
        try await FaultServer.run(Self.halves(FaultGate())) { server in
            try await withSession(Self.configuration(.cancel)) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .cancelled && error.response?.status == .ok)
                try await server.waitUntilClientClosed()
            }
        }
    }

    // MARK: Downloads

    @Test func `a data task becomes a download, which has its response`() async throws {
        try await withDirectory { directory in
            let (gate, log, kept) = (FaultGate(), EventLog<String>(), Kept<DownloadTask>())
            try await FaultServer.run(Self.halves(gate)) { server in
                let configuration = Self.configuration(.becomeDownload(to: .folder(directory))) { hooks in
                    hooks.sessionDidCreateTask = { log.append("created \($0.identifier)") }
                    hooks.dataTaskDidBecomeDownload = { old, new in
                        kept.keep(new)
                        log.append("became \(old.identifier) \(new.identifier) \(new.state)")
                        gate.open()
                    }
                    hooks.dataTaskDidReceiveData = { _, _ in log.append("data") }
                    hooks.downloadTaskDidWriteData = {
                        log.append("wrote \($0.identifier) \($2 == $3 ? "all" : "part")")
                    }
                    hooks.downloadTaskDidFinishDownloading = {
                        log.append("finished \($0.identifier) \($1.lastPathComponent.hasSuffix(".bluebonnet"))")
                        return nil
                    }
                    hooks.taskDidComplete = { log.append("complete \($0.identifier) \($1?.code.rawValue ?? "nil")") }
                }
                try await withSession(configuration) { session in
                    let task = session.dataTask(for: try Request(to: server.baseURL + "/a.txt"))
                    let error = try await networkingError { try await task.value }
                    #expect(error.code == .becameDownload && task.state == .completed)
                    #expect(error.response?.status == .ok)
                    // The old task is over, and does nothing to the new one.
                    task.cancel()
                    task.suspend()
                    let download = try #require(kept.first)
                    let response = try await download.response
                    #expect(try String(contentsOf: response.value, encoding: .utf8) == "first halfthe second")
                    #expect(response.value.lastPathComponent == "a.txt")
                    #expect(response.metrics.transactions.count == 1)
                    #expect(response.metrics.transactions.first?.bytes.decodedResponseBody == 20)
                    #expect(download.currentProgress.download.completed == 20)
                    #expect(download.head?.status == .ok && server.requests.count == 1)
                    #expect(session.tasks.isEmpty)
                }
            }
            let events = log.events.filter { !$0.hasSuffix("part") }
            let expected = [
                "created 1", "became 1 2 running", "wrote 2 all", "finished 2 true", "complete 2 nil",
            ]
            #expect(events == expected)
        }
    }

    @Test func `a download that nobody keeps is written all the same`() async throws {
        try await withDirectory { directory in
            let gate = FaultGate()
            gate.open()
            try await FaultServer.run(Self.halves(gate, status: 404)) { server in
                let file = directory.appending(path: "page")
                try await withSession(Self.configuration(.becomeDownload(to: file))) { session in
                    let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                    #expect(error.code == .becameDownload)
                    try await until("the file is there") { FileManager.default.fileExists(atPath: file.path) }
                    #expect(try String(contentsOf: file, encoding: .utf8) == "first halfthe second")
                }
            }
        }
    }

    @Test func `a 304 that becomes a download is a whole, empty file, whatever length it names`() async throws {
        let head = "HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\nETag: \"v1\"\r\n\r\n"
        try await withDirectory { directory in
            try await FaultServer.run([.readRequest, .send(head)]) { server in
                let kept = Kept<DownloadTask>()
                let configuration = Self.configuration(.becomeDownload(to: directory.appending(path: "a"))) { hooks in
                    hooks.dataTaskDidBecomeDownload = { kept.keep($1) }
                }
                try await withSession(configuration) { session in
                    let request = try Request(to: server.baseURL, headerFields: [.ifNoneMatch: "\"v1\""])
                    _ = try await networkingError { try await session.data(for: request) }
                    let file = try await #require(kept.first).value
                    #expect(try Data(contentsOf: file).isEmpty)
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a download that was a data task is stopped and continued like others`(isSuspended: Bool) async throws {
        try await withDirectory { directory in
            let (gate, kept) = (FaultGate(), Kept<DownloadTask>())
            try await FaultServer.run(Self.halves(gate)) { server in
                let configuration = Self.configuration(.becomeDownload(to: directory.appending(path: "a"))) { hooks in
                    hooks.dataTaskDidBecomeDownload = { kept.keep($1) }
                }
                try await withSession(configuration) { session in
                    let task = session.dataTask(for: try Request(to: server.baseURL))
                    _ = try await networkingError { try await task.value }
                    let download = try #require(kept.first)
                    if isSuspended {
                        download.suspend()
                        gate.open()
                        #expect(download.state == .suspended)
                        download.resume()
                        _ = try await download.value
                        #expect(try names(in: directory) == ["a"])
                    } else {
                        download.cancel()
                        let error = try await networkingError { try await download.value }
                        #expect(error.code == .cancelled)
                        try await server.waitUntilClientClosed()
                        #expect(try names(in: directory) == [])
                    }
                }
            }
        }
    }

    @Test func `a download that was a data task has its deadline`() async throws {
        try await withDirectory { directory in
            let kept = Kept<DownloadTask>()
            try await FaultServer.run(Self.halves(FaultGate())) { server in
                let configuration = Self.configuration(.becomeDownload(to: directory.appending(path: "a"))) { hooks in
                    hooks.dataTaskDidBecomeDownload = { kept.keep($1) }
                }
                try await withSession(configuration) { session in
                    let request = try Request(to: server.baseURL, timeouts: Timeouts(request: .seconds(1)))
                    _ = try await networkingError { try await session.data(for: request) }
                    let error = try await networkingError { try await kept.first?.value }
                    #expect(error.code == .requestTimeout)
                }
            }
        }
    }

    // MARK: Streams

    @Test func `a data task becomes a stream, which has its response`() async throws {
        let (gate, log, kept) = (FaultGate(), EventLog<String>(), Kept<StreamTask>())
        try await FaultServer.run(Self.halves(gate)) { server in
            let configuration = Self.configuration(.becomeStream) { hooks in
                hooks.dataTaskDidBecomeStream = { old, new in
                    kept.keep(new)
                    log.append("became \(old.identifier) \(new.identifier) \(new.state)")
                }
                hooks.taskDidComplete = { log.append("complete \($0.identifier) \($1?.code.rawValue ?? "nil")") }
            }
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .becameStream)
                let stream = try #require(kept.first)
                #expect(session.streamTasks.map(\.identifier) == [stream.identifier])
                var pieces = try await stream.value.body.makeAsyncIterator()
                #expect(try await pieces.next() == Data("first half".utf8))
                gate.open()
                var rest = Data()
                while let piece = try await pieces.next() { rest += piece }
                #expect(rest == Data("the second".utf8))
                try await until("the stream is complete") { log.events.count == 2 }
                #expect(stream.metrics?.transactions.count == 1 && server.requests.count == 1)
            }
        }
        #expect(log.events == ["became 1 2 running", "complete 2 nil"])
    }

    @Test func `a stream that nobody keeps is cancelled`() async throws {
        let log = EventLog<String>()
        try await FaultServer.run(Self.halves(FaultGate())) { server in
            let configuration = Self.configuration(.becomeStream) { hooks in
                hooks.taskDidComplete = { log.append("\($0.identifier) \($1?.code.rawValue ?? "nil")") }
            }
            try await withSession(configuration) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .becameStream)
                try await server.waitUntilClientClosed()
                try await until("the stream is complete") { log.events == ["2 cancelled"] }
                #expect(session.tasks.isEmpty)
            }
        }
    }

    // MARK: Misuse

    @Test(arguments: Stop.allCases)
    func `a hook that hands out a download and does not return keeps neither task`(stop: Stop) async throws {
        let (gate, calls) = (Gate(), Counter())
        defer { gate.open() }
        try await withDirectory { directory in
            try await FaultServer.run(Self.halves(FaultGate())) { server in
                let configuration = Self.configuration(.becomeDownload(to: directory.appending(path: "a"))) { hooks in
                    hooks.dataTaskDidBecomeDownload = { _, _ in
                        calls.increment()
                        await gate.wait()
                    }
                }
                try await withSession(configuration) { session in
                    let caller = Task { [url = server.baseURL] in
                        let timeouts = stop == .requestTimeout ? Timeouts(request: .seconds(1)) : nil
                        return try await session.data(for: Request(to: url, timeouts: timeouts))
                    }
                    try await until("the hook waits") { calls.value == 1 }
                    switch stop {
                    case .cancel: session.cancelAllTasks()
                    case .cancelledCaller: caller.cancel()
                    case .requestTimeout: break
                    case .endOfSession: session.invalidate()
                    }
                    let error = try await networkingError { try await caller.value }
                    #expect(error.code == .becameDownload)
                    if stop == .cancelledCaller { session.cancelAllTasks() }
                    try await until("the download has ended") { session.tasks.isEmpty }
                }
            }
        }
    }

    @Test func `a destination that cannot be used fails the download, not the data task`() async throws {
        try await withDirectory { directory in
            let kept = Kept<DownloadTask>()
            let missing = directory.appending(path: "missing/a")
            try await FaultServer.run(Self.halves(FaultGate())) { server in
                let configuration = Self.configuration(.becomeDownload(to: missing)) { hooks in
                    hooks.dataTaskDidBecomeDownload = { kept.keep($1) }
                }
                try await withSession(configuration) { session in
                    let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                    #expect(error.code == .becameDownload)
                    let failure = try await networkingError { try await kept.first?.value }
                    #expect(failure.code == .outputFailed)
                }
            }
        }
    }
}
