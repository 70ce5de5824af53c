import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// Writes heads and timings to a stream.
struct HeadWriter {
    let stream: StandardStream
    let style: OutputStyle
    /// Whether the secrets in fields and URLs are replaced.
    var hidesSecrets = false
    /// The end of each line.
    var lineEnd = "\n"

    private var text: HeadText {
        HeadText(paint: Paint(style), hidesSecrets: hidesSecrets, isTerminal: style.isTerminal)
    }

    /// Writes the response when its head is there: informational responses, and the response.
    func write(_ response: TransportResponse) {
        for head in response.informational { write(head) }
        write(response.head)
    }

    /// Writes where a redirect leads.
    func writeRedirect(to url: URL) {
        write(lines: [text.paint("redirected to \(text.shown(url: url.absoluteString))", .faint)])
    }

    /// Writes which addresses were tried, and the proxy, where a connection was made.
    func write(attemptsOf transaction: TransactionMetrics?) {
        guard let transaction else { return }
        var lines = transaction.addressAttempts.map {
            "connecting to \(AttemptText.text(of: $0, since: transaction.start))"
        }
        if let proxy = transaction.proxy, !transaction.isConnectionReused {
            let name = transaction.proxyProtocolName.map { " (\($0))" } ?? ""
            lines.append("through the proxy \(proxy)\(name)")
        }
        guard !lines.isEmpty else { return }
        write(lines: lines.map { text.paint($0, .faint) })
    }

    /// Writes the head of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - version: The version of HTTP; nil where it is not known yet.
    func write(_ request: Request, version: HTTPVersion? = .http1_1) {
        write(lines: text.request(request, version: version) + [""])
    }

    func write(_ head: ResponseHead) {
        write(lines: text.response(head) + [""])
    }

    /// The bytes of a body that tell whether it is text.
    private static let mostExamined = 64 * 1024

    /// Writes the body of a request that is in memory, and the length of another one.
    func write(_ body: RequestBody, of request: Request) {
        guard let data = body.data else {
            let length = body.length.map { "\($0) bytes" } ?? "a stream"
            return write(lines: [text.paint("(the body is \(length))", .faint), ""])
        }
        let contentType = request.headerFields[.contentType]
        let type = contentType.flatMap(MediaType.name)
        let kind = BodyKind(mediaType: type)
        guard style.isTerminal || style.formats || style.colors else {
            return stream.write(data + Array("\n\n".utf8))
        }
        let body = BodyText(style: style)
        // The first bytes tell, as they do for a response, of which no more may be there.
        guard !body.isBinary(data.prefix(Self.mostExamined), kind, contentType, type),
            let shown = body.render(data, kind: kind, contentType, type)
        else {
            return write(lines: [text.paint("(the body is binary, \(data.count) bytes)", .faint), ""])
        }
        write(lines: [shown, ""])
    }

    /// Writes connection, bytes and phases of the last request, for `--meta`.
    func write(meta metrics: TaskMetrics) {
        guard let transaction = metrics.transactions.last else { return }
        stream.write(line: table.facts(of: transaction).joined(separator: "\n"))
    }

    private var table: TimingTable { TimingTable(paint: Paint(style), columns: stream.columns) }

    /// Writes the times of the last request, on a terminal as a picture of its phases, and how many
    /// requests there were.
    ///
    /// - Parameters:
    ///   - response: The last response.
    ///   - duration: The time of all requests, the body of the last response included.
    func write(timingsOf response: TransportResponse, in duration: Duration) {
        let transactions = response.metrics?.transactions ?? []
        var timings = response.timings
        let isOne = transactions.count < 2
        timings.total = duration
        if !isOne, let last = transactions.last {
            timings.total = last.duration
            timings.firstByte = last.receiving.map { $0.start - last.start }
        }
        let line = text.timings(
            timings,
            stream: transactions.last?.streamIdentifier,
            of: isOne ? nil : (transactions.count, duration),
            showsPhases: !style.isTerminal || transactions.isEmpty
        )
        guard style.isTerminal, let last = transactions.last else { return write(lines: [line]) }
        stream.write(line: ([line] + table.phases(of: last)).joined(separator: "\n"))
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
        stream.write((lines.joined(separator: lineEnd) + lineEnd).utf8)
    }
}

/// Writes the retries of a request, for `-v`.
struct RetryDisplay: TaskObserver {
    let heads: HeadWriter

    func taskDidEnd(_ report: TaskReport) {}

    func taskWillRetry(_ retry: TaskRetry) { heads.write(retry) }
}
