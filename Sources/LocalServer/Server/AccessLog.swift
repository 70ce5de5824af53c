import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A request that has its response, for an access log.
package struct AccessRecord: Sendable {
    /// The address that the request came from.
    package var origin: String
    package var method: String
    /// The path and the query, as they were sent.
    package var target: String
    /// `HTTP/1.1` or `HTTP/2`.
    package var version: String
    package var status: Int
    /// The bytes of the response body.
    package var bytes: Int
    /// The time from the head of the request to the last byte of the response.
    package var duration: Duration
    /// Whether the response was not sent to its end.
    package var isCut: Bool
}

extension AccessRecord {
    /// A record of a response that is about to be sent.
    init(_ request: Request, _ channel: any Channel, _ response: Response, _ duration: Duration) {
        self.init(
            origin: channel.remoteAddress?.ipAddress ?? "-",
            method: request.method.rawValue,
            target: request.head.path ?? "/",
            version: channel.isHTTP2Stream ? "HTTP/2" : "HTTP/1.1",
            status: response.status.code,
            bytes: 0,
            duration: duration,
            isCut: false
        )
    }
}

/// Counts the bytes of a response, and tells when it has been sent.
struct AccessLog: Sendable {
    typealias Write = @Sendable (AccessRecord) -> Void

    let write: Write

    /// The response, whose end is told.
    func observing(_ response: Response, _ record: AccessRecord) -> Response {
        let startedAt = ContinuousClock.now
        let count = Counter()
        let body = response.body
        var response = response
        response.body = ResponseBody(contentLength: body.contentLength) { [write] writer in
            func end(isCut: Bool) {
                var record = record
                record.bytes = count.bytes.withLock { $0 }
                record.duration = startedAt.duration(to: .now) + record.duration
                record.isCut = isCut
                write(record)
            }
            do {
                let counting = writer.map { buffer in
                    count.bytes.withLock { $0 += buffer.readableBytes }
                    return buffer
                }
                try await body.write(counting)
                end(isCut: false)
            } catch {
                end(isCut: true)
                throw error
            }
        }
        return response
    }

    private final class Counter: Sendable {
        let bytes = Mutex(0)
    }
}
