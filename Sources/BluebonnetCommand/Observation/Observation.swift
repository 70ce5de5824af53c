import Bluebonnet
import FoundationEssentials
import Synchronization

/// Observes the tasks of a command, and shows and records what happened when they are over.
final class Observation: TaskObserver {
    private struct State {
        var reports: [TaskReport] = []
        /// What was shown of the body of the one request.
        var body = Data()
        /// Whether the body was read to its end.
        var isWhole = false
        /// Whether the body is longer than what is recorded.
        var isTooLong = false
        var last: (request: Request, metrics: TaskMetrics)?
    }

    private let showsTimings: Bool
    private let archive: String?
    private let isOneRequest: Bool
    private let recorder = HARRecorder()
    private let state = Mutex(State())

    init(showsTimings: Bool, archive: String?, isOneRequest: Bool) {
        self.showsTimings = showsTimings
        self.archive = archive
        self.isOneRequest = isOneRequest
    }

    func taskDidEnd(_ report: TaskReport) {
        if archive != nil, !isOneRequest { recorder.taskDidEnd(report) }
        state.withLock { $0.reports.append(isOneRequest ? report : report.withoutBody) }
    }

    /// The same response, whose body is recorded as it is read, if it is to be recorded.
    ///
    /// - Parameter response: The open response.
    /// - Returns: The response to show.
    func watching(_ response: TransportResponse) -> TransportResponse {
        guard archive != nil else { return response }
        var response = response
        response.body = .stream(WatchedBody(body: response.body, observation: self))
        return response
    }

    /// Notes what is known of a response that was shown, whether or not all of it was read.
    ///
    /// - Parameters:
    ///   - request: Its request.
    ///   - metrics: What happened.
    func note(_ request: Request, _ metrics: TaskMetrics?) {
        guard let metrics else { return }
        state.withLock { $0.last = (request, metrics) }
    }

    fileprivate func note(_ piece: Data) {
        state.withLock { state in
            guard !state.isTooLong else { return }
            if state.body.count + piece.count > recorder.options.bodyLimit {
                (state.body, state.isTooLong) = (Data(), true)
            } else {
                state.body.append(piece)
            }
        }
    }

    fileprivate func noteEnd() {
        state.withLock { $0.isWhole = true }
    }

    /// Shows the timings, and writes the archive.
    ///
    /// - Throws: ``CommandFailure`` when the archive cannot be written.
    func finish() throws(CommandFailure) {
        let reports = state.withLock { state in
            guard isOneRequest else { return state.reports }
            let body = state.isWhole && !state.isTooLong ? state.body : nil
            // The task ended before its body was decoded: what was noted later knows more.
            if let last = state.last, state.reports.last?.error == nil {
                return [TaskReport(request: last.request, metrics: last.metrics, body: body)]
            }
            return state.reports.last.map { [$0.with(body)] } ?? []
        }
        if showsTimings, !reports.isEmpty {
            let style = OutputStyle(.auto, for: .error)
            let table = TimingTable(paint: Paint(style), columns: StandardStream.error.columns)
            StandardStream.error.write(line: reports.map(table.text).joined(separator: "\n\n"))
        }
        guard let archive else { return }
        if isOneRequest { for report in reports { recorder.taskDidEnd(report) } }
        try OutputFile.write(recorder.log.data(), to: archive, as: "The archive")
    }

    /// Does the work of a command, and then ``finish()``, also where the work has failed: its
    /// failure is the one that counts.
    ///
    /// - Parameters:
    ///   - observation: The observation; nil for none.
    ///   - work: The work.
    /// - Throws: What the work throws, and ``CommandFailure`` when the archive cannot be written.
    static func finishing(_ observation: Observation?, _ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            do {
                try observation?.finish()
            } catch {
                ErrorReport.write(error)
            }
            throw error
        }
        try observation?.finish()
    }
}

/// A body that an observation gets a copy of.
private struct WatchedBody: AsyncSequence, Sendable {
    typealias Element = Data

    let body: ResponseBody
    let observation: Observation

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: ResponseBody.AsyncIterator
        let observation: Observation

        mutating func next() async throws -> Data? {
            let piece = try await pieces.next()
            if let piece { observation.note(piece) } else { observation.noteEnd() }
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: body.makeAsyncIterator(), observation: observation)
    }
}

extension TaskReport {
    fileprivate var withoutBody: TaskReport { with(nil) }

    fileprivate func with(_ body: Data?) -> TaskReport {
        TaskReport(
            taskIdentifier: taskIdentifier,
            request: request,
            metrics: metrics,
            error: error,
            body: body,
            file: file
        )
    }
}
