import Bluebonnet
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Synchronization
import Testing

/// Uploads to the resumable uploads of swift-nio-extras, which Apple tests URLSession with.
@Suite(.timeLimit(.minutes(3)))
struct ResumableUploadInteropTests {
    private static let bytes = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    @Test(arguments: [[], [1_500_000], [300_000, 700_000, 1_100_000]])
    func `an upload that is cut goes on where the server is`(_ cuts: [Int]) async throws {
        let server = try await Server.start(cuts: cuts)
        try await withDirectory { directory in
            let file = directory.appending(path: "movie")
            try Self.bytes.write(to: file)
            var configuration = SessionConfiguration()
            configuration.interceptors = []
            try await withSession(configuration: configuration) { session in
                var request = Request(method: .post, url: try #require(URL(string: server.baseURL + "/videos")))
                request.body = try .file(file)
                let task = session.uploadTask(for: request)
                let response = try await task.result.get()
                #expect(response.head.status.code == 201)
                #expect(String(decoding: response.value, as: UTF8.self) == "\(Self.bytes.count)")
                let methods: [HTTPRequest.Method] =
                    [.post] + cuts.flatMap { _ in [.head, .patch] as [HTTPRequest.Method] }
                #expect(task.metrics?.transactions.map(\.request.method) == methods)
            }
        }
        #expect(server.bodies == [Self.bytes])
        await server.shutdown()
    }

    @Test func `a small upload of memory is one request`() async throws {
        let server = try await Server.start(cuts: [])
        try await withSession(configuration: SessionConfiguration()) { session in
            var request = Request(method: .put, url: try #require(URL(string: server.baseURL + "/a")))
            request.body = .string("text")
            #expect(try await session.uploadTask(for: request).value == Data("4".utf8))
        }
        #expect(server.bodies == [Data("text".utf8)])
        await server.shutdown()
    }
}

/// A server of swift-nio-extras, whose first connections are cut after so many bytes.
private final class Server: Sendable {
    private let listener: any Channel
    private let state: State

    final class State: Sendable {
        let values: Mutex<(cuts: [Int], bodies: [Data], channels: [any Channel])>

        init(cuts: [Int]) {
            values = Mutex((cuts, [], []))
        }
    }

    private init(listener: any Channel, state: State) {
        self.listener = listener
        self.state = state
    }

    static func start(cuts: [Int]) async throws -> Server {
        let state = State(cuts: cuts)
        // The origin only goes into the location.
        let context = HTTPResumableUploadContext(origin: "")
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let cut = state.values.withLock { state -> Int? in
                        state.channels.append(channel)
                        return state.cuts.isEmpty ? nil : state.cuts.removeFirst()
                    }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(CutHandler(after: cut))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: context) { child in
                            try? child.pipeline.syncOperations.addHandler(BodyHandler(state))
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return Server(listener: listener, state: state)
    }

    func shutdown() async {
        try? await listener.close().get()
        for channel in state.values.withLock({ $0.channels }) { try? await channel.close().get() }
    }

    var baseURL: String { "http://127.0.0.1:\(listener.localAddress?.port ?? 0)" }

    /// The bodies of the complete uploads.
    var bodies: [Data] { state.values.withLock { $0.bodies } }

    /// Lets so many bytes of a connection through, and ends it then.
    private final class CutHandler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private var rest: Int?

        init(after count: Int?) {
            rest = count
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let rest else { return context.fireChannelRead(data) }
            guard rest > 0 else { return }
            var bytes = unwrapInboundIn(data)
            guard bytes.readableBytes >= rest, let part = bytes.readSlice(length: rest) else {
                self.rest = rest - bytes.readableBytes
                return context.fireChannelRead(data)
            }
            self.rest = 0
            context.fireChannelRead(NIOAny(part))
            context.fireChannelReadComplete()
            context.close(mode: .output, promise: nil)
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Takes one upload, whatever connections it comes over.
    private final class BodyHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private let state: State
        private var body = Data()

        init(_ state: State) {
            self.state = state
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head: break
            case .body(let bytes): body.append(contentsOf: bytes.readableBytesView)
            case .end:
                state.values.withLock { $0.bodies.append(body) }
                let text = "\(body.count)"
                let response = HTTPResponse(
                    status: .created,
                    headerFields: [.contentLength: "\(text.utf8.count)", .contentType: "text/plain"]
                )
                context.write(wrapOutboundOut(.head(response)), promise: nil)
                context.write(wrapOutboundOut(.body(ByteBuffer(string: text))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }
}
