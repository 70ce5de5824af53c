import Foundation
import NIOCore
import Testing

@testable import Bluebonnet

/// The parts of request bodies, from whatever they are made.
struct RequestBodyPartTests {
    private static let bytes = RangeResponses.bytes(2_500_000)

    /// Starts and counts.
    private static let parts: [(Int, Int?)] = [
        (0, nil), (1, nil), (1_048_576, nil), (2_499_999, nil), (2_500_000, nil), (0, 1), (70_000, 1_100_000),
        (2_000_000, 500_000), (5, 0),
    ]

    private func check(_ body: RequestBody) async throws {
        for (start, count) in Self.parts {
            let part = body.part(from: start, count: count)
            let expected = Array(Self.bytes[start..<(count.map { start + $0 } ?? Self.bytes.count)])
            #expect(try await part.bytes() == expected)
            // A second time, as a retry would.
            #expect(try await part.bytes() == expected)
            if body.length != nil || count != nil { #expect(part.length == expected.count) }
            #expect(part.isReplayable)
        }
    }

    @Test func `parts of bytes`() async throws {
        try await check(.data(Data(Self.bytes)))
        try await check(.data(Data(Self.bytes), longestBuffer: 10))
    }

    @Test func `parts of a file`() async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a")
            try Data(Self.bytes).write(to: file)
            try await check(try .file(file))
        }
    }

    @Test(arguments: [true, false])
    func `parts of a sequence`(_ hasLength: Bool) async throws {
        let body = RequestBody.stream(length: hasLength ? Self.bytes.count : nil) {
            AsyncStream { continuation in
                for start in stride(from: 0, to: Self.bytes.count, by: 300_007) {
                    continuation.yield(Self.bytes[start..<min(start + 300_007, Self.bytes.count)])
                }
                continuation.finish()
            }
        }
        try await check(body)
    }

    @Test(arguments: [2_499_999, 2_500_001])
    func `a file of another length is refused`(_ length: Int) async throws {
        try await withDirectory { directory in
            let file = directory.appending(path: "a")
            try Data(Self.bytes).write(to: file)
            let body = try RequestBody.file(file)
            try Data(RangeResponses.bytes(length)).write(to: file)
            await #expect(throws: RequestBodyLengthMismatch.self) { try await body.part(from: 2_000_000).bytes() }
        }
    }
}
