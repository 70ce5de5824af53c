import BluebonnetTesting
import Foundation
import Glibc
import HTTPTypes
import LocalServer
import NIOCore
import Testing

@testable import Bluebonnet

/// Downloads to pipes that are stopped, while a Swift task awaits them that is not cancelled.
@Suite(.timeLimit(.minutes(5)))
struct DownloadPipeTests {
    /// A body that has one piece, and does not end when it is cancelled.
    private struct Endless: Transport {
        let end = FaultGate()
        let asked = Counter()

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            let pieces = AsyncStream<[UInt8]>(unfolding: { [end, asked] in
                guard asked.increment() > 1 else { return Array("half".utf8) }
                await withCheckedContinuation { continuation in end.whenOpen { continuation.resume() } }
                return asked.value > 2 ? nil : Array("late".utf8)
            })
            return TransportResponse(head: ResponseHead(status: .ok), body: .stream(pieces), request: request)
        }
    }

    private func withPipe(_ body: (URL) async throws -> Void) async throws {
        try await withDirectory { directory in
            let pipe = directory.appending(path: "pipe")
            try #require(unsafe mkfifo(pipe.path, 0o600) == 0)
            try await body(pipe)
        }
    }

    private static func reader(of pipe: URL) throws -> SystemFile {
        let descriptor = unsafe open(pipe.path, O_RDONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
        return SystemFile(descriptor: descriptor, path: pipe.path)
    }

    /// Awaits a task elsewhere, and stops it when the condition holds.
    private func error(
        of task: DownloadTask,
        stoppedWhen expectation: String,
        _ condition: () -> Bool
    ) async throws -> NetworkingError {
        let waiter = Task { await task.result }
        try await until(expectation, condition)
        task.cancel()
        try await until("the task is over") { task.state == .completed }
        return try await networkingError { try await waiter.value.get() }
    }

    @Test func `a sequence that does not end is not waited for`() async throws {
        let transport = Endless()
        defer { transport.end.open() }
        try await withPipe { pipe in
            let reader = try Self.reader(of: pipe)
            try await withSession(SessionConfiguration(), transport: transport) { session in
                let task = session.downloadTask(for: try Request(to: "http://x/"), to: pipe)
                let error = try await error(of: task, stoppedWhen: "the sequence waits") { transport.asked.value == 2 }
                #expect(error.code == .cancelled)
                #expect(try reader.read(upTo: 100).map { String(buffer: $0) } == "half")
                // What comes later is not written.
                transport.end.open()
                var late = ""
                try await until("the pipe is closed") {
                    // A pipe that is open and empty throws.
                    guard let read = try? reader.read(upTo: 100).map({ String(buffer: $0) }) ?? "" else { return false }
                    late += read
                    return read.isEmpty
                }
                #expect(late.isEmpty)
            }
        }
    }

    @Test func `a pipe that nobody reads is not waited for`() async throws {
        try await FaultServer.run(.requests { _ in [.respond(body: "text")] }) { server in
            try await withPipe { pipe in
                try await withSession(SessionConfiguration()) { session in
                    let task = session.downloadTask(for: try Request(to: server.baseURL), to: pipe)
                    let error = try await error(of: task, stoppedWhen: "the head came") { task.head != nil }
                    #expect(error.code == .cancelled)
                }
            }
        }
    }

    @Test func `neither is one whose reader takes nothing, when the time of the request is over`() async throws {
        let size = 1_000_000
        try await FaultServer.run(.requests { _ in [.respond(bytes: [UInt8](repeating: 1, count: size))] }) { server in
            try await withPipe { pipe in
                let reader = try Self.reader(of: pipe)
                try await withSession(SessionConfiguration()) { session in
                    var request = try Request(to: server.baseURL)
                    request.timeouts = Timeouts(request: .milliseconds(300))
                    let task = session.downloadTask(for: request, to: pipe)
                    let waiter = Task { await task.result }
                    try await until("the task is over") { task.state == .completed }
                    let error = try await networkingError { try await waiter.value.get() }
                    #expect(error.code == .requestTimeout)
                }
                withExtendedLifetime(reader) {}
            }
        }
    }
}
