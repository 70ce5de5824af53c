import NIOCore
import NIOEmbedded
import Testing

@testable import Bluebonnet

/// The opening of a tunnel on a channel whose time the test advances.
struct ProxyNegotiatorTests {
    @Test func `a refusal whose body stalls is the outcome after a second`() throws {
        let origin = Origin(isSecure: true, endpoint: .host("one.example", port: 443))
        var refusal: ConnectRequestStateMachine.Refusal?
        let channel = EmbeddedChannel()
        let negotiator = ProxyNegotiator(
            .connect(ConnectRequestStateMachine(to: origin)),
            of: try Proxy("http://proxy.example:1"),
            ProxyAuthentication(),
            ProxyAuthentication.Dialogue()
        ) { outcome, _ in
            if case .refused(let found) = outcome { refusal = found }
        }
        try channel.pipeline.syncOperations.addHandler(negotiator)
        try channel.writeInbound(ByteBuffer(string: "HTTP/1.1 403 No\r\nContent-Length: 10\r\n\r\nab"))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(999))
        #expect(refusal == nil)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(refusal?.head.statusCode == 403)
        #expect(refusal.map { String(buffer: $0.body) } == "ab")
        _ = try channel.finish()
    }

    @Test func `the time of a refusal ends with its body`() throws {
        let origin = Origin(isSecure: true, endpoint: .host("one.example", port: 443))
        var outcomes = 0
        let channel = EmbeddedChannel()
        let negotiator = ProxyNegotiator(
            .connect(ConnectRequestStateMachine(to: origin)),
            of: try Proxy("http://ada:secret@proxy.example:1"),
            ProxyAuthentication(),
            ProxyAuthentication.Dialogue()
        ) { _, _ in outcomes += 1 }
        try channel.pipeline.syncOperations.addHandler(negotiator)
        let head = "HTTP/1.1 407 No\r\n" + #"Proxy-Authenticate: Digest realm="x", nonce="n", qop="auth""# + "\r\n"
        try channel.writeInbound(ByteBuffer(string: head + "Content-Length: 2\r\n\r\na"))
        try channel.writeInbound(ByteBuffer(string: "b"))
        // The answer to the challenge waits for the proxy.
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(outcomes == 0)
        try channel.writeInbound(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"))
        #expect(outcomes == 1)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
