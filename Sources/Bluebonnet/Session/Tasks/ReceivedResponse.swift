import FoundationEssentials
import NIOCore

/// A response that has been received whole, for the response serializer.
struct ReceivedResponse: Sendable {
    let transport: TransportResponse
    let body: Data
    let startedAt: NIODeadline
    let call: Call
}

extension ResponseSerializer {
    func serialize(_ received: ReceivedResponse) throws(NetworkingError) -> Output {
        let transport = received.transport
        return try serialize(received.body, head: transport.head, request: transport.sent.base)
    }
}

extension Response {
    /// Makes the response from what was received, when the task is complete.
    init(value: Value, _ received: ReceivedResponse) {
        let transport = received.transport
        var timings = transport.exchangeTimings
        if let last = transport.body.lastByteAt {
            timings.lastByte = CompactTime(from: transport.startedAt ?? received.startedAt, to: last)
        }
        let now = NIODeadline.now()
        timings.total = CompactTime(from: received.startedAt, to: now)
        self.init(
            value: value,
            sent: transport.sent,
            head: transport.head,
            body: received.body,
            trailers: transport.body.trailers,
            informational: transport.informational,
            redirects: transport.redirects,
            retries: transport.retries,
            exchangeTimings: timings,
            sharedCacheStatus: transport.sharedCacheStatus,
            metrics: received.call.metrics(endingAt: now)
        )
    }
}
