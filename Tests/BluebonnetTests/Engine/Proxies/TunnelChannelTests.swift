import NIOCore
import NIOEmbedded
import Testing

@testable import Bluebonnet

/// A channel over a tunnel, with a tunnel whose other side is the test.
struct TunnelChannelTests {
    /// A tunnel that keeps what is done with it.
    private final class Tunnel: ByteTunnel {
        let loop = EmbeddedEventLoop()
        /// What came before it had a receiver.
        let early: String?
        var receiver: (any ByteTunnelReceiver)?
        var isReading = true
        var isWritable = true
        var unsentBytes = 5
        var written: [String] = []
        var flushes = 0
        var whenFlushed: (() -> Void)?
        var hasClosedOutput = false
        var isClosed = false

        init(early: String?) {
            self.early = early
        }

        var eventLoop: any EventLoop { loop }
        var carrier: (any Channel)? { nil }

        func begin(_ receiver: any ByteTunnelReceiver) {
            self.receiver = receiver
            if let early { bring(early) }
        }

        func write(_ bytes: ByteBuffer) { written.append(String(buffer: bytes)) }
        func flush() {
            flushes += 1
            whenFlushed?()
        }
        func setReading(_ isReading: Bool) { self.isReading = isReading }
        func closeOutput() { hasClosedOutput = true }
        func abort() { close() }

        func close() {
            isClosed = true
            receiver?.ended(nil)
            receiver = nil
        }

        func bring(_ texts: String...) {
            for text in texts { receiver?.received(ByteBuffer(string: text)) }
            receiver?.receivedAll()
        }
    }

    /// The last handler, which keeps what it hears.
    private final class Recorder: ChannelInboundHandler, ChannelOutboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = ByteBuffer

