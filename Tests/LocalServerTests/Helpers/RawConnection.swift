import LocalServer
import NIOCore
import NIOPosix
import NIOSSL

/// A client that sends and receives bytes and knows nothing of HTTP.
final class RawConnection {
    private let channel: any Channel
    private var iterator: AsyncThrowingStream<ByteBuffer, any Error>.Iterator

    private init(channel: any Channel, stream: AsyncThrowingStream<ByteBuffer, any Error>) {
        self.channel = channel
        iterator = stream.makeAsyncIterator()
    }

    /// Connects to 127.0.0.1, or to a socket path, with TLS when there is a configuration.
    static func connect(
        port: Int = 0,
        path: String? = nil,
        tls: TLSConfiguration? = nil,
        timeout: TimeAmount = .seconds(30)
    ) async throws -> RawConnection {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
        let future =
            if let path {
                bootstrap.connect(unixDomainSocketPath: path)
            } else {
                bootstrap.connect(host: "127.0.0.1", port: port)
            }
        return RawConnection(channel: try await future.get(), stream: stream)
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Receives the next bytes; `nil` after the server has closed its side.
    func receive() async throws -> String? {
        try await iterator.next(isolation: #isolation).map { String(buffer: $0) }
    }

    /// Receives at least `count` bytes, or fewer if the server closes its side.
    func receive(atLeast count: Int) async throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < count, let buffer = try await iterator.next(isolation: #isolation) {
            bytes += buffer.readableBytesView
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Receives all bytes until the server closes its side; throws when it resets the connection.
    func receiveAll() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try await iterator.next(isolation: #isolation) {
            bytes += buffer.readableBytesView
        }
        return bytes
    }

    func receiveAllText() async throws -> String {
        String(decoding: try await receiveAll(), as: UTF8.self)
    }

    func close() async {
        try? await channel.close().get()
    }

    func halfClose() async throws {
        try await channel.close(mode: .output).get()
    }
}

extension RawConnection {
    /// Passes received bytes to the test.
    fileprivate final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation

        init(_ continuation: AsyncThrowingStream<ByteBuffer, any Error>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event {
                continuation.finish()
            }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            continuation.finish(throwing: error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            continuation.finish()
        }
    }
}
