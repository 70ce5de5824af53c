import BluebonnetTesting
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.timeLimit(.minutes(5)))
struct ResponseStreamTests {
    @Test func `a stream returns the pieces of the transport without the empty ones`() async throws {
        let pieces = Pieces(["ab", "", "c"])
        try await withAPI(over: StubTransport(routes: [.get("/log"): .stream(pieces)])) { api, _ in
            var received: [String] = []
            for try await piece in api.stream("log") { received.append(String(decoding: piece, as: UTF8.self)) }
            #expect(received == ["ab", "c"])
        }
    }

    @Test func `a stream sends nothing before it is iterated, and a request for each iteration`() async throws {
        try await withAPI(over: StubTransport(routes: [.get("/log"): .text("a\nb")])) { api, transport in
            let stream = api.stream("log", parameters: ["n": 2], headers: [.accept: "text/plain"])
            #expect(transport.requests.isEmpty)
            for count in 1...2 {
                var lines: [String] = []
                for try await line in stream.lines { lines.append(line) }
                #expect(lines == ["a", "b"])
                #expect(transport.requests.count == count)
            }
            let whole = try await stream.collect()
            #expect(whole == Data("a\nb".utf8))
            #expect(transport.requests.count == 3)
            #expect(transport.requests.allSatisfy { $0.url.query() == "n=2" })
            #expect(transport.requests.allSatisfy { $0.headerFields[.accept] == "text/plain" })
        }
    }

    @Test func `any method may stream, with parameters or a body`() async throws {
        try await withAPI(over: StubTransport(routes: [.post("/chat"): .text("yes")])) { api, transport in
            var api = api
            api.requestSerializer = JSONRequestSerializer()
            _ = try await api.stream(.post, "chat", parameters: ["stream": true]).collect()
            _ = try await api.stream(.post, "chat", body: .encoded(["a": 1])).collect()
            let bodies = transport.requests.map { $0.body.map { String(decoding: $0, as: UTF8.self) } }
            #expect(bodies == [#"{"stream":true}"#, #"{"a":1}"#])
        }
    }

    @Test func `a stream whose request cannot be made fails when it is iterated`() async throws {
        try await withAPI(over: StubTransport(routes: [:])) { api, _ in
            let stream = api.stream("log", parameters: Parameters([1, 2]))
            let error = try await networkingError { for try await _ in stream {} }
            #expect(error.code == .requestSerializationFailed)
        }
    }

    // MARK: Validation

