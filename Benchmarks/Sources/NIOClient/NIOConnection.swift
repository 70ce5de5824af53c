import NIOCore
import NIOHTTP1
import Synchronization

/// One kept connection; it carries one request at a time.
struct NIOConnection: Sendable {
    /// The connection closed before the answer was complete.
    struct Closed: Error {}

    /// Who waits for an answer; resumed once, since it is taken out of its place first.
    @safe
    private struct Waiter: Sendable {
        let continuation: UnsafeContinuation<Int, any Error>
    }

    /// The place of who waits for the present answer.
    private final class Slot: Sendable {
        private let waiter = Mutex<Waiter?>(nil)

        func put(_ waiting: Waiter) {
            waiter.withLock { $0 = waiting }
        }

        func finish(_ result: Result<Int, any Error>) {
            let taken = waiter.withLock { waiter in
                defer { waiter = nil }
                return waiter
            }
            // Nobody else holds it any more.
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
        // Resumed exactly once: by the answer or by the end of the connection.
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
