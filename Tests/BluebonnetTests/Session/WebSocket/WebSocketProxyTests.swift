import Foundation
import LocalServer
import Testing

@testable import Bluebonnet

/// WebSockets through proxies.
@Suite(.timeLimit(.minutes(3)))
struct WebSocketProxyTests {
    @Test(arguments: [false, true], [Proxy.Kind.http, .https, .socks5])
    func `a WebSocket gets a tunnel, also for ws`(isSecure: Bool, kind: Proxy.Kind) async throws {
        let tls = isSecure ? try ProxyScripts.tls() : nil
        try await WebSocketServer.run(tls: tls, WebSocketServer.echo) { server in
            let script: FaultServer.Script =
                kind.isSOCKS
                ? .steps(ProxyScripts.socks5(to: server.port, request: 10)) : ProxyScripts.connect(to: server.port)
            let options = FaultServer.Options(tls: kind == .https ? try ProxyScripts.tls() : nil)
            try await FaultServer.run(script, options: options) { proxy in
                let configuration = try ProxyScripts.configuration(kind, port: proxy.port) {
                    $0.nameResolver = StubResolver(["localhost": ["127.0.0.1"]])
                }
                try await withSession(configuration) { session in
                    let socket = try session.webSocket(to: server)
                    try await socket.send("hello")
                    try await socket.expect(.text("hello"))
                    await socket.close()
                }
                #expect(proxy.connections.count == 1)
                if !kind.isSOCKS {
                    let host = isSecure ? "localhost" : "127.0.0.1"
                    #expect(proxy.requests.first?.requestLine == "CONNECT \(host):\(server.port) HTTP/1.1")
                }
            }
        }
    }
}
