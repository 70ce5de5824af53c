import Synchronization
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RequestBodyReadingTests {
    @Test func `request bodies of bytes, files and sequences are read whole`() async throws {
        #expect(try await RequestBody.string("abc").collect() == Data("abc".utf8))
        #expect(try await RequestBody.string("").collect().isEmpty)
        #expect(try await RequestBody.stream(Pieces(["ab", "", "c"])).collect() == Data("abc".utf8))
        let file = FileManager.default.temporaryDirectory.appending(path: "bluebonnet-\(UUID().uuidString)")
        try Data(repeating: 7, count: 3_000_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await RequestBody.file(file).collect() == Data(repeating: 7, count: 3_000_000))
    }

    @Test(arguments: [(2, "more"), (4, "only 3")])
    func `a request body that is not as long as declared is an error for its reader`(length: Int, brought: String) async
    {
        let body = RequestBody.stream(Pieces(["ab", "c"]), length: length)
        let error = await #expect(throws: NetworkingError.self) { try await body.collect() }
        #expect(error?.code == .requestBodyLengthMismatch)
        #expect(error?.message.contains(brought) == true)
    }

    @Test func `collecting a request body stops at the limit`() async {
        let error = await #expect(throws: NetworkingError.self) {
            try await RequestBody.string("abcd").collect(upTo: 3)
        }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func `an error of the source of a request body is that of a request that could not be sent`() async {
        struct Mine: Error {}
        let body = RequestBody.stream(AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Mine()) })
        do throws(NetworkingError) {
            _ = try await body.collect()
            Issue.record("an error was expected")
        } catch {
            #expect(error.code == .requestBodyFailed && error.underlying is Mine)
        }
    }

    @Test func `an error thrown by the receiver ends the reading of a request body`() async {
        struct Enough: Error {}
        let pieces = Mutex(0)
        await #expect(throws: Enough.self) {
            try await RequestBody.stream(Pieces(["a", "b", "c"])).read { _ in
                let count = pieces.withLock { count in
                    count += 1
                    return count
                }
                if count == 2 { throw Enough() }
            }
        }
        #expect(pieces.withLock { $0 } == 2)
    }
}
