import BluebonnetTesting
import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Large bodies are handed out without a copy, and still no reader sees what another reader writes
/// into one.
@Suite(.timeLimit(.minutes(5)))
struct BodyMemoryTests {
    private static let original = Data(repeating: 7, count: 100_000)

    /// Keeps the body of the response and passes it on.
    private final class Keeper: Interceptor {
        let body = Mutex<ResponseBody?>(nil)

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            let response = try await next(request)
            body.withLock { $0 = response.body }
            return response
        }
    }

    /// Compared outside of `#expect`, which would describe all these bytes.
    private func isSame(_ data: Data, _ expected: Data) -> Bool { data == expected }

    private func isOriginal(_ data: Data) -> Bool { isSame(data, Self.original) }

    /// Takes the body in every way, writes into each result, and expects the original bytes in the
    /// others.
    private func check(_ body: ResponseBody) async throws {
        var first = try await body.collect()
        first[0] = 1
        var second = try await body.collect()
        #expect(isOriginal(second))
        second[1] = 2
        var iterator = body.makeAsyncIterator()
        var third = try #require(try await iterator.next())
        #expect(isOriginal(third))
        third[2] = 3
        #expect(try await iterator.next() == nil)
        var changed = try await body.collect()
        for index in changed.indices { changed[index] = 0 }
        let last = try await body.collect()
        #expect(isOriginal(last))
        #expect(first[0] == 1 && first[1] == 7 && second[0] == 7 && second[1] == 2 && third[1] == 7)
    }

    @Test func `a received body may be changed by its reader`() async throws {
        let keeper = Keeper()
        let configuration = SessionConfiguration { $0.interceptors = [keeper] }
        try await FaultServer.run(.requests { _ in [.respond(bytes: Array(Self.original))] }) { server in
            try await withSession(configuration) { session in
                var response = try await session.data(for: Request(to: server.baseURL))
                let body = try #require(keeper.body.withLock { $0 })
                for index in response.value.indices { response.value[index] = 0 }
                #expect(isOriginal(response.body))
                response.body[0] = 1
                try await check(body)
                #expect(response.value[5] == 0 && response.body[0] == 1 && response.body[1] == 7)
            }
        }
    }

    @Test func `a body made of data may be changed by its reader`() async throws {
        try await check(.data(Self.original))
        var source = Self.original
        let body = ResponseBody.data(source)
        for index in source.indices { source[index] = 0 }
        try await check(body)
    }

    @Test func `pieces of a body that a transport gives out twice are not shared`() async throws {
        let body = ResponseBody.data(Self.original)
        let transport = StubTransport { request in
            var response = StubResponse(status: .ok)
            response.streamedBody = body
            return response
        }
        try await withSession(transport: transport) { session in
            let manager = HTTPSessionManager(session: session)
            for _ in 0..<3 {
                for try await var piece in manager.stream(.get, "http://x/") {
                    #expect(isOriginal(piece))
                    for index in piece.indices { piece[index] = 0 }
                }
            }
        }
        try await check(body)
    }

    @Test func `a large received body is not copied when it is taken`() throws {
        let buffer = ByteBuffer(bytes: Self.original)
        // Addresses are compared, nothing is read through them.
        let address = unsafe buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        let body = ResponseBody.whole(buffer, trailers: [:])
        for _ in 0..<2 {
            let data = try #require(try body.whole(upTo: .max))
            #expect(unsafe data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
        }
    }

    // MARK: Request bodies

    @Test(arguments: [false, true])
    func `a transport may write into the pieces of a request body that it reads`(isForm: Bool) async throws {
        var form = try MultipartFormData(boundary: "B")
        form.append(Self.original, name: "n", fileName: "f")
        let body = try isForm ? form.makeBody() : .data(Self.original)
        let expected = try await body.collect()
        try await body.read { piece in
            var piece = piece
            for index in piece.indices { piece[index] = 0 }
        }
        var collected = try await body.collect()
        #expect(isSame(collected, expected))
        for index in collected.indices { collected[index] = 0 }
        let again = try await body.collect()
        #expect(isSame(again, expected))
    }
}
