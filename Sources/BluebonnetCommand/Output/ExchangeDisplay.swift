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
        /// The responses that have ended and are not shown yet.
        var responses: [Int: ResponseHead] = [:]
        /// The number of the last request that was sent; nil before the first one.
        var last: Int?
    }

    private let heads: HeadWriter
    private let parts: PrintedParts
    /// The version that is spoken; nil where the connection decides it.
    private let version: HTTPVersion?
    /// Whether the engine adds which content codings it undoes.
    private let offersCodings: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - heads: The writer.
    ///   - parts: The parts that are shown: of the requests, and whether heads of responses are.
    ///   - version: The version of HTTP; nil where the connection decides it.
    ///   - offersCodings: Whether the session undoes content codings.
    init(_ heads: HeadWriter, parts: PrintedParts, version: HTTPVersion?, offersCodings: Bool) {
        (self.heads, self.parts, self.version) = (heads, parts, version)
        self.offersCodings = offersCodings
    }

    /// Whether a request was sent: the response of a cache has none.
    var hasRequest: Bool { state.withLock { $0.last != nil } }

    func willSend(_ transaction: inout OutgoingTransaction) -> TransactionEnding? {
        let number = transaction.number
        let request = offersCodings ? transaction.request.offeringCodings : transaction.request
        let (previous, earlierURL) = state.withLock { state -> (ResponseHead?, URL?) in
            state.last = number
            state.requests[number] = request.url
            return (state.responses.removeValue(forKey: number - 1), state.requests[number - 1])
        }
        if let previous { write(previous) }
        if let earlierURL, earlierURL != request.url { heads.writeRedirect(to: request.url) }
        if parts.contains(.requestHead) { heads.write(request, version: version) }
        if parts.contains(.requestBody), let body = request.body { heads.write(body, of: request) }
        return { [weak self] metrics in self?.end(metrics) }
    }

    /// Shows the last response, where nobody has read it.
    func finish() {
        let head = state.withLock { state in state.last.flatMap { state.responses.removeValue(forKey: $0) } }
        if let head { write(head) }
    }

    private func end(_ metrics: TransactionMetrics) {
        guard let head = metrics.response else { return }
        let isLate = state.withLock { state in
            guard let last = state.last, last > metrics.number else {
                state.responses[metrics.number] = head
                return false
            }
            return true
        }
        if isLate { write(head) }
    }

    private func write(_ head: ResponseHead) {
        if parts.contains(.responseHead) { heads.write(head) }
    }
}
