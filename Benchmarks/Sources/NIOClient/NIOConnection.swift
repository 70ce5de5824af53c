import NIOCore
import NIOHTTP1
import Synchronization

/// One connection that is kept between requests; it carries one request at a time.
struct NIOConnection: Sendable {
    /// A connection that closed before the response was complete.
    struct Closed: Error {}

    /// The continuation of the request that waits for its response. `Slot.finish` is the only code
    /// that resumes it, and takes it out of the slot first: so it is resumed at most once.
    @safe
    private struct Waiter: Sendable {
        let continuation: UnsafeContinuation<Int, any Error>
    }

    /// Holds the waiter of the current request until its response is complete.
    private final class Slot: Sendable {
        private let waiter = Mutex<Waiter?>(nil)

        func put(_ newWaiter: Waiter) {
            waiter.withLock { $0 = newWaiter }
        }

        func finish(_ result: Result<Int, any Error>) {
            let taken = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            // `taken` was removed under the lock, so no other call can resume it.
            unsafe taken?.continuation.resume(with: result)
        }
    }

    private let channel: any Channel
    private let host: String
    private let path: String
    private let slot = Slot()

    init(channel: any Channel, host: String, path: String) {
        self.channel = channel
        self.host = host
        self.path = path
    }

    func makeHandler() -> some ChannelInboundHandler { Handler(slot: slot) }

    /// Sends the request and waits for the number of bytes in the body.
    func get() async throws -> Int {
        // `Slot.finish` resumes it at most once, at the end of the response or of the connection.
        // The server does not close idle connections (`keepalive_timeout` in nginx.conf.in).
        try await unsafe withUnsafeThrowingContinuation { continuation in
            slot.put(unsafe Waiter(continuation: continuation))
            if channel.eventLoop.inEventLoop { write() } else { channel.eventLoop.execute { write() } }
        }
    }

    func close() { channel.close(promise: nil) }

    private func write() {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
        head.headers.add(name: "Host", value: host)
        head.headers.add(name: "User-Agent", value: "nio")
        channel.pipeline.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.pipeline.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let slot: Slot
        private var received = 0

        init(slot: Slot) {
            self.slot = slot
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: received = 0
            case .body(let buffer): received += buffer.readableBytes
            case .end: slot.finish(.success(received))
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            slot.finish(.failure(Closed()))
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            slot.finish(.failure(error))
            context.close(promise: nil)
        }
    }
}
