import BluebonnetTesting
import Dispatch
import Foundation
import HTTPTypes
import LocalServer
import NIOCore
import NIOPosix
import Testing

@testable import Bluebonnet

/// A stopped task ends within about a second, also where code of the user ignores the cancellation.
@Suite(.timeLimit(.minutes(5)))
struct UncancellableCodeTests {
    /// The code that does not end, even when it is cancelled.
    enum Location: CaseIterable {
        case requestBody, transport, responseBody, encodedResponseBody, interceptor, adapter
    }

    /// Code that waits for the end of the test.
    private final class Uncancellable: Transport, Interceptor {
        let location: Location
        let hasBegun = Counter()
        let end = FaultGate()

        init(_ location: Location) {
            self.location = location
        }

        func wait() async {
            hasBegun.increment()
            await withCheckedContinuation { continuation in end.whenOpen { continuation.resume() } }
        }

        /// One piece, and then nothing more.
        var pieces: AsyncStream<[UInt8]> {
            let asked = Counter()
            // The header of gzip, which decodes to no bytes (RFC 1952 §2.3).
            let first = location == .encodedResponseBody ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] : Array("half".utf8)
            return AsyncStream(unfolding: {
                guard asked.increment() > 1 else { return first }
                await self.wait()
                return nil
            })
        }

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            if location == .transport { await wait() }
            _ = try await request.body?.collect()
            var fields: HTTPFields = [:]
            if location == .encodedResponseBody { fields[.contentEncoding] = "gzip" }
            let isStreamed = location == .responseBody || location == .encodedResponseBody
            let status: HTTPResponse.Status = request.url.path == "/404" ? .notFound : .ok
            return TransportResponse(
                head: ResponseHead(status: status, headerFields: fields),
                body: isStreamed ? .stream(pieces) : .data(Data("ok".utf8)),
                request: request
            )
        }

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            if location == .interceptor { await wait() }
            return try await next(request)
        }
    }

    @Test(arguments: Location.allCases, Stop.allCases)
    func `a stopped task does not wait for code that ignores cancellation`(location: Location, stop: Stop) async throws
    {
        let uncancellable = Uncancellable(location)
        defer { uncancellable.end.open() }
        let adapter = RequestAdapter { _ in await uncancellable.wait() }
        let interceptor: any Interceptor = location == .adapter ? adapter : uncancellable
        let configuration = SessionConfiguration { $0.interceptors = [interceptor] }
        try await withSession(configuration, transport: uncancellable) { session in
            var request = try Request(.post, to: "http://x/")
            if location == .requestBody { request.body = .stream(uncancellable.pieces) }
            let error = try await stop.error(of: request, in: session) { _ in
                try await until("the code waits") { uncancellable.hasBegun.value == 1 }
            }
            #expect(error.code == stop.code, "\(error)")
            #expect(session.tasks.isEmpty)
        }
    }

    @Test func `the error of a refused response has the part of the body that arrived in time`() async throws {
        let uncancellable = Uncancellable(.responseBody)
        defer { uncancellable.end.open() }
        try await withSession(transport: uncancellable) { session in
            let manager = HTTPSessionManager(baseURL: "http://x", session: session)
            let error = try await networkingError { _ = try await manager.stream("404").open() }
            #expect(error.code == .unacceptableStatusCode, "\(error)")
            #expect(error.body == Data("half".utf8))
        }
    }

    @Test func `an interceptor of a request on an event loop stays on it`() async throws {
        let uncancellable = Uncancellable(.interceptor)
        uncancellable.end.open()
        let loopChecks = LoopChecks()
        var configuration = SessionConfiguration()
        configuration.interceptors = [loopChecks]
        try await withSession(configuration, transport: uncancellable) { session in
            let request = try Request(to: "http://x/")
            _ = try await session.data(for: request)
            try await withTaskExecutorPreference(EventLoopTaskExecutor.next()) {
                _ = try await session.data(for: request)
            }
            #expect(loopChecks.elsewhere.value == 1 && loopChecks.onEventLoop.value == 1)
        }
    }

    /// Counts its calls on event loops and elsewhere.
    private struct LoopChecks: Interceptor {
        let onEventLoop = Counter()
        let elsewhere = Counter()

        func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws -> TransportResponse {
            (EventLoopTaskExecutor.isRunningOnEventLoop ? onEventLoop : elsewhere).increment()
            return try await next(request)
        }
    }

    @Test func `an endless body sequence is read no further when its task was stopped`() async throws {
        let asked = Counter()
        let endless = AsyncStream<[UInt8]>(unfolding: {
            asked.increment()
            return [1]
        })
        let transport = Endless(body: { .stream(endless) })
        try await withSession(transport: transport) { session in
            let task = session.dataTask(for: try Request(to: "http://x/"))
            task.resume()
            try await until("the body is read") { asked.value > 10 }
            task.cancel()
            let error = try await networkingError { try await task.value }
            #expect(error.code == .cancelled)
            let count = try await settled { asked.value }
            #expect(asked.value == count)
        }
    }

    /// Responds with a body that has no end.
    private struct Endless: Transport {
        let body: @Sendable () -> ResponseBody

        func send(_ request: Request, context: ExchangeContext) async throws -> TransportResponse {
            TransportResponse(head: ResponseHead(status: .ok), body: body(), request: request)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a call that was stopped long before it began does not wait for its code`() async throws {
        let call = StoppableCall(patience: .milliseconds(1))
        call.stop()
        // The patience runs on an event loop.
        try await NIOSingletons.posixEventLoopGroup.any().scheduleTask(in: .milliseconds(200)) {}.futureResult.get()
        await #expect(throws: CancellationError.self) { try await call.run { 1 } }
    }

    /// An executor of the user: a queue that counts its jobs.
    private final class Queue: TaskExecutor {
        let jobs = Counter()
        private let queue = DispatchQueue(label: "test")

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.increment()
            let job = UnownedJob(job)
            let executor = unsafe asUnownedTaskExecutor()
            queue.async { unsafe job.runSynchronously(on: executor) }
        }
    }

    #if compiler(>=6.3)
        @Test func `an interceptor runs on the executor that the caller prefers`() async throws {
            struct Asking: Interceptor {
                let executor: Queue
                let kept = Counter()
                func intercept(_ request: Request, context: ExchangeContext, next: Next) async throws
                    -> TransportResponse
                {
                    let isKept = unsafe withUnsafeCurrentTask { task in
                        unsafe task?.unownedTaskExecutor == executor.asUnownedTaskExecutor()
                    }
                    if isKept { kept.increment() }
                    return try await next(request)
                }
            }
            let asking = Asking(executor: Queue())
            let configuration = SessionConfiguration { $0.interceptors = [asking] }
            try await withSession(configuration, transport: StubTransport { _ in .text("ok") }) { session in
                let request = try Request(to: "http://x/")
                _ = try await withTaskExecutorPreference(asking.executor) { try await session.data(for: request) }
                #expect(asking.kept.value == 1 && asking.executor.jobs.value > 0)
            }
        }
    #endif
}
