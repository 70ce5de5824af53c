import LocalServer
import Testing

@testable import Bluebonnet

extension HTTP2Rule {
    private static func response(_ fields: (String, String)...) -> [(String, String)] {
        [(":status", "200")] + fields
    }

    /// RFC 9113 §8.1: the order of a message's frames, and its length.
    static let messages: [HTTP2Rule] = [
        Self(
            "9113 §8.1",
            "DATA before the head",
            .stream(.protocolError, .protocolViolation),
            .data("x", stream: stream)
        ),
        Self(
            "9113 §8.1",
            "a second head that does not end the stream",
            .stream(.protocolError, .protocolViolation),
            .head,
            .headers([("a", "b")], stream: stream)
        ),
        Self(
            "9113 §8.1",
            "an informational response that ends the stream",
            .stream(.protocolError, .protocolViolation),
            .headers([(":status", "103")], stream: stream, endStream: true)
        ),
        Self(
            "9113 §8.1",
            "informational responses before the head",
            .accepted("ok"),
            .headers([(":status", "103"), ("link", "</a>")], stream: stream),
            .headers([(":status", "199")], stream: stream),
            .head,
            .body
        ),
        Self(
            "9113 §8.1",
            "a response with trailers",
            .accepted("ok"),
            .head,
            .data("ok", stream: stream),
            .headers([("x-checksum", "1")], stream: stream, endStream: true)
        ),
        Self(
            "9113 §8.1",
            "a body that ends with an empty frame",
            .accepted("ok"),
            .head,
            .data("ok", stream: stream),
            .data("", stream: stream, endStream: true)
        ),
        Self(
            "9113 §8.1",
            "a complete response, then RST_STREAM with NO_ERROR",
            .accepted("ok"),
            .head,
            .body,
            .resetStream(.noError, stream: stream)
        ),
        Self(
            "9113 §8.1.1",
            "less content than content-length",
            .stream(.protocolError, .conflictingFraming),
            .headers(response(("content-length", "3")), stream: stream),
            .body
        ),
        Self(
            "9113 §8.1.1",
            "more content than content-length",
            .stream(.protocolError, .conflictingFraming),
            .headers(response(("content-length", "1")), stream: stream),
            .body
        ),
        Self(
            "9113 §8.1.1",
            "no content, and a content-length",
            .stream(.protocolError, .conflictingFraming),
            fields: response(("content-length", "3"))
        ),
        Self(
            "9113 §8.1.1",
            "as much content as content-length",
            .accepted("ok"),
            .headers(response(("content-length", "2")), stream: stream),
            .body
        ),
        Self(
            "9113 §8.1.1",
            "content in the response to HEAD",
            .stream(.protocolError, .conflictingFraming),
            .head,
            .body
        ).asHead,
        Self(
            "9113 §8.1.1",
            "content in a response with status 204",
            .stream(.protocolError, .conflictingFraming),
            .headers([(":status", "204")], stream: stream),
            .body
        ),
        Self(
            "9113 §8.1.1",
            "content in a response with status 304",
            .stream(.protocolError, .conflictingFraming),
            .headers([(":status", "304")], stream: stream),
            .body
        ),
        Self(
            "9113 §8.1.1",
            "a content-length without content in the response to HEAD",
            .accepted(""),
            fields: response(("content-length", "3"))
        ).asHead,
        Self(
            "9113 §8.1.1",
            "a response with status 204 that ends with an empty frame",
            .accepted(""),
            .headers([(":status", "204")], stream: stream),
            .data("", stream: stream, endStream: true)
        ),
        Self(
            "9110 §8.6",
            "a content-length that is not a number",
            .stream(.protocolError, .invalidContentLength),
            fields: response(("content-length", "two"))
        ),
        Self(
            "9110 §8.6",
            "two lengths that differ",
            .stream(.protocolError, .conflictingFraming),
            fields: response(("content-length", "2"), ("content-length", "3"))
        ),
        Self(
            "9113 §8.6",
            "a response with status 101",
            .stream(.protocolError, .unexpectedResponse),
            .headers([(":status", "101")], stream: stream)
        ),
    ]

