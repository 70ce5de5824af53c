import NIOCore
import NIOPosix

/// A server that responds on every connection with a head and the same block many times, and counts
/// the bytes that the kernel took.
final class CountingServer: Sendable {
    let port: Int
    /// Body bytes that the kernel has taken.
    let written: Counter
    private let channel: any Channel

    private init(channel: any Channel, port: Int, written: Counter) {
        self.channel = channel
        self.port = port
        self.written = written
    }

    /// Runs the body with a server.
    static func run<Result>(
        head: String,
        block: [UInt8],
        count: Int,
        _ body: (CountingServer) async throws -> Result
    ) async throws -> Result {
        let written = Counter()
        let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            // Otherwise the kernel makes room for several megabytes by itself.
            .childChannelOption(.socketOption(.so_sndbuf), value: 65_536)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Writer(head: head, block: block, count: count, written: written)
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = CountingServer(channel: channel, port: channel.localAddress?.port ?? 0, written: written)
        do {
            let result = try await body(server)
            try? await channel.close()
            return result
        } catch {
            try? await channel.close()
            throw error
        }
    }

    /// Writes block after block, each when the kernel has taken the one before.
    private final class Writer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let head: String
        private let block: ByteBuffer
        private var left: Int
        private let written: Counter
        private var hasResponded = false

        init(head: String, block: [UInt8], count: Int, written: Counter) {
            self.head = head
            self.block = ByteBuffer(bytes: block)
            left = count
            self.written = written
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasResponded else { return }
            hasResponded = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: head)), promise: nil)
            write(context)
        }

        private func write(_ context: ChannelHandlerContext) {
            guard left > 0 else { return context.close(promise: nil) }
            left -= 1
            let size = block.readableBytes
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(block)).whenSuccess {
                let (writer, context) = bound.value
                writer.written.add(size)
                writer.write(context)
            }
        }
    }
}
