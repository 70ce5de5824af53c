import Bluebonnet
import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

/// What a download or a stream has of the data task that became it: its response, its state, its
/// counts and its session.
@Suite(.timeLimit(.minutes(5)))
struct HandoverTests {
    /// What a data task becomes.
    enum Successor: CaseIterable {
        case download, stream

        var code: NetworkingError.Code { self == .download ? .becameDownload : .becameStream }
    }

    /// Has every data task of a session become a download or a stream, and reads that.
    private final class Reader: Sendable {
        let successor: Successor
        private let directory: URL
        private let began = Gate()
        private let task = Mutex<(any SessionTask)?>(nil)

        init(_ successor: Successor, in directory: URL) {
            self.successor = successor
            self.directory = directory
        }

        var disposition: ResponseDisposition {
            successor == .download ? .becomeDownload(to: directory.appending(path: "a")) : .becomeStream
        }

        var hooks: SessionHooks {
            var hooks = SessionHooks()
            hooks.dataTaskDidReceiveResponse = { [disposition] _, _ in disposition }
            hooks.dataTaskDidBecomeDownload = { self.take($1) }
            hooks.dataTaskDidBecomeStream = { self.take($1) }
            return hooks
        }

        private func take(_ task: any SessionTask) {
            self.task.withLock { $0 = task }
            began.open()
        }

        /// The new task, when it is there.
        var newTask: any SessionTask {
            get async throws {
                await began.wait()
                return try #require(task.withLock { $0 })
            }
        }

        /// The whole body of the new task.
        func body() async throws -> Data {
            let task = try await newTask
            if let download = task as? DownloadTask { return try Data(contentsOf: try await download.value) }
            guard let stream = task as? StreamTask else { return Data() }
            return try await stream.value.body.collect()
        }
    }

