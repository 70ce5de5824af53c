import Bluebonnet
import FoundationEssentials

/// Writes heads and timings to a stream.
struct HeadWriter {
    let stream: StandardStream
    let style: OutputStyle
    /// Whether the secrets in fields and URLs are replaced.
    var hidesSecrets = false

    private var text: HeadText { HeadText(paint: Paint(style), hidesSecrets: hidesSecrets) }

    /// Writes everything that is known when the head is there: redirects, request, informational
    /// responses, response.
    func write(_ response: TransportResponse) {
        for url in response.redirects {
            write(lines: [text.paint("redirected to \(text.shown(url: url.absoluteString))", .faint)])
        }
        write(response.request, version: response.head.httpVersion)
        for head in response.informational { write(head) }
        write(response.head)
    }

    /// Writes which addresses were tried, and the proxy, for each connection that was made.
    func write(attempts metrics: TaskMetrics?) {
        let lines = (metrics?.transactions ?? []).flatMap { transaction in
            let attempts = transaction.addressAttempts.map {
                "connecting to \(AttemptText.text(of: $0, since: transaction.start))"
            }
            let proxy = transaction.isConnectionReused ? nil : transaction.proxy.map { "through the proxy \($0)" }
            return attempts + [proxy].compactMap(\.self)
        }
        guard !lines.isEmpty else { return }
        write(lines: lines.map { text.paint($0, .faint) })
    }

    func write(_ request: Request, version: HTTPVersion = .http1_1) {
        write(lines: text.request(request, version: version) + [""])
    }

    func write(_ head: ResponseHead) {
        write(lines: text.response(head) + [""])
    }

    func write(_ timings: Timings, stream: Int?) {
        write(lines: [text.timings(timings, stream: stream)])
    }

    /// Writes that a request is going to be sent again, and why.
    func write(_ retry: TaskRetry) {
        let attempt = retry.attempt
        let reason = attempt.error?.message ?? "The response has the status \(attempt.statusCode ?? 0)."
        let milliseconds = Int((retry.delay / .milliseconds(1)).rounded())
        let line = "attempt \(attempt.number) failed, the next one is in \(milliseconds) ms: \(reason)"
        write(lines: [text.paint(ShownText.harmless(line), .faint)])
    }

    private func write(lines: [String]) {
        stream.write(line: lines.joined(separator: "\n") + "\n")
    }
}

/// Writes the retries of a request, for `-v`.
struct RetryDisplay: TaskObserver {
    let heads: HeadWriter

    func taskDidEnd(_ report: TaskReport) {}

    func taskWillRetry(_ retry: TaskRetry) { heads.write(retry) }
}
