import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// The phases of the requests of a task as a table for people.
struct TimingTable {
    let paint: Paint
    /// The width of the bars that show when each phase was; 0 for none.
    private let barWidth: Int

    /// The columns before the bars.
    private static let textWidth = 24
    private static let barWidths = 10...40
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// - Parameters:
    ///   - paint: The colours.
    ///   - columns: The width of the terminal; nil for none, which has no bars.
    init(paint: Paint, columns: Int?) {
        self.paint = paint
        // A terminal may break a line in its last column.
        let room = (columns ?? 0) - Self.textWidth - 1
        barWidth = room < Self.barWidths.lowerBound ? 0 : min(room, Self.barWidths.upperBound)
    }

    /// A line of the table.
    private struct Row {
        var name: String
        var time: Duration?
        var start: Duration
        var end: Duration
    }

    /// The lines for a task, of which each request has a block.
    func text(_ report: TaskReport) -> String {
        let transactions = report.metrics.transactions
        var blocks = transactions.map(block)
        if transactions.count > 1, let total = report.metrics.duration {
            let redirects = report.metrics.redirectCount
            let retries = report.metrics.retryCount
            let parts = [
                "\(transactions.count) requests", redirects > 0 ? Self.count(redirects, "redirect") : nil,
                retries > 0 ? "\(retries) sent again" : nil, HeadText.milliseconds(total),
            ]
            blocks.append(paint(parts.compactMap(\.self).joined(separator: ", "), .faint))
        }
        return blocks.joined(separator: "\n\n")
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    private func block(_ transaction: TransactionMetrics) -> String {
        ([title(transaction)] + facts(of: transaction)).joined(separator: "\n")
    }

    /// Connection, bytes and phases of a request, one line for each.
    func facts(of transaction: TransactionMetrics) -> [String] {
        connection(transaction) + attempts(transaction) + bytes(transaction) + phases(of: transaction)
    }

    private func title(_ transaction: TransactionMetrics) -> String {
        let request = ShownText.harmless("\(transaction.request)")
        let outcome: String
        if let error = transaction.error {
            outcome = paint(ShownText.harmless(error.message), .failure)
        } else if let status = transaction.response?.status {
            let part: Paint.Part = status.code < 300 ? .success : status.code < 400 ? .redirection : .failure
            outcome = paint(ShownText.harmless("\(status)"), part)
        } else {
            outcome = paint("no response", .failure)
        }
        return "\(request)  \(outcome)"
    }

    private func connection(_ transaction: TransactionMetrics) -> [String] {
        guard let remote = transaction.remoteEndpoint else { return [] }
        let parts = [
            "\(remote)", transaction.protocolName,
            transaction.streamIdentifier.map { "stream \($0)" }, transaction.tlsVersion?.description,
            transaction.tlsCipherSuite?.description,
            transaction.isConnectionReused ? "reused connection" : "new connection",
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        guard let proxy = transaction.proxy else { return [field("server", text)] }
        let name = transaction.proxyProtocolName.map { " (\($0))" } ?? ""
        return [field("proxy", "\(proxy)\(name), \(text)")]
    }

    /// The addresses that were tried, where it was not only the right one.
    private func attempts(_ transaction: TransactionMetrics) -> [String] {
        let attempts = transaction.addressAttempts
        guard attempts.contains(where: { $0.outcome != .connected }) else { return [] }
        return attempts.map { field("tried", AttemptText.text(of: $0, since: transaction.start)) }
    }

    private func bytes(_ transaction: TransactionMetrics) -> [String] {
        let bytes = transaction.bytes
        guard bytes.sent + bytes.received > 0 else { return [] }
        func text(_ head: Int, _ body: Int, _ decoded: Int? = nil) -> String {
            var text = "head \(ProgressBar.size(head)), body \(ProgressBar.size(body))"
            if let decoded, decoded != body, decoded > 0 { text += " (\(ProgressBar.size(decoded)) decoded)" }
            return text
        }
        return [
            field("sent", text(bytes.requestHead, bytes.requestBody)),
            field("received", text(bytes.responseHead, bytes.responseBody, bytes.decodedResponseBody)),
        ]
    }

    private func field(_ name: String, _ value: String) -> String {
        "  \(paint(Self.padded(name, to: 10), .name))\(value)"
    }

    /// The phases of a request, one line for each, and its whole time.
    func phases(of transaction: TransactionMetrics) -> [String] {
        let end = transaction.end ?? transaction.start
        let named: [(String, TransactionMetrics.Phase?)] = [
            ("queue", transaction.queue), ("lookup", transaction.nameLookup), ("connect", transaction.connect),
            ("proxy", transaction.proxyEntry), ("TLS", transaction.tls), ("send", transaction.sending),
            ("wait", transaction.waiting),
            ("receive", transaction.receiving),
        ]
        let rows = named.compactMap { name, phase in
            phase.map { Row(name: name, time: $0.duration, start: $0.start, end: $0.end ?? end) }
        }
        let total = Row(name: "total", time: transaction.duration, start: transaction.start, end: end)
        return (rows + [total]).map { row in
            let time = row.time.map(HeadText.milliseconds) ?? "—"
            let line = "  \(paint(Self.padded(row.name, to: 10), .name))\(Self.padded(time, to: 10, left: true))"
            guard barWidth > 0, row.name != "total" else { return line }
            return line + "  " + paint(bar(row, of: total), .faint)
        }
    }

    /// A bar that begins and ends where its phase does; a line where that is too short for a bar.
    private func bar(_ row: Row, of total: Row) -> String {
        let whole = total.end - total.start
        guard whole > .zero else { return "" }
        let steps = barWidth * 8
        let start = Int((row.start - total.start) / whole * Double(steps))
        let end = Int((row.end - total.start) / whole * Double(steps))
        // A block cannot begin inside a column.
        let column = min(max(start, 0) / 8, barWidth - 1)
        guard end - start >= 8 else {
            return String(repeating: " ", count: column) + (start - column * 8 < 4 ? "▏" : "▕")
        }
        let length = max(1, min(end, steps) - column * 8)
        let full = String(repeating: "█", count: length / 8)
        return String(repeating: " ", count: column) + full + Self.eighths[length % 8]
    }

    private static func padded(_ text: String, to width: Int, left: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return left ? blanks + text : text + blanks
    }
}
