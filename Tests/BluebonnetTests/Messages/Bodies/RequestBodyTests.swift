import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// Bodies arrive as they were given, and a body that is not as declared fails its request.
@Suite(.timeLimit(.minutes(5)))
struct RequestBodyTests {
    private struct SourceFailure: Error {}

    private static let ok = FaultServer.Script.requests { _ in [.respond(body: "ok")] }

    private func sent(_ body: RequestBody?, _ method: HTTPRequest.Method = .post) async throws -> FaultServer.Request {
        try await FaultServer.run(Self.ok) { server in
            try await withSession { session in
                let response = try await session.data(for: Request(method, to: server.baseURL, body: body))
                #expect(response.value == Data("ok".utf8))
                #expect(server.requests.count == 1)
                return try #require(server.requests.first)
            }
        }
    }

    @Test func `request bodies of bytes and text are sent with their length`() async throws {
        for body in [RequestBody.data(Data("häh?".utf8)), .string("häh?")] {
            let request = try await sent(body)
            #expect(request.bodyText == "häh?")
            #expect(request.values(of: "content-length") == ["5"])
            #expect(request.value(of: "transfer-encoding") == nil)
        }
    }

    @Test(arguments: [16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 3_000_000])
    func `request bodies of any size arrive`(count: Int) async throws {
        let bytes = [UInt8](repeating: 0x5A, count: count)
        let request = try await sent(.data(Data(bytes)))
        #expect(request.body == bytes)
    }

    @Test func `a request without a body has Content-Length 0 where RFC 9110 asks for it`() async throws {
        #expect(try await sent(nil, .post).value(of: "content-length") == "0")
        #expect(try await sent(nil, .get).value(of: "content-length") == nil)
    }

