import NIOCore
import NIOEmbedded
import Testing

@testable import Bluebonnet

/// A channel behind a response with status 101.
@Suite struct HTTP1TunnelTests {
    /// What a receiver is told, in its order.
    private final class Receiver: ByteTunnelReceiver {
        var told: [String] = []

        func received(_ bytes: ByteBuffer) { told.append(String(buffer: bytes)) }
        func receivedAll() { told.append("all") }
        func writabilityChanged() {}
        func inputEnded() { told.append("input ended") }
        func ended(_ error: NetworkingError?) { told.append("ended: \(error?.code.description ?? "in order")") }
    }

    private func tunnel(early: [String] = []) throws -> (HTTP1Tunnel, EmbeddedChannel) {
        let channel = EmbeddedChannel()
        let origin = Origin(isSecure: false, endpoint: .host("example.com", port: 80))
        let tunnel = HTTP1Tunnel(to: origin, on: channel.eventLoop, early: early.map { ByteBuffer(string: $0) })
        try channel.pipeline.syncOperations.addHandler(tunnel)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return (tunnel, channel)
    }

    private struct Reset: Error {}

    @Test func `what came with the response comes first`() throws {
        let (tunnel, channel) = try tunnel(early: ["one", "", "two"])
        try channel.writeInbound(ByteBuffer(string: "three"))
        let receiver = Receiver()
        tunnel.begin(receiver)
        try channel.writeInbound(ByteBuffer(string: "four"))
        #expect(receiver.told == ["one", "two", "three", "all", "four", "all"])
        _ = try channel.finish()
        #expect(receiver.told.suffix(2) == ["input ended", "ended: in order"])
    }

    @Test(arguments: [true, false])
    func `a loss before there is a receiver has the same cause as one behind it`(isBefore: Bool) throws {
        let (tunnel, channel) = try tunnel(early: ["early"])
        let receiver = Receiver()
        if !isBefore { tunnel.begin(receiver) }
        channel.pipeline.fireErrorCaught(Reset())
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        if isBefore { tunnel.begin(receiver) }
        #expect(receiver.told == ["early", "all", "ended: connection-lost"])
    }

    @Test func `an end before there is a receiver is one in order`() throws {
        let (tunnel, channel) = try tunnel()
        _ = try channel.finish()
        let receiver = Receiver()
        tunnel.begin(receiver)
        #expect(receiver.told == ["input ended", "ended: in order"])
    }

    @Test func `the end of a tunnel that this side has closed has no cause`() throws {
        let (tunnel, channel) = try tunnel()
        let receiver = Receiver()
        tunnel.begin(receiver)
        tunnel.close()
        channel.pipeline.fireErrorCaught(Reset())
        channel.embeddedEventLoop.run()
        #expect(receiver.told == ["ended: in order"])
    }
}
