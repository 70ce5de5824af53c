import NIOCore
import Testing

@testable import Bluebonnet

/// The opening of a tunnel by CONNECT as a value.
struct ConnectRequestStateMachineTests {
    private typealias Machine = ConnectRequestStateMachine

    private static func begun(_ host: String = "example.com", authorization: String? = nil) -> (Machine, String) {
        var machine = Machine(to: Origin(isSecure: true, endpoint: .host(host, port: 443)))
        let request = machine.begin(authorization: authorization.map { Array($0.utf8) })
        return (machine, String(buffer: request))
    }

    @Test func `the request has the authority form and nothing of the origin's`() {
        #expect(Self.begun().1 == "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
        #expect(
            Self.begun("fe80::1%eth0", authorization: "Basic eA==").1
                == "CONNECT [fe80::1]:443 HTTP/1.1\r\nHost: [fe80::1]:443\r\nProxy-Authorization: Basic eA==\r\n\r\n"
        )
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 Connection established\r\nProxy-agent: x\r\n\r\n",
        "HTTP/1.1 299 \r\nContent-Length: 100\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 204 Open\r\n\r\n",
    ])
    func `after a 2xx the tunnel begins, whatever the fields say of a body`(response: String) throws {
        var (machine, _) = Self.begun()
        var buffer = ByteBuffer(string: response + "tunnel")
        guard case .open = try machine.received(&buffer) else {
            Issue.record("another step")
            return
        }
        #expect(String(buffer: buffer) == "tunnel")
    }

    @Test(arguments: [
        ("HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nbody", true, "body"),
        ("HTTP/1.1 407 No\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody", false, "body"),
        ("HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n", true, "body"),
        ("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", true, ""),
        ("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nbodymore", false, "body"),
    ])
    func `a refusal has its body, and says whether the connection can be used again`(
        response: String,
        isKeepAlive: Bool,
        body: String
    ) throws {
        var (machine, _) = Self.begun()
        var buffer = ByteBuffer(string: response)
        guard case .refused(let refusal) = try machine.received(&buffer) else {
            Issue.record("another step")
            return
        }
        #expect(refusal.isKeepAlive == isKeepAlive)
        #expect(String(buffer: refusal.body) == body)
    }

    @Test func `a refusal that the end of the connection ends has its body`() throws {
        for fields in ["", "Content-Length: 100\r\n"] {
            var (machine, _) = Self.begun()
            var buffer = ByteBuffer(string: "HTTP/1.1 502 No\r\n\(fields)\r\nbody")
            guard case .wait = try machine.received(&buffer), case .refused(let refusal) = try machine.inputEnded()
            else {
                Issue.record("another step")
                return
            }
            #expect(!refusal.isKeepAlive)
            #expect(String(buffer: refusal.body) == "body")
        }
    }

    @Test func `no more than the beginning of a long body is kept`() throws {
        var (machine, _) = Self.begun()
        var buffer = ByteBuffer(string: "HTTP/1.1 502 No\r\n\r\n" + String(repeating: "x", count: 70_000))
        guard case .refused(let refusal) = try machine.received(&buffer) else {
            Issue.record("another step")
            return
        }
        #expect(refusal.body.readableBytes == ConnectRequestStateMachine.mostBody)
        #expect(!refusal.isKeepAlive)
    }

    @Test func `a refusal of many small chunks with long extensions ends, whatever its content`() throws {
        var (machine, _) = Self.begun()
        var head = ByteBuffer(string: "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n")
        guard case .wait = try machine.received(&head) else {
            Issue.record("another step")
            return
        }
        let chunk = "1;" + String(repeating: "x", count: 4_000) + "\r\na\r\n"
        for _ in 0..<100 {
            var buffer = ByteBuffer(string: chunk)
            guard case .refused(let refusal) = try machine.received(&buffer) else { continue }
            #expect(refusal.head.statusCode == 403)
            #expect((1...40).contains(refusal.body.readableBytes))
            #expect(!refusal.isKeepAlive)
            return
        }
        Issue.record("it goes on")
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nbad field\r\n\r\n", "\u{15}\u{3}\u{1}",
        "HTTP/1.1 407 No\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 70_000),
    ])
    func `what is no response is a fault`(response: String) throws {
        var (machine, _) = Self.begun()
        var buffer = ByteBuffer(string: response)
        #expect(throws: ConnectRequestStateMachine.Failure.self) { try machine.received(&buffer) }
    }

    @Test func `an end before the response is told from one inside of it`() throws {
        var (silent, _) = Self.begun()
        #expect(throws: ConnectRequestStateMachine.Failure.closed) { try silent.inputEnded() }
        var (cut, _) = Self.begun()
        var buffer = ByteBuffer(string: "HTTP/1.1 2")
        _ = try cut.received(&buffer)
        #expect(throws: ConnectRequestStateMachine.Failure.malformed(HTTP1ParseError(.truncatedHead))) {
            try cut.inputEnded()
        }
    }
}