    /// Sends a head and the first half, and the second half when the gate is open.
    private static func halves(_ gate: FaultGate) -> FaultServer.Script {
        [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\nETag: \"1\"\r\n\r\nfirst half"),
            .hold(gate), .send("the second"), .stall,
        ]
    }

    private func withReader(
        _ successor: Successor,
        _ script: FaultServer.Script,
        _ change: (inout SessionConfiguration) -> Void = { _ in },
        _ body: (FaultServer, Reader, SessionManager) async throws -> Void
    ) async throws {
        try await withDirectory { directory in
            try await FaultServer.run(script) { server in
                let reader = Reader(successor, in: directory)
                var configuration = SessionConfiguration { $0.hooks = reader.hooks }
                change(&configuration)
                try await withSession(configuration) { session in try await body(server, reader, session) }
            }
        }
    }

    // MARK: The session

    @Test(arguments: Successor.allCases)
    func `a session that completes its tasks completes what they become`(successor: Successor) async throws {
        let (gate, second) = (FaultGate(), FaultGate())
        let script: FaultServer.Script = [
            .readRequest, .hold(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nfirst half"),
            .hold(second), .send("the second"), .stall,
        ]
        try await withReader(successor, script) { server, reader, session in
            let task = session.dataTask(for: try Request(to: server.baseURL))
            task.resume()
            try await server.waitForRequests(1)
            session.invalidate(cancellingTasks: false)
            gate.open()
            let error = try await networkingError { try await task.value }
            #expect(error.code == successor.code)
            second.open()
            #expect(try await reader.body() == Data("first halfthe second".utf8))
        }
    }

    @Test(arguments: Successor.allCases)
    func `what a data task became ends with its session`(successor: Successor) async throws {
        try await withReader(successor, Self.halves(FaultGate())) { server, reader, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == successor.code)
            session.invalidate()
            let end = try await networkingError { try await reader.body() }
            #expect(end.code == .sessionInvalidated)
            try await server.waitUntilClientClosed()
        }
    }

    @Test(arguments: Successor.allCases)
    func `an archive has the request once, with all of its bytes`(successor: Successor) async throws {
        let (gate, recorder) = (FaultGate(), HARRecorder())
        try await withReader(successor, Self.halves(gate), { $0.observers = [recorder] }) { server, reader, session in
            _ = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            gate.open()
            #expect(try await reader.body().count == 20)
            try await until("the archive has it") { recorder.log.entryCount > 0 }
        }
        #expect(recorder.log.entryCount == 1)
        let entry = recorder.log.json["log"]?["entries"]?.array?.first
        #expect(entry?["response"]?["bodySize"] == 20)
    }

    // MARK: Sent bytes

    @Test(arguments: Successor.allCases)
    func `bytes that the data task has sent are told once`(successor: Successor) async throws {
        let (gate, sent) = (FaultGate(), EventLog<String>())
        let change: (inout SessionConfiguration) -> Void = { configuration in
            configuration.hooks.taskDidSendBodyData = { sent.append("\($0.identifier): \($1) \($2) \($3 ?? -1)") }
        }
        try await withReader(successor, Self.halves(gate), change) { server, reader, session in
            let request = try Request(.post, to: server.baseURL, body: .string("12345"))
            _ = try await networkingError { try await session.data(for: request) }
            gate.open()
            #expect(try await reader.body().count == 20)
        }
        #expect(sent.events == ["1: 5 5 5"])
    }

    @Test(arguments: Successor.allCases)
    func `the bytes that are sent after the response are told of the new task`(successor: Successor) async throws {
        let size = 20_000_000
        let (gate, sums, order) = (FaultGate(), EventLog<[Int]>(), EventLog<String>())
        // The response comes before the body was read.
        let script: FaultServer.Script = [
            .readHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nfirst half"), .stopReading,
            .hold(gate), .startReading, .readRequest, .send("the second"), .stall,
        ]
        let change: (inout SessionConfiguration) -> Void = { configuration in
            configuration.hooks.taskDidSendBodyData = {
                sums.append([$0.identifier, $1, $2, $3 ?? -1])
                order.append("\($0.identifier)")
            }
        }
        try await withReader(successor, script, change) { server, reader, session in
            let body = RequestBody.data(Data(repeating: 1, count: size))
            _ = try await networkingError {
                try await session.data(for: Request(.post, to: server.baseURL, body: body))
            }
            let task = try await reader.newTask
            gate.open()
            _ = try await reader.body()
            try await until("all was sent") { task.currentProgress.upload.completed == size }
            try await until("all was told") { sums.events.last?[2] == size }
        }
        var total = 0
        for step in sums.events {
            total += step[1]
            #expect(step[2] == total && step[3] == size)
        }
        #expect(total == size && sums.events.last?[0] == 2)
        #expect(order.events == order.events.sorted())
    }

    // MARK: Its state

    @Test(arguments: Successor.allCases)
    func `a data task that the hook suspends is suspended as what it becomes`(successor: Successor) async throws {
        let gate = FaultGate()
        try await withReader(
            successor,
            Self.halves(gate),
            { configuration in
                let decide = configuration.hooks.dataTaskDidReceiveResponse
                configuration.hooks.dataTaskDidReceiveResponse = {
                    $0.suspend()
                    return await decide?($0, $1) ?? .allow
                }
            }
        ) { server, reader, session in
            _ = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            let task = try await reader.newTask
            #expect(task.state == .suspended)
            gate.open()
            task.resume()
            #expect(try await reader.body() == Data("first halfthe second".utf8))
        }
    }

    @Test(arguments: Successor.allCases)
    func `a data task that the hook cancels becomes nothing`(successor: Successor) async throws {
        let log = EventLog<String>()
        try await withReader(
            successor,
            Self.halves(FaultGate()),
            { configuration in
                let decide = configuration.hooks.dataTaskDidReceiveResponse
                configuration.hooks.dataTaskDidReceiveResponse = {
                    $0.cancel()
                    return await decide?($0, $1) ?? .allow
                }
                configuration.hooks.taskDidComplete = { log.append("\($0.identifier) \($1?.code.rawValue ?? "nil")") }
            }
        ) { server, _, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == .cancelled && session.tasks.isEmpty)
            try await server.waitUntilClientClosed()
        }
        #expect(log.events == ["1 cancelled"])
    }

    @Test(arguments: Successor.allCases)
    func `what is cancelled in the hook that hands it out is over`(successor: Successor) async throws {
        let log = EventLog<String>()
        try await withReader(
            successor,
            Self.halves(FaultGate()),
            { configuration in
                configuration.hooks.dataTaskDidBecomeDownload = { $1.cancel() }
                configuration.hooks.dataTaskDidBecomeStream = { $1.cancel() }
                configuration.hooks.taskDidComplete = { log.append("\($0.identifier) \($1?.code.rawValue ?? "nil")") }
            }
        ) { server, _, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == successor.code)
            try await server.waitUntilClientClosed()
            try await until("the end is told") { log.events == ["2 cancelled"] }
        }
    }

    // MARK: The response

    @Test(arguments: Successor.allCases)
    func `a redirect before it and a content coding are undone`(successor: Successor) async throws {
        try await withDirectory { directory in
            try await LocalServer.run { server in
                let reader = Reader(successor, in: directory)
                try await withSession(SessionConfiguration { $0.hooks = reader.hooks }) { session in
                    let url = server.baseURL + "/redirect-to?url=/gzip"
                    let error = try await networkingError { try await session.data(for: Request(to: url)) }
                    #expect(error.code == successor.code)
                    let body = try await reader.body()
                    #expect(body.first == UInt8(ascii: "{"), "\(String(decoding: body.prefix(50), as: UTF8.self))")
                    let metrics = try await reader.newTask.metrics
                    #expect(metrics?.transactions.count == 2 && metrics?.redirectCount == 1)
                }
            }
        }
    }

    @Test(arguments: Successor.allCases, [true, false])
    func `a body that is cut, or stops, is an error of the new task`(successor: Successor, isCut: Bool) async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\nETag: \"1\"\r\n\r\nfirst half"),
            isCut ? .close : .stall,
        ]
        try await withReader(
            successor,
            script,
            { if !isCut { $0.timeouts.betweenBytes = .milliseconds(300) } }
        ) { server, reader, session in
            let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
            #expect(error.code == successor.code)
            let failure = try await networkingError { try await reader.body() }
            #expect(failure.code == (isCut ? .truncatedResponse : .betweenBytesTimeout), "\(failure)")
            #expect((failure.resumeData != nil) == (successor == .download))
        }
    }

    @Test(.enabled(if: MountedFolder.isPossible, "users may not mount here"))
    func `a full disk is an error of the download`() async throws {
        let disk = try MountedFolder("tmpfs", options: "size=1m")
        let size = 8 << 20
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"1\"\r\n\r\n"),
            .fill(0x61, count: size), .stall,
        ]
        try await FaultServer.run(script) { server in
            let reader = Reader(.download, in: disk.url)
            try await withSession(SessionConfiguration { $0.hooks = reader.hooks }) { session in
                let error = try await networkingError { try await session.data(for: Request(to: server.baseURL)) }
                #expect(error.code == .becameDownload)
                let failure = try await networkingError { try await reader.body() }
                #expect(failure.code == .outputFailed && failure.message.contains("No space left"), "\(failure)")
                #expect(failure.resumeData != nil)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test(arguments: Successor.allCases)
    func `a response of another transport becomes something else too`(successor: Successor) async throws {
        try await withDirectory { directory in
            let reader = Reader(successor, in: directory)
            let transport = StubTransport(routes: [.get("/"): .text("stub")])
            try await withSession(SessionConfiguration { $0.hooks = reader.hooks }, transport: transport) { session in
                let error = try await networkingError { try await session.data(for: Request(to: "http://x/")) }
                #expect(error.code == successor.code)
                #expect(try await reader.body() == Data("stub".utf8))
            }
        }
    }
}
