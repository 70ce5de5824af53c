import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// The threads for regular files, while bodies are received faster than the disk can write them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FileThreadSharingTests {
    /// A server that is faster than the disk: the next megabyte is there as soon as there is room
    /// for it. The disk is slow: the writing thread needs a fifth of a second for each block.
    private final class FastServer: BodyStream.Source {
        let stream = Mutex<BodyStream?>(nil)
        let isOver = Atomic(false)
        let blocks = Atomic(0)

        func continueReading() {
            Thread.sleep(forTimeInterval: 0.2)
            blocks.wrappingAdd(1, ordering: .relaxed)
            send()
        }

        func send() {
            guard let stream = stream.withLock({ $0 }) else { return }
            guard !isOver.load(ordering: .relaxed) else { return stream.finish(trailers: [:], at: .now()) }
            var pieces = BodyPieces()
            pieces.append(ByteBuffer(repeating: 7, count: BodyStream.highWatermark))
            _ = stream.push(&pieces)
        }

        func abandon() {}
    }

    @Test func `downloads from fast servers share the file threads with others`() async throws {
        try await withDirectory { directory in
            let servers = (0..<System.coreCount + 4).map { _ in FastServer() }
            let ran = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, server) in servers.enumerated() {
                    let stream = BodyStream(source: server)
                    server.stream.withLock { $0 = stream }
                    server.send()
                    let body = ResponseBody(.stream(.init(stream)))
                    let file = directory.appending(path: "file\(number)")
                    group.addTask { _ = try await body.write(to: file) }
                }
                try await until("all are written") {
                    servers.allSatisfy { $0.blocks.load(ordering: .relaxed) >= 2 }
                }
                // Every upload from a file and every other download needs one of these threads for
                // a moment.
                group.addTask {
                    try await BlockingThreads.files.run {}
                    ran.increment()
                }
                for _ in 0..<30 where ran.value == 0 { try await Task.sleep(for: .milliseconds(100)) }
                let hadItsTurn = ran.value > 0
                for server in servers { server.isOver.store(true, ordering: .relaxed) }
                try await group.waitForAll()
                for server in servers { server.stream.withLock { $0 = nil } }
                #expect(hadItsTurn, "Nothing else ran on the file threads until the downloads were over.")
            }
        }
    }
}
