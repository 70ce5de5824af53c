import Foundation
import HTTPTypes
import LocalServer
import Synchronization
import Testing

@testable import Bluebonnet

/// The progress of an upload, for every kind of body.
@Suite(.timeLimit(.minutes(5)))
struct UploadProgressTests {
    enum Kind: CaseIterable, Sendable {
        case small, memory, file, sequence, sequenceWithLength, compressedFile
    }

    /// More than the buffers on the way hold.
    private static let size = 24 << 20
    private static let smallSize = 1000

    private static func pieces() -> AsyncStream<[UInt8]> {
        let count = Counter()
        return AsyncStream(unfolding: {
            count.increment() <= size / 65_536 ? [UInt8](repeating: 7, count: 65_536) : nil
        })
    }

    private static func request(_ kind: Kind, to url: String, in directory: URL) throws -> Request {
        let file = directory.appending(path: "body")
        if kind == .file || kind == .compressedFile {
            // Bytes that do not compress.
            var generator = SeededGenerator(seed: 3)
            let block = Data((0..<1 << 20).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
            var contents = Data()
            for _ in 0..<size >> 20 { contents.append(block) }
            try contents.write(to: file)
        }
        let body: RequestBody =
            switch kind {
            case .small: .data(Data(repeating: 7, count: smallSize))
            case .memory: .data(Data(repeating: 7, count: size))
            case .file, .compressedFile: try .file(file)
            case .sequence: .stream(pieces())
            case .sequenceWithLength: .stream(pieces(), length: size)
            }
        var request = try Request(.put, to: url, body: body)
        if kind == .compressedFile { request.interceptors = [RequestCompression(level: 1)] }
        return request
    }

    @Test(arguments: Kind.allCases)
    func `upload progress is reported while the body is sent, and is complete at the end`(kind: Kind) async throws {
        let gate = FaultGate()
        let script: FaultServer.Script = [
            .readHead, .stopReading, .hold(gate), .startReading, .readRequest, .respond(body: "ok"),
        ]
        try await withDirectory { directory in
            try await FaultServer.run(script, options: .init(receiveBuffer: 65_536)) { server in
                try await withSession { session in
                    let task = session.dataTask(for: try Self.request(kind, to: server.baseURL, in: directory))
                    let size = kind == .small ? Self.smallSize : Self.size
                    let expected = kind == .sequence || kind == .compressedFile ? nil : size
                    let progress = task.progress
                    task.resume()
                    var last: TaskProgress?
                    var sent = [0]
                    for await step in progress {
                        last = step
                        sent.append(step.upload.completed)
                        #expect(step.upload.total == expected)
                        guard step.upload.completed > 0 else { continue }
                        // The server reads the rest only after the first progress was seen.
                        gate.open()
                    }
                    _ = try await task.value
                    let final = try #require(last)
                    #expect(sent == sent.sorted())
                    if kind == .compressedFile {
                        #expect(final.upload.completed == server.requests.first?.body.count)
                    } else {
                        #expect(final.upload.completed == size)
                        #expect(kind == .small || sent.contains { 0 < $0 && $0 < size })
                    }
                    #expect(final.upload.fractionCompleted == expected.map { _ in 1 })
                    #expect(final.upload.estimatedTimeRemaining == expected.map { _ in .zero })
                }
            }
        }
    }

    @Test func `the progress closures of the verbs get upload progress before success`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "{}")]) { server in
            await withSession { session in
                var api = HTTPSessionManager(baseURL: server.baseURL, session: session)
                api.completionQueue = DispatchQueue(label: "uploads")
                api.responseSerializer.acceptableContentTypes = ["*/*"]
                let text = String(repeating: "x", count: 3 << 20)
                let steps = Mutex<[TaskProgress]>([])
                let isOver: Bool = await withCheckedContinuation { continuation in
                    api.post(
                        "/upload",
                        parameters: ["text": text],
                        progress: { step in steps.withLock { $0.append(step) } },
                        success: { _, _ in continuation.resume(returning: true) },
                        failure: { _, _ in continuation.resume(returning: false) }
                    )
                }
                #expect(isOver)
                let sent = steps.withLock { $0.map(\.upload.completed) }
                #expect(sent.last == 5 + text.utf8.count && sent == sent.sorted() && sent.count > 3)
            }
        }
    }
}
