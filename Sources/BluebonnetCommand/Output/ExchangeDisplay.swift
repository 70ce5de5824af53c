import Bluebonnet
import FoundationEssentials
import Synchronization

/// Shows each request when it is sent, and each response when its head is there, redirects and
/// repeated requests included.
///
/// It observes one task. The last response is shown by whoever reads its body, since its head comes
/// long before its end, which an observer is told.
final class ExchangeDisplay: TransactionObserver {
    private struct State {
        var requests: [Int: URL] = [:]
        /// The transactions that have ended and are not shown yet.
        var ended: [Int: TransactionMetrics] = [:]
        /// The number of the last request that was sent; nil before the first one.
        var last: Int?
    }

    private let heads: HeadWriter
    private let parts: PrintedParts
    /// Whether the addresses that were tried are shown.
    private let showsAttempts: Bool
    /// The version that is spoken; nil where the connection decides it.
    private let version: HTTPVersion?
    /// Whether the engine adds which content codings it undoes.
    private let offersCodings: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - heads: The writer.
    ///   - parts: The parts that are shown: of the requests, and whether heads of responses are.
    ///   - showsAttempts: Whether the addresses that were tried are shown.
    ///   - version: The version of HTTP; nil where the connection decides it.
    ///   - offersCodings: Whether the session undoes content codings.
    init(
        _ heads: HeadWriter,
        parts: PrintedParts,
        showsAttempts: Bool,
        version: HTTPVersion?,
        offersCodings: Bool
    ) {
        (self.heads, self.parts, self.version) = (heads, parts, version)
        self.showsAttempts = showsAttempts
        self.offersCodings = offersCodings
    }

    /// Whether a request was sent: the response of a cache has none.
    var hasRequest: Bool { state.withLock { $0.last != nil } }

    func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
        let number = transaction.number
        let request = offersCodings ? transaction.request.offeringCodings : transaction.request
        let (previous, earlierURL) = state.withLock { state -> (TransactionMetrics?, URL?) in
            state.last = number
            state.requests[number] = request.url
            return (state.ended.removeValue(forKey: number - 1), state.requests[number - 1])
        }
        if let previous { write(previous) }
        if let earlierURL, earlierURL != request.url { heads.writeRedirect(to: request.url) }
        if parts.contains(.requestHead) { heads.write(request, version: version) }
        if parts.contains(.requestBody), let body = request.body { heads.write(body, of: request) }
        return { [weak self] metrics in self?.end(metrics) }
    }

    /// Shows the last response, where nobody has read it.
    func finish() {
        let metrics = state.withLock { state in state.last.flatMap { state.ended.removeValue(forKey: $0) } }
        if let metrics { write(metrics) }
    }

    private func end(_ metrics: TransactionMetrics) {
        let isLate = state.withLock { state in
            if let last = state.last, last > metrics.number { return true }
            state.ended[metrics.number] = metrics
            return false
        }
        if isLate { write(metrics) }
    }

    private func write(_ metrics: TransactionMetrics) {
        if showsAttempts { heads.write(attemptsOf: metrics) }
        if parts.contains(.responseHead), let head = metrics.response { heads.write(head) }
    }
}
