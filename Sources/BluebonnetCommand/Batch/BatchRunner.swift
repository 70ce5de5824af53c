import Bluebonnet
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Sends the requests of all lines, up to a fixed number at once.
struct BatchRunner {
    /// The ways in which a run ends.
    enum Outcome: Equatable {
        /// Every line has a response.
        case complete
        /// At least one line has an error.
        case someErrors
        /// The input could not be read to its end.
        case unreadable(String)
    }

    let session: SessionManager
    let jobs: Int
    let lines: LineReader
    let results: ResultWriter

    /// Lines and bodies above this size are read and written as JSON off the event loop.
    private static let inlineSize = 256 * 1024

    /// The state that the workers of one run share.
    private final class Run: Sendable {
        let workers: Mutex<WorkerCount>
        let hasErrors = Mutex(false)
        /// A worker is started for every element.
        let starts: AsyncStream<Void>
        let start: AsyncStream<Void>.Continuation

        init(jobs: Int) {
            workers = Mutex(WorkerCount(limit: jobs))
            (starts, start) = AsyncStream.makeStream()
            start.yield()
        }
    }

    /// Reads lines, sends requests and writes results until the input ends. Cancelling the task
    /// stops all of it; a line that is not complete then gets no result.
    func run() async -> Outcome {
        let run = Run(jobs: jobs)
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await _ in run.starts {
                    // On the event loops a request stays on one thread from its line to its result.
                    group.addTask(executorPreference: EventLoopTaskExecutor.next()) { await work(run) }
                }
            }
        } onCancel: {
            lines.stop()
        }
        await results.finish()
        if let failure = lines.failure { return .unreadable(failure) }
        return run.hasErrors.withLock { $0 } ? .someErrors : .complete
    }

    /// Makes and writes the result of one line after another.
    private func work(_ run: Run) async {
        while let line = await lines.next() {
            if run.workers.withLock({ $0.takeLine() }) { run.start.yield() }
            let result = await result(of: line)
            if Task.isCancelled { break }
            if result.isError { run.hasErrors.withLock { $0 = true } }
            await results.write(await render(result), at: line.number)
            run.workers.withLock { $0.finishLine() }
        }
        // There are no more lines for any worker.
        run.start.finish()
    }

    private func result(of line: LineReader.Line) async -> BatchResult {
        let line = await read(line)
        switch line.request {
        case .success(let request): return BatchResult(id: line.id, outcome: await send(request))
        case .failure(let error): return BatchResult(id: line.id, outcome: .error(error, status: nil))
        }
    }

    private func read(_ line: LineReader.Line) async -> BatchLine {
        let timeouts = session.configuration.timeouts
        guard line.content.size > Self.inlineSize else { return BatchLine(line, timeouts: timeouts) }
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.readElsewhere(line, timeouts: timeouts)
        }
    }

    @concurrent
    private static func readElsewhere(_ line: LineReader.Line, timeouts: Timeouts) async -> BatchLine {
        BatchLine(line, timeouts: timeouts)
    }

    private func send(_ line: BatchRequest) async -> BatchResult.Outcome {
        var status: Int?
        do {
            var request = line.request
            if let path = line.bodyFile { request.body = try .file(HomeFolder.file(path)) }
            if let parts = line.parts { try request.setBody(parts) }
            guard let output = line.output else {
                return .response(BatchResult.Received(try await session.data(for: request)))
            }
            let startedAt = ContinuousClock.now
            let response = try await session.open(request)
            status = response.head.status.code
            let count = try await response.body.write(toPath: output)
            return .response(BatchResult.Received(response, bytes: count, total: startedAt.duration(to: .now)))
        } catch let error as NetworkingError {
            return .error(BatchError(error), status: error.response?.status.code ?? status)
        } catch {
            // The library throws only `NetworkingError`.
            return .error(BatchError(NetworkingError(.interceptorFailed, "\(error)")), status: status)
        }
    }

    private func render(_ result: BatchResult) async -> [UInt8] {
        guard case .response(let received) = result.outcome, case .inline(let data) = received.body,
            data.count > Self.inlineSize
        else { return result.line() }
        return await withTaskExecutorPreference(globalConcurrentExecutor) { await Self.renderElsewhere(result) }
    }

    @concurrent
    private static func renderElsewhere(_ result: BatchResult) async -> [UInt8] {
        result.line()
    }
}

extension BatchResult.Received {
    /// A response whose body is in memory.
    init(_ response: Response<Data>) {
        self.init(
            head: response.head,
            url: response.url,
            body: .inline(response.body),
            trailers: response.trailers,
            informational: response.informational,
            redirects: response.redirects,
            retries: response.retries,
            timings: response.timings,
            isFromCache: response.isFromCache
        )
    }

    /// A response whose body was written to a file.
    init(_ response: TransportResponse, bytes: Int, total: Duration) {
        var timings = response.timings
        timings.total = total
        self.init(
            head: response.head,
            url: response.request.url,
            body: .written(bytes: bytes),
            trailers: response.body.trailers,
            informational: response.informational,
            redirects: response.redirects,
            retries: response.retries,
            timings: timings,
            isFromCache: response.cacheStatus?.isFromCache ?? false
        )
    }
}
