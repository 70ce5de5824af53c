import HTTPTypes
import Testing

@testable import LocalServer

/// RFC 6455 §4.2 and RFC 7692 §7, as values.
@Suite struct WebSocketEchoHandshakeTests {
    private func request(_ change: (inout HTTPFields) -> Void = { _ in }) -> HTTPRequest {
        var fields: HTTPFields = [
            .connection: "keep-alive, Upgrade", .upgrade: "WebSocket", .secWebSocketVersion: "13",
            .secWebSocketKey: "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        change(&fields)
        return HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/websocket", headerFields: fields)
    }

    @Test func `the response belongs to the key`() throws {
        // RFC 6455 §1.3.
        let fields = try #require(WebSocketEchoHandshake.fields(for: request()))
        #expect(fields[.secWebSocketAccept] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(fields[.upgrade] == "websocket" && fields[.connection] == "Upgrade")
        #expect(fields[.secWebSocketProtocol] == nil && fields[.secWebSocketExtensions] == nil)
    }

    @Test func `the preferred subprotocol is chosen`() {
        let fields = WebSocketEchoHandshake.fields(for: request { $0[.secWebSocketProtocol] = " b , a" })
        #expect(fields?[.secWebSocketProtocol] == "b")
    }

    private static let others: [(HTTPField.Name, String?)] = [
        (.connection, "keep-alive"), (.upgrade, "h2c"), (.secWebSocketVersion, "8"), (.secWebSocketVersion, nil),
        (.secWebSocketKey, "short"), (.secWebSocketKey, nil), (.secWebSocketKey, "AAAA"),
    ]

    @Test(arguments: others.indices)
    func `a request that breaks a rule opens nothing`(index: Int) {
        let (name, value) = Self.others[index]
        #expect(WebSocketEchoHandshake.fields(for: request { $0[name] = value }) == nil)
        var post = request()
        post.method = .post
        #expect(WebSocketEchoHandshake.fields(for: post) == nil)
    }

    private static let offers: [(String, String?)] = [
        ("permessage-deflate", ""),
        ("permessage-deflate; client_max_window_bits", ""),
        ("permessage-deflate; client_max_window_bits=10", ""),
        ("PerMessage-Deflate ; server_no_context_takeover", "; server_no_context_takeover; client_no_context_takeover"),
        ("permessage-deflate; client_no_context_takeover", "; server_no_context_takeover; client_no_context_takeover"),
        (
            "permessage-deflate; server_max_window_bits=9; client_max_window_bits",
            "; server_max_window_bits=9; client_max_window_bits=9"
        ),
        (
            "permessage-deflate; server_max_window_bits=12; client_max_window_bits=10",
            "; server_max_window_bits=12; client_max_window_bits=10"
        ),
        ("permessage-deflate; server_max_window_bits=\"15\"", "; server_max_window_bits=15"),
        ("permessage-deflate; server_max_window_bits=9", nil),
        ("permessage-deflate; server_max_window_bits=9, permessage-deflate", ""),
        ("permessage-deflate; server_max_window_bits=16", nil),
        ("permessage-deflate; unknown", nil), ("x-webkit-deflate-frame", nil), ("", nil), (";,=", nil),
    ]

    @Test(arguments: offers.indices)
    func `compression is agreed upon where the window of the client can be that of the server or less`(index: Int) {
        let (offer, parameters) = Self.offers[index]
        let expected = parameters.map { "permessage-deflate" + $0 }
        #expect(WebSocketEchoHandshake.compression(offers: offer) == expected, "\(offer)")
    }
}
