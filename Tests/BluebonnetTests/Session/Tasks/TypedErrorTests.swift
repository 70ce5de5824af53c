import Bluebonnet
import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Every call throws a `NetworkingError`, whatever went wrong: `catch` need not ask.
@Suite(.timeLimit(.minutes(5)))
struct TypedErrorTests {
    struct Value: Decodable, Sendable {}

    /// The calls that send a request and read its body to the end. That this compiles is half of
    /// the test.
    enum Call: CaseIterable {
        case response, data, value, taskResponse, result, secondCaller
        case collected, pieces, file, lines, jsonLines, events
        case streamCollected, streamPieces, streamLines, streamJSONLines, streamEvents, reconnecting

        func run(_ request: Request, _ session: SessionManager) async throws(NetworkingError) {
            let stream = ResponseStream(request, session: session)
            switch self {
            case .response: _ = try await session.response(for: request, as: .data)
            case .data: _ = try await session.data(for: request)
            case .value: _ = try await session.dataTask(for: request).value
            case .taskResponse: _ = try await session.dataTask(for: request).response
            case .result: _ = try await session.dataTask(for: request).result.get()
            case .secondCaller:
                let task = session.dataTask(for: request)
                task.resume()
                _ = try await task.value
            case .collected: _ = try await session.open(request).body.collect()
            case .pieces: for try await _ in try await session.open(request).body {}
            case .file:
                try await session.open(request).body.write(to: URL(filePath: "/dev/null"))
            case .lines: for try await _ in try await session.open(request).body.lines {}
            case .jsonLines: for try await _ in try await session.open(request).body.jsonLines(of: Value.self) {}
            case .events: for try await _ in try await session.open(request).body.serverSentEvents {}
            case .streamCollected: _ = try await stream.collect()
            case .streamPieces: for try await _ in stream {}
            case .streamLines: for try await _ in stream.lines {}
            case .streamJSONLines: for try await _ in stream.jsonLines(of: Value.self) {}
            case .streamEvents: for try await _ in stream.serverSentEvents {}
            case .reconnecting: for try await _ in stream.serverSentEvents(reconnects: true) {}
            }
        }
    }

    /// The beginning of a response that any of the calls accepts.
    private static let beginning =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100\r\n\r\n: a"

    @Test(arguments: Call.allCases, [[], [FaultStep.send(beginning)]])
    func `the cancellation of the Swift task is an error of its own code`(
        call: Call,
        sent: [FaultStep]
    ) async throws {
        try await FaultServer.run(.steps([.readRequest] + sent + [.stall])) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                let caller = Task { () async -> NetworkingError? in
                    do throws(NetworkingError) {
                        try await call.run(request, session)
                        return nil
                    } catch {
                        return error
                    }
                }
                try await server.waitForRequests(1)
                if !sent.isEmpty { try await server.wait("the head") { $0.connections[0].bytesSent > 0 } }
                caller.cancel()
                let error = await caller.value
                #expect(error?.code == .cancelled, "\(String(describing: error))")
            }
        }
    }

    @Test(arguments: Call.allCases)
    func `a fault of the connection is an error that needs no cast`(call: Call) async throws {
        // A stream of events with reconnecting goes on after a fault; this one is before the first.
        let script: FaultServer.Script =
            call == .reconnecting ? [.readRequest, .close] : [.readRequest, .send(Self.beginning), .close]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let request = try Request(to: server.baseURL)
                do throws(NetworkingError) {
                    try await call.run(request, session)
                    Issue.record("an error was expected")
                } catch {
                    switch error.code {
                    case .truncatedResponse: #expect(call != .reconnecting)
                    case .connectionLost: #expect(call == .reconnecting)
                    default: Issue.record("\(error)")
                    }
                }
            }
        }
    }

    @Test func `an error of the user's own sequence reaches the reader inside a networking error`() async throws {
        struct Mine: Error {}
        let pieces = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Mine()) }
        do throws(NetworkingError) {
            _ = try await ResponseBody.stream(pieces).collect()
        } catch {
            #expect(error.underlying is Mine)
        }
        let cancelled = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CancellationError()) }
        do throws(NetworkingError) {
            for try await _ in ResponseBody.stream(cancelled).lines { Issue.record("a line") }
            Issue.record("an error was expected")
        } catch {
            #expect(error.code == .cancelled)
        }
    }

    /// The loops stay on the actor they are in.
    @MainActor
    @Test func `a body is read in a loop on the main actor with typed errors`() async throws {
        var lines: [String] = []
        do throws(NetworkingError) {
            for try await line in ResponseBody.data(Data("a\nb".utf8)).lines {
                MainActor.assertIsolated()
                lines.append(line)
            }
            var iterator = ResponseBody.data(Data("c".utf8)).makeAsyncIterator()
            while let piece = try await iterator.next() { lines.append(String(decoding: piece, as: UTF8.self)) }
        } catch {
            Issue.record(error)
        }
        #expect(lines == ["a", "b", "c"])
    }

    @Test func `the error type of every sequence of the library is its own`() {
        func check<Sequence: AsyncSequence>(_: Sequence) where Sequence.Failure == NetworkingError {}
        let body = ResponseBody.data(Data())
        let stream = ResponseStream(Request(url: URL(filePath: "/")), session: .shared)
        check(body)
        check(body.lines)
        check(body.jsonLines(of: Value.self))
        check(body.serverSentEvents)
        check(stream)
        check(stream.lines)
        check(stream.jsonLines(of: Value.self))
        check(stream.serverSentEvents)
    }
}
