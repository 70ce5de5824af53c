import NIOCore
import NIOHTTP1
import NIOPosix

/// A PUT whose body is a file that the kernel sends (`sendfile`).
struct NIOUpload {
    let loop: any EventLoop
    let address: NIOAddress

    /// Sends a file over a new connection.
    ///
    /// - Returns: The body of the response.
    func send(_ path: String) async throws -> [UInt8] {
        let response = loop.makePromise(of: [UInt8].self)
        let address = address
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(Handler(response: response))
                }
            }
            .connect(host: address.host, port: address.port).get()
        try await channel.eventLoop.submit { try Self.write(path, to: address, on: channel) }.get()
        let body = try await response.futureResult.get()
        try await channel.close()
        return body
    }

    private static func write(_ path: String, to address: NIOAddress, on channel: any Channel) throws {
        let file = try NIOFileHandle(_deprecatedPath: path)
        let region = try FileRegion(fileHandle: file)
        var head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: address.path)
        head.headers.add(name: "Host", value: "\(address.host):\(address.port)")
        head.headers.add(name: "Content-Length", value: "\(region.readableBytes)")
        channel.pipeline.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.pipeline.write(HTTPClientRequestPart.body(.fileRegion(region)), promise: nil)
        let sent = channel.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenComplete { _ in try? file.close() }
        channel.pipeline.writeAndFlush(HTTPClientRequestPart.end(nil), promise: sent)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let response: EventLoopPromise<[UInt8]>
        private var body: [UInt8] = []

        init(response: EventLoopPromise<[UInt8]>) {
            self.response = response
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: break
            case .body(let buffer): body += buffer.readableBytesView
            case .end: response.succeed(body)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            response.fail(NIOConnection.Closed())
            context.fireChannelInactive()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            response.fail(error)
            context.close(promise: nil)
        }
    }
}