    @Test func `a stream with a refused status fails before the first element, with the body and its parsed value`()
        async throws
    {
        let stub = StubResponse.json(["reason": "no"], status: .unprocessableContent)
        try await withAPI(over: StubTransport(routes: [.get("/log"): stub])) { api, _ in
            let error = try await networkingError {
                for try await _ in api.stream("log").lines { Issue.record("there is no element") }
            }
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.response?.status == .unprocessableContent)
            #expect(error.bodyString == #"{"reason":"no"}"#)
            #expect((error.parsedBody as? JSONValue)?["reason"] == "no")
        }
    }

    @Test func `the error about a refused stream has no more of the body than allowed`() async throws {
        try await withAPI(over: StubTransport(routes: [.get("/log"): .text("0123456789", status: .badGateway)])) {
            api,
            _ in
            var stream = api.stream("log")
            stream.errorBodyLimit = 4
            let limited = stream
            let error = try await networkingError { try await limited.open() }
            #expect(error.bodyString == "0123")
        }
    }

    @Test func `the manager's serializer decides which statuses a stream accepts, not which content types`()
        async throws
    {
        try await withAPI(over: StubTransport(routes: [.get("/log"): .text("gone", status: .gone)])) { api, _ in
            var api = api
            api.responseSerializer = JSONResponseSerializer().acceptingAnyStatus()
            let body = try await api.stream("log").collect()
            #expect(body == Data("gone".utf8))
            let strict = api.stream("log").validating(ResponseValidation(contentTypes: ["text/csv"]))
            let error = try await networkingError { try await strict.collect() }
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.contains(.unacceptableContentType))
        }
    }

    @Test func `the manager's validation holds for streams and runs first`() async throws {
        struct Old: Error {}
        try await withAPI(over: StubTransport(routes: [.get("/log"): .text("a\n")])) { api, _ in
            var api = api
            api.validation.rules = [
                ResponseRule { head, _, _ in if !head.contains(.lastModified) { throw Old() } }
            ]
            let stream = api.stream("log").validating(ResponseValidation(contentTypes: ["text/csv"]))
            let error = try await networkingError { try await stream.collect() }
            #expect(error.code == .responseRefused && error.underlying is Old)
            #expect(error.bodyString == "a\n")
            api.validation = .none
            let body = try await api.stream("log").collect()
            #expect(body == Data("a\n".utf8))
        }
    }

    @Test func `an empty streamed response needs no content type`() async throws {
        try await withAPI(over: StubTransport(routes: [.get("/log"): StubResponse(status: .noContent)])) { api, _ in
            let stream = api.stream("log").validating(ResponseValidation(contentTypes: ["text/csv"]))
            let response = try await stream.open()
            #expect(response.head.status == .noContent)
            let body = try await response.body.collect()
            #expect(body.isEmpty)
        }
    }

    // MARK: The end

    @Test func `leaving the loop over a stream cancels its request`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\n\r\na\nb\n"), .fill(0x61, count: .max),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                for try await line in api.stream("log").lines {
                    #expect(line == "a")
                    break
                }
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `cancelling the task cancels the request in the middle of a stream`() async throws {
        let script: FaultServer.Script = [.readRequest, .send("HTTP/1.1 200 OK\r\n\r\na\n"), .stall]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let stream = HTTPSessionManager(baseURL: server.baseURL, session: session).stream("log")
                let (firsts, first) = AsyncStream.makeStream(of: Void.self)
                let reading = Task {
                    for try await _ in stream.lines { first.finish() }
                }
                for await _ in firsts {}
                reading.cancel()
                let error = try await networkingError { try await reading.value }
                #expect(error.code == .cancelled)
                try await server.waitUntilClientClosed()
            }
        }
    }

    @Test func `a stream whose connection is lost in the middle is an error with the head`() async throws {
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na\nb\n"), .close,
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let stream = HTTPSessionManager(baseURL: server.baseURL, session: session).stream("log")
                var lines: [String] = []
                let error = try await networkingError { for try await line in stream.lines { lines.append(line) } }
                #expect(lines == ["a", "b"])
                #expect(error.code == .truncatedResponse)
                #expect(error.response?.status == .ok)
                #expect(error.request != nil)
            }
        }
    }

    @Test func `the progress of a stream counts what has arrived`() async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1234"), .hold(gate), .send("5678"),
        ]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                let stream = HTTPSessionManager(baseURL: server.baseURL, session: session).stream("log")
                let response = try await stream.open()
                #expect(response.body.currentProgress.download.total == 8)
                var pieces = response.body.makeAsyncIterator()
                var count = try await pieces.next()?.count ?? 0
                #expect(response.body.currentProgress.download.completed >= count)
                gate.open()
                while let piece = try await pieces.next() { count += piece.count }
                #expect(count == 8)
                #expect(response.body.currentProgress.download.fractionCompleted == 1)
            }
        }
    }

    @Test func `a discarded body gives its connection to the next request`() async throws {
        let script: FaultServer.Script = [.readRequest, .respond(body: "abc"), .startOver]
        try await FaultServer.run(script) { server in
            try await withSession { session in
                for _ in 0..<2 {
                    let response = try await session.open(Request(to: server.baseURL))
                    await response.body.discard()
                }
                #expect(server.record.connections.count == 1)
            }
        }
    }

    // MARK: Bodies of sequences

    @Test func `an error thrown by a body sequence ends the response body`() async throws {
        let pieces = Pieces(["ab"], error: NetworkingError(.connectionLost, "The cable is out."))
        try await withAPI(over: StubTransport(routes: [.get("/log"): .stream(pieces)])) { api, _ in
            var received = 0
            let error = try await networkingError {
                for try await piece in api.stream("log") { received += piece.count }
            }
            #expect(received == 2)
            #expect(error.code == .connectionLost)
            #expect(error.response?.status == .ok)
            let collected = try await networkingError { try await api.get("log", as: .data) }
            #expect(collected.bodyString == "ab")
        }
    }

    @Test func `an unknown error thrown by a body sequence is wrapped`() async throws {
        struct Unplugged: Error {}
        let body = ResponseBody.stream(Pieces([], error: Unplugged()))
        let error = try await networkingError { try await body.collect() }
        #expect(error.code == .interceptorFailed)
        #expect(error.underlying is Unplugged)
    }

    @Test func `a body sequence is read only when the body is read`() async throws {
        let pieces = Pieces(["a", "b", "c"])
        var iterator = ResponseBody.stream(pieces).makeAsyncIterator()
        #expect(pieces.asked.value == 0)
        _ = try await iterator.next()
        #expect(pieces.asked.value == 1)
        _ = try await iterator.next()
        #expect(pieces.asked.value == 2)
    }

    @Test func `a content coding is undone in a response body from a sequence`() async throws {
        let pieces = Pieces(bytes: EncodedSample.gzip.map { [$0] })
        let stub = StubResponse.stream(pieces, contentType: "text/plain", headerFields: [.contentEncoding: "gzip"])
        try await withAPI(over: StubTransport(routes: [.get("/log"): stub])) { api, _ in
            let text = try await api.get("log", as: .string)
            #expect(text == EncodedSample.text)
        }
    }

    // MARK: Refused responses that do not end

    private static let never = Timeouts(firstByte: nil, betweenBytes: nil)

    @Test(arguments: ["text/plain", "text/event-stream"])
    func `a refused response whose body never ends fails at once`(type: String) async throws {
        let head = "HTTP/1.1 503 Busy\r\nContent-Type: \(type)\r\n\r\n: hello\n"
        let pings = String(repeating: ":\n", count: 30_000)
        for last in [FaultStep.stall, .drip(pings, pieces: 2, every: .milliseconds(20))] {
            try await FaultServer.run([.readRequest, .send(head), last]) { server in
                try await withSession { session in
                    let api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                    let stream = api.stream("events").timeouts(Self.never)
                    let error = try await networkingError { for try await _ in stream.serverSentEvents {} }
                    #expect(error.code == .unacceptableStatusCode)
                    if type == "text/plain" { #expect(error.bodyString?.hasPrefix(": hello\n") == true) }
                    try await server.waitUntilClientClosed()
                }
            }
        }
    }

    @Test func `a refused response whose body is slow to begin fails too`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        try await FaultServer.run([.readRequest, .send(head), .stall]) { server in
            try await withSession { session in
                let stream = HTTPSessionManager(baseURL: server.baseURL, session: session).stream("a").timeouts(
                    Self.never
                )
                let error = try await networkingError { for try await _ in stream.serverSentEvents {} }
                #expect(error.code == .unacceptableContentType)
            }
        }
    }

    @Test func `a refused response from a sequence that never ends fails at once`() async throws {
        let (pieces, piece) = AsyncStream.makeStream(of: [UInt8].self)
        piece.yield(Array("no".utf8))
        let stub = StubResponse.stream(pieces, contentType: "text/plain")
        try await withSession(transport: StubTransport { _ in stub }) { session in
            let stream = HTTPSessionManager(baseURL: URL(string: "http://x/"), session: session).stream("a")
            let error = try await networkingError { for try await _ in stream.serverSentEvents {} }
            #expect(error.code == .unacceptableContentType)
            #expect(error.bodyString == "no")
        }
    }

    @Test(arguments: [-1, 0, 2, .max])
    func `the error about a refused response has the body up to the limit`(limit: Int) async throws {
        let transport = StubTransport { _ in .text("abc", status: .forbidden) }
        try await withSession(transport: transport) { session in
            var stream = HTTPSessionManager(baseURL: URL(string: "http://x/"), session: session).stream("a")
            stream.errorBodyLimit = limit
            let error = try await networkingError { for try await _ in stream {} }
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.bodyString ?? "" == "abc".prefix(max(limit, 0)))
        }
    }
}
