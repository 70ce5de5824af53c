import Bluebonnet

/// What is told of a WebSocket on standard error, above the line that is typed.
struct WebSocketNotices: TransactionObserver {
    /// The line that is typed; nil where there is none.
    let typed: TypedLines?
    let isQuiet: Bool
    /// Shows the heads of openings for `-v`; nil without it.
    let verbose: (heads: HeadWriter, display: ExchangeDisplay)?

    /// Tells a sentence.
    func tell(_ text: String) {
        guard !isQuiet else { return }
        StandardStream.error.write(line: "bluebonnet: \(ShownText.harmless(text))")
        typed?.show()
    }

    /// Shows the response that has opened the WebSocket, its connection and the times of it.
    func showOpening(_ metrics: TaskMetrics?) {
        guard let verbose else { return }
        verbose.display.finish()
        if let metrics { verbose.heads.write(meta: metrics) }
    }

    /// Shows what is known of an opening that has failed.
    func showFailure(_ metrics: TaskMetrics?) {
        guard let verbose else { return }
        verbose.display.finish()
        verbose.heads.write(attemptsOf: metrics?.transactions.last)
    }

    func taskDidEnd(_ report: TaskReport) {}

    /// The line that is typed stays below the head of a request.
    func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
        typed?.show()
        return nil
    }

    func taskWillRetry(_ retry: TaskRetry) {
        let attempt = retry.attempt
        showFailure(attempt.error?.metrics)
        let reason = attempt.error?.message ?? "The server did not open it: the status is \(attempt.statusCode ?? 0)."
        tell("\(reason) The next attempt is in \(HeadText.milliseconds(retry.delay)).")
    }
}
