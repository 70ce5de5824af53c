import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Bluebonnet

/// The thread on which a body is decoded, and the events that stop the decoding.
@Suite(.timeLimit(.minutes(5)))
struct ContentDecodingThreadTests {
    private static let generous = Limits(decodingRatio: .max, decodedBody: .max)

    /// `count` zeros, compressed with gzip `times` times.
    private static func zeros(_ count: Int, times: Int = 1) throws -> ByteBuffer {
        var result = ByteBuffer(repeating: 0, count: count)
        for _ in 0..<times {
            let deflater = try Deflater(.gzip, level: 9)
            var encoded = try deflater.compress(result)
            var rest = try deflater.finish()
            encoded.writeBuffer(&rest)
            result = encoded
        }
        return result
    }

    private static func body(
        _ bytes: ByteBuffer,
        _ codings: String = "gzip",
        call: Call? = nil
    ) throws -> ResponseBody {
        let coding = try #require(try ContentCoding(contentEncoding: codings))
        let source = ResponseBody(.whole(bytes, trailers: [:]))
        return source.transformed { ContentDecoder(coding, limits: generous, call: call) }
    }

    /// The turns an event loop has while a task on it collects the body: none if the task decodes
    /// on the loop, which is busy until the end.
    private static func turns(collecting body: ResponseBody, to count: Int) async throws -> Int {
        try await loopTurns {
            let bytes = try await body.collect(upTo: .max)
            #expect(bytes.count == count)
        }
    }

    @Test(arguments: [1 << 20, 10 << 20])
    func `a large encoded body is not decoded on its reader's event loop`(size: Int) async throws {
        let turns = try await Self.turns(collecting: Self.body(Self.zeros(size)), to: size)
        #expect(turns >= 1)
    }

    @Test func `a body in two content codings is not decoded on its reader's event loop`() async throws {
        let size = 1 << 20
        let turns = try await Self.turns(
            collecting: Self.body(Self.zeros(size, times: 2), "gzip, gzip"),
            to: size
        )
        #expect(turns >= 1)
    }

    @Test func `a small encoded body is decoded where its reader runs`() async throws {
        let turns = try await Self.turns(collecting: Self.body(Self.zeros(4000)), to: 4000)
        #expect(turns == 0)
    }

    @Test func `a stopped task decodes no further, although the whole body has been received`() async throws {
        let call = Call.withoutSession()
        var pieces = try Self.body(Self.zeros(4 << 20), call: call).makeAsyncIterator()
        #expect(try await pieces.next()?.isEmpty == false)
        call.stop(NetworkingError(.requestTimeout, "It took too long."))
        let error = try await networkingError { try await pieces.next() }
        #expect(error.code == .requestTimeout)
    }

    @Test func `a cancelled Swift task decodes no further`() async throws {
        let body = try Self.body(Self.zeros(4 << 20))
        let reading = Task {
            var pieces = body.makeAsyncIterator()
            #expect(try await pieces.next()?.isEmpty == false)
            // The pointer is valid: this closure runs in the task.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await pieces.next()
        }
        let error = try await networkingError { try await reading.value }
        #expect(error.code == .cancelled)
    }
}
