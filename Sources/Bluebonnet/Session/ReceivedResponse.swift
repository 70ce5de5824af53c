import FoundationEssentials
import NIOCore

/// A response that has been received whole: what a response serializer works on.
struct ReceivedResponse: Sendable {
    let transport: TransportResponse
    let body: Data
    let startedAt: NIODeadline
}

extension Response {
    /// Puts together what was received, when the task is complete.
    init(value: Value, _ received: ReceivedResponse) {
        let transport = received.transport
        var timings = transport.timings
        if let last = transport.body.lastByteAt {
            timings.lastByte = last.since(transport.startedAt ?? received.startedAt)
        }
        timings.total = NIODeadline.now().since(received.startedAt)
        self.init(
            value: value,
            request: transport.request,
            head: transport.head,
            body: received.body,
            trailers: transport.body.trailers,
            informational: transport.informational,
            redirects: transport.redirects,
            retries: transport.retries,
            timings: timings
        )
    }
}