    @Test func `a sequence of unknown length is sent chunked`() async throws {
        let request = try await sent(.stream(Pieces(["one", "", "twenty-five bytes of text"])))
        #expect(
            String(decoding: request.rawBody, as: UTF8.self)
                == "3\r\none\r\n19\r\ntwenty-five bytes of text\r\n0\r\n\r\n"
        )
        #expect(request.values(of: "transfer-encoding") == ["chunked"])
        #expect(request.value(of: "content-length") == nil)
    }

    @Test func `a sequence of known length is sent with its length`() async throws {
        let request = try await sent(.stream(Pieces(["one", "two"]), length: 6))
        #expect(request.bodyText == "onetwo")
        #expect(request.value(of: "content-length") == "6")
        #expect(request.value(of: "transfer-encoding") == nil)
    }

    @Test(arguments: [nil, 0] as [Int?]) func `an empty sequence is sent as an empty body`(length: Int?) async throws {
        let request = try await sent(.stream(Pieces([String]()), length: length))
        #expect(request.body.isEmpty)
    }

    @Test func `a large chunked body ends once, so that its connection can be reused`() async throws {
        // Pieces above the channel's watermark make it unwritable and writable again within one
        // write.
        let piece = [UInt8](repeating: 0x61, count: 600_000)
        try await FaultServer.run(Self.ok) { server in
            try await withSession { session in
                for count in 1...12 {
                    let body = RequestBody.stream {
                        AsyncStream<[UInt8]> { continuation in
                            for _ in 0..<(count % 4 + 1) { continuation.yield(piece) }
                            continuation.finish()
                        }
                    }
                    _ = try await session.data(for: Request(.post, to: server.baseURL, body: body))
                }
                _ = try await session.data(for: Request(to: server.baseURL))
                #expect(server.requests.map(\.method) == Array(repeating: "POST", count: 12) + ["GET"])
                #expect(server.requests.dropLast().map(\.body.count) == (1...12).map { ($0 % 4 + 1) * piece.count })
                #expect(server.connections.count == 1)
            }
        }
    }

    @Test func `a request body from a file arrives byte for byte`() async throws {
        let pattern = Data((0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var contents = Data()
        for _ in 0..<256 { contents.append(pattern) }
        let expected = Array(contents)
        try await withDirectory { directory in
            let file = directory.appending(path: "body with a space.bin")
            try contents.write(to: file)
            let request = try await sent(.file(file), .put)
            #expect(request.value(of: "content-length") == String(expected.count))
            #expect(request.body == expected)
        }
    }

    @Test func `a missing body file fails before anything is sent`() throws {
        let error = #expect(throws: NetworkingError.self) {
            try RequestBody.file(URL(filePath: "/nonexistent/file"))
        }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test(arguments: [999, 1000, 1001, 700_000])
    func `a request body larger than one buffer is sent in pieces, as often as needed`(count: Int) async throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let body = RequestBody.data(bytes, longestBuffer: 1000)
        #expect(body.isReplayable && body.length == count && body.isInMemory == (count <= 1000))
        for _ in 0..<2 {
            let request = try await sent(body)
            #expect(Data(request.body) == bytes)
            #expect(request.values(of: "content-length") == [String(count)])
        }
        #expect(try await body.collect() == bytes)
    }

    @Test func `a long piece of a sequence is copied in blocks`() async throws {
        let piece = [UInt8](repeating: 7, count: 1_000_000)
        let sizes = Mutex<[Int]>([])
        try await RequestBody.stream {
            AsyncStream<[UInt8]> {
                $0.yield(piece); $0.finish()
            }
        }
        .read { bytes in sizes.withLock { $0.append(bytes.count) } }
        #expect(sizes.withLock { $0 } == [262_144, 262_144, 262_144, 213_568])
    }

    @Test func `a body from anything but a readable regular file is refused at once`() async throws {
        func refusal(_ url: URL) throws -> NetworkingError {
            try #require(#expect(throws: NetworkingError.self) { try RequestBody.file(url) })
        }
        let web = try refusal(try #require(URL(string: "https://me:secret@example.com/etc/hosts")))
        #expect(web.code == .requestBodyFailed && web.message.hasPrefix("Expected URL to be a file URL"))
        #expect(!web.message.contains("secret"))
        try await withDirectory { directory in
            let folder = try refusal(directory)
            #expect(folder.code == .requestBodyFailed && folder.message.contains("is a directory"))
            let pipe = directory.appending(path: "pipe")
            #expect(unsafe mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
            // The pipe has no writer: opening it would wait for ever.
            for url in [pipe, URL(filePath: "/dev/null")] {
                let notRegular = try refusal(url)
                #expect(notRegular.code == .requestBodyFailed, "\(notRegular)")
                #expect(notRegular.message.contains("not a regular file"), "\(notRegular)")
            }
        }
    }

    @Test(arguments: [100_000, 3_000_000])
    func `a pipe in place of a body file fails the request`(length: Int) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "file")
            try Data(repeating: 1, count: length).write(to: file)
            var form = MultipartFormData()
            try form.append(fileURL: file, name: "part")
            let bodies = try [RequestBody.file(file), form.makeBody()]
            try FileManager.default.removeItem(at: file)
            #expect(unsafe mkfifo(file.path(percentEncoded: false), 0o600) == 0)
            for body in bodies {
                let error = try await failure(body)
                #expect(error.code == .requestBodyFailed, "\(error)")
            }
        }
    }

    // MARK: Faults

    private func failure(_ body: RequestBody) async throws -> NetworkingError {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withEngine { session, engine in
                let request = try Request(.put, to: server.baseURL, body: body)
                let error = try await networkingError { _ = try await session.data(for: request) }
                try await server.waitUntilClosed(connection: 0)
                try await until("the pool has removed the connection") { engine.openConnections == 0 }
                #expect(server.requests.isEmpty && session.tasks.isEmpty)
                return error
            }
        }
    }

    @Test func `a body sequence shorter than declared fails the request`() async throws {
        let error = try await failure(.stream(Pieces(["abc"]), length: 10))
        #expect(error.code == .requestBodyLengthMismatch, "\(error)")
    }

    @Test func `a body sequence longer than declared fails the request`() async throws {
        let error = try await failure(.stream(Pieces(["abc", "def"]), length: 5))
        #expect(error.code == .requestBodyLengthMismatch, "\(error)")
    }

    @Test(arguments: [nil, 10] as [Int?]) func `a body sequence that throws fails the request`(length: Int?)
        async throws
    {
        let pieces = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish(throwing: SourceFailure())
        }
        let error = try await failure(.stream(pieces, length: length))
        #expect(error.code == .requestBodyFailed, "\(error)")
        #expect(error.underlying is SourceFailure)
    }

    @Test func `a body file that shrinks before it is sent fails the request`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "shrinking")
            try Data(repeating: 1, count: 100_000).write(to: file)
            let body = try RequestBody.file(file)
            try Data(repeating: 1, count: 10).write(to: file)
            let error = try await failure(body)
            #expect(error.code == .requestBodyLengthMismatch, "\(error)")
        }
    }
}