        var events: [String] = []
        var holdsReads = false
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { events.append("removed") }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            events.append(String(buffer: unwrapInboundIn(data)))
        }
        func channelReadComplete(context: ChannelHandlerContext) { events.append("complete") }
        func channelInactive(context: ChannelHandlerContext) { events.append("inactive") }
        func channelWritabilityChanged(context: ChannelHandlerContext) {
            events.append(context.channel.isWritable ? "writable" : "full")
            context.fireChannelWritabilityChanged()
        }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { events.append("error") }
        func read(context: ChannelHandlerContext) { if !holdsReads { context.read() } }
        func allowReads() {
            holdsReads = false
            context?.read()
        }
    }

    private static func make(early: String? = nil) throws -> (Tunnel, TunnelChannel, Recorder) {
        let tunnel = Tunnel(early: early)
        let channel = TunnelChannel(over: tunnel)
        let recorder = Recorder()
        channel.begin()
        try channel.pipeline.syncOperations.addHandler(recorder)
        tunnel.loop.run()
        return (tunnel, channel, recorder)
    }

    @Test func `bytes are read together, also those that came before the handlers`() throws {
        let (tunnel, channel, recorder) = try Self.make(early: "early")
        #expect(channel.isActive)
        #expect(recorder.events == ["early", "complete"])
        tunnel.bring("a", "b")
        #expect(recorder.events == ["early", "complete", "a", "b", "complete"])
        channel.close(promise: nil)
        tunnel.loop.run()
    }

    @Test func `a pipeline that does not read stops the tunnel, and goes on with what came`() throws {
        let (tunnel, channel, recorder) = try Self.make()
        recorder.holdsReads = true
        // The read that is wanted already.
        tunnel.bring("a")
        #expect(recorder.events == ["a", "complete"] && !tunnel.isReading)
        tunnel.bring("b")
        #expect(recorder.events == ["a", "complete"])
        recorder.allowReads()
        #expect(recorder.events == ["a", "complete"], "not within the call")
        tunnel.loop.run()
        #expect(recorder.events == ["a", "complete", "b", "complete"] && tunnel.isReading)
        channel.close(promise: nil)
        tunnel.loop.run()
    }

    @Test func `what was written goes to the tunnel when it is flushed`() throws {
        let (tunnel, channel, _) = try Self.make()
        let promise = tunnel.loop.makePromise(of: Void.self)
        var isWritten = false
        promise.futureResult.assumeIsolated().whenSuccess { isWritten = true }
        channel.write(ByteBuffer(string: "a"), promise: promise)
        #expect(tunnel.written.isEmpty && !isWritten)
        channel.flush()
        #expect(tunnel.written == ["a"] && tunnel.flushes == 1 && isWritten)
        try #expect(channel.syncOptions?.getOption(.bufferedWritableBytes) == 5)
        channel.close(promise: nil)
        tunnel.loop.run()
    }

    @Test func `it is writable as long as the tunnel is`() throws {
        let (tunnel, channel, recorder) = try Self.make()
        tunnel.isWritable = false
        channel.writeAndFlush(ByteBuffer(string: "a"), promise: nil)
        #expect(!channel.isWritable && recorder.events == ["full"])
        tunnel.isWritable = true
        tunnel.receiver?.writabilityChanged()
        #expect(channel.isWritable && recorder.events == ["full", "writable"])
        channel.close(promise: nil)
        tunnel.loop.run()
    }

    /// Writes and flushes each time that the channel is writable again.
    private final class EagerWriter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        var left = 1000
        var depth = 0
        var deepest = 0

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            guard context.channel.isWritable, left > 0 else { return }
            left -= 1
            depth += 1
            deepest = max(deepest, depth)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 0x61, count: 1 << 18)), promise: nil)
            depth -= 1
        }
    }

    @Test func `a tunnel that takes all at once is written to in a loop, and not by recursion`() throws {
        let (tunnel, channel, _) = try Self.make()
        let writer = EagerWriter()
        try channel.pipeline.syncOperations.addHandler(writer)
        tunnel.whenFlushed = { tunnel.receiver?.writabilityChanged() }
        channel.writeAndFlush(ByteBuffer(repeating: 0x61, count: 1 << 18), promise: nil)
        #expect(writer.left == 0 && tunnel.written.count == 1001)
        #expect(writer.deepest <= 2, "\(writer.deepest)")
        tunnel.whenFlushed = nil
        channel.close(promise: nil)
        tunnel.loop.run()
    }

    @Test(arguments: [false, true])
    func `the end of the peer's side closes it behind what has come`(isError: Bool) throws {
        let (tunnel, channel, recorder) = try Self.make()
        recorder.holdsReads = true
        tunnel.bring("a")
        tunnel.bring("b")
        if isError {
            tunnel.receiver?.ended(NetworkingError(.streamReset, "reset"))
        } else {
            tunnel.receiver?.inputEnded()
        }
        let end = (isError ? ["error"] : []) + ["inactive"]
        #expect(recorder.events == ["a", "complete", "b", "complete"] + end)
        #expect(!channel.isActive && tunnel.isClosed)
        tunnel.loop.run()
        #expect(recorder.events.last == "removed")
        var isClosed = false
        channel.closeFuture.assumeIsolated().whenSuccess { isClosed = true }
        #expect(isClosed)
    }

    @Test func `to close it fails what was not flushed, and a second time is an error`() throws {
        let (tunnel, channel, recorder) = try Self.make()
        var failures = 0
        for _ in 0..<2 {
            channel.write(ByteBuffer(string: "a")).assumeIsolated().whenFailure { _ in failures += 1 }
        }
        channel.close(promise: nil)
        #expect(failures == 2 && tunnel.written.isEmpty && tunnel.isClosed)
        #expect(recorder.events == ["inactive"])
        channel.close().assumeIsolated().whenFailure { _ in failures += 1 }
        channel.writeAndFlush(ByteBuffer(string: "a")).assumeIsolated().whenFailure { _ in failures += 1 }
        #expect(failures == 4)
        tunnel.loop.run()
    }

    @Test func `one side can be closed alone`() throws {
        let (tunnel, channel, recorder) = try Self.make()
        channel.close(mode: .output, promise: nil)
        #expect(tunnel.hasClosedOutput && !tunnel.isClosed && channel.isActive)
        var isRefused = false
        channel.write(ByteBuffer(string: "a")).assumeIsolated().whenFailure { _ in isRefused = true }
        #expect(isRefused)
        tunnel.bring("a")
        #expect(recorder.events == ["a", "complete"])
        channel.close(promise: nil)
        tunnel.loop.run()
    }
}