    /// RFC 9113 §8.2 and §8.3: the fields of a message.
    static let fields: [HTTP2Rule] = [
        Self("9113 §8.2.1", "an uppercase letter in a name", malformed, fields: response(("X-Upper", "1"))),
        Self("9113 §8.2.1", "a space in a name", malformed, fields: response(("a b", "1"))),
        Self("9113 §8.2.1", "a colon in a name", malformed, fields: response(("a:b", "1"))),
        Self("9113 §8.2.1", "a control character in a name", malformed, fields: response(("a\u{1}", "1"))),
        Self("9113 §8.2.1", "a DEL in a name", malformed, fields: response(("a\u{7F}", "1"))),
        Self("9113 §8.2.1", "a letter beyond ASCII in a name", malformed, fields: response(("ä", "1"))),
        Self("9113 §8.2.1", "an empty name", malformed, fields: response(("", "1"))),
        Self("9113 §8.2.1", "a NUL in a value", malformed, fields: response(("a", "b\u{0}c"))),
        Self("9113 §8.2.1", "a line feed in a value", malformed, fields: response(("a", "b\nset-cookie: c=d"))),
        Self("9113 §8.2.1", "a carriage return in a value", malformed, fields: response(("a", "b\rc"))),
        Self("9113 §8.2.1", "a space before a value", malformed, fields: response(("a", " b"))),
        Self("9113 §8.2.1", "a tab behind a value", malformed, fields: response(("a", "b\t"))),
        Self(
            "9113 §8.2.1",
            "an empty value, and one beyond ASCII",
            .accepted("ok"),
            .headers(response(("a", ""), ("b", "ä")), stream: stream),
            .body
        ),
        Self("9113 §8.2.2", "connection", malformed, fields: response(("connection", "close"))),
        Self("9113 §8.2.2", "proxy-connection", malformed, fields: response(("proxy-connection", "close"))),
        Self("9113 §8.2.2", "keep-alive", malformed, fields: response(("keep-alive", "timeout=5"))),
        Self("9113 §8.2.2", "transfer-encoding", malformed, fields: response(("transfer-encoding", "chunked"))),
        Self("9113 §8.2.2", "upgrade", malformed, fields: response(("upgrade", "h2c"))),
        Self(
            "9113 §8.3",
            "a pseudo-header field behind another field",
            malformed,
            fields: [("a", "b"), (":status", "200")]
        ),
        Self("9113 §8.3", "an unknown pseudo-header field", malformed, fields: response((":reason", "OK"))),
        Self("9113 §8.3", "a pseudo-header field of requests", malformed, fields: response((":path", "/"))),
        Self("9113 §8.3", "a pseudo-header field twice", malformed, fields: response((":status", "200"))),
        Self("9113 §8.3.2", "no :status", malformed, fields: [("a", "b")]),
        Self("9113 §8.3.2", "no field at all", malformed, fields: []),
        Self("9113 §8.3.2", "a :status that is not a number", malformed, fields: [(":status", "2xx")]),
        Self("9113 §8.3.2", "a :status of two digits", malformed, fields: [(":status", "20")]),
        Self("9113 §8.3.2", "an empty :status", malformed, fields: [(":status", "")]),
        Self(
            "9113 §8.1",
            "a pseudo-header field in trailers",
            malformed,
            .head,
            .data("ok", stream: stream),
            .headers([(":status", "200")], stream: stream, endStream: true)
        ),
        Self(
            "9113 §8.2.2",
            "a field about the connection in trailers",
            malformed,
            .head,
            .data("ok", stream: stream),
            .headers([("connection", "close")], stream: stream, endStream: true)
        ),
        Self(
            "9113 §8.2.1",
            "an uppercase letter in trailers",
            malformed,
            .head,
            .data("ok", stream: stream),
            .headers([("X-Sum", "1")], stream: stream, endStream: true)
        ),
        Self(
            "9113 §10.5.1",
            "a field section above the limit",
            .stream(.cancel, .headerTooLarge),
            steps: [
                .onStream { stream in
                    let fields =
                        [(":status", "200")] + (0..<5).map { ("x-\($0)", String(repeating: "x", count: 15_000)) }
                    return fields.enumerated().map { index, field in
                        let block = HeaderBlock.literal([field])
                        return index == 0
                            ? .headers(block: block, stream: stream, endHeaders: false)
                            : .continuation(block, stream: stream, endHeaders: index == fields.count - 1)
                    }
                }
            ]
        ),
    ]

    /// RFC 7541: field blocks.
    static let blocks: [HTTP2Rule] = [
        Self("7541 §2.3.3", "an index beyond both tables", connection(.compressionError), block: [0x88, 0xBE]),
        Self(
            "7541 §2.3.3",
            "a name with an index beyond both tables",
            connection(.compressionError),
            block: [0x88] + HeaderBlock.integer(200, prefix: 4) + [1, 65]
        ),
        Self(
            "7541 §4.2",
            "a table size above the setting",
            connection(.compressionError),
            block: HeaderBlock.integer(4097, prefix: 5, first: 0x20) + [0x88]
        ),
        Self(
            "7541 §4.2",
            "a change of the table size behind a field",
            connection(.compressionError),
            block: [0x88] + HeaderBlock.integer(0, prefix: 5, first: 0x20)
        ),
        Self(
            "7541 §4.2",
            "two changes of the table size before the first field",
            .accepted(""),
            block: [0x20] + HeaderBlock.integer(4096, prefix: 5, first: 0x20) + [0x88]
        ),
        Self(
            "7541 §4.4",
            "a field that is larger than the table",
            .accepted("ok"),
            steps: [
                .onStream { stream in
                    let block = [0x88] + HeaderBlock.indexed([("x", String(repeating: "y", count: 5000))])
                    return [.headers(block: block, stream: stream), .data("ok", stream: stream, endStream: true)]
                }
            ]
        ),
        Self(
            "7541 §5.1",
            "a number that does not end",
            connection(.compressionError),
            block: [0x88, 0xFF] + [UInt8](repeating: 0xFF, count: 12)
        ),
        Self("7541 §5.1", "a number that is cut off", connection(.compressionError), block: [0x88, 0xFF]),
        Self(
            "7541 §5.2",
            "a text that is longer than its block",
            connection(.compressionError),
            block: [0x88, 0x00, 0x05, 97, 98]
        ),
        Self(
            "7541 §5.2",
            "a Huffman code with more than seven bits of padding",
            connection(.compressionError),
            block: [0x88, 0x00, 0x01, 97, 0x82, 0x1F, 0xFF]
        ),
        Self(
            "7541 §5.2",
            "a Huffman code with another padding",
            connection(.compressionError),
            block: [0x88, 0x00, 0x01, 97, 0x81, 0x18]
        ),
        Self(
            "7541 §5.2",
            "a Huffman code that has EOS",
            connection(.compressionError),
            block: [0x88, 0x00, 0x01, 97, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]
        ),
        Self("7541 §6.1", "the index zero", connection(.compressionError), block: [0x88, 0x80]),
        Self("7541 §6.2.3", "a field that is never indexed", .accepted(""), block: [0x88, 0x10, 0x01, 97, 0x01, 98]),
    ]
}
