import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct HTTP1ResponseParserTests {
    struct HeadCase: Sendable, CustomTestStringConvertible {
        let text: String
        let head: String

        init(_ text: String, _ head: String) {
            self.text = text
            self.head = head
        }

        var testDescription: String { ASCII.escaped(text.latin1Bytes, limit: 90) }
    }

    @Test(arguments: [
        HeadCase("HTTP/1.1 200 OK\r\n\r\n", "1.1 200 [OK] "),
        HeadCase("HTTP/1.0 404 Not Found\r\n\r\n", "1.0 404 [Not Found] "),
        HeadCase("HTTP/1.7 200 OK\r\n\r\n", "1.1 200 [OK] "),
        HeadCase("HTTP/1.1 999 \r\n\r\n", "1.1 999 [] "),
        HeadCase("HTTP/1.1 200\r\n\r\n", "1.1 200 [] "),
        HeadCase("HTTP/1.1 200 D\u{E9}j\u{E0} vu\t!\r\n\r\n", "1.1 200 [D\u{E9}j\u{E0} vu\t!] "),
        HeadCase("HTTP/1.1 200 OK\n\n", "1.1 200 [OK] "),
        HeadCase("HTTP/1.1 200 OK\nA: 1\nB: 2\r\n\n", "1.1 200 [OK] A=1|B=2"),
        HeadCase("HTTP/1.1 200 OK\r\nA:\r\nb:x\r\nB: \t y \t\r\n\r\n", "1.1 200 [OK] A=|b=x|B=y"),
        HeadCase("HTTP/1.1 200 OK\r\nX: a\tb  c:d\r\n\r\n", "1.1 200 [OK] X=a\tb  c:d"),
        HeadCase("HTTP/1.1 200 OK\r\nX: \u{80}\u{FF}\u{C3}\u{A9}\r\n\r\n", "1.1 200 [OK] X=\u{80}\u{FF}\u{C3}\u{A9}"),
        HeadCase("HTTP/1.1 200 OK\r\n!#$%&'*+-.^_`|~09azAZ: 1\r\n\r\n", "1.1 200 [OK] !#$%&'*+-.^_`|~09azAZ=1"),
        HeadCase("HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\t  c \r\nY: d\r\n\r\n", "1.1 200 [OK] X=a b c|Y=d"),
        HeadCase("HTTP/1.1 200 OK\r\nX: a \t\r\n \t \r\n b\n\tc\r\n\r\n", "1.1 200 [OK] X=a b c"),
        HeadCase(
            "HTTP/1.1 200 OK\r\nX:\r\n  long-value-after-a-fold\r\n\r\n",
            "1.1 200 [OK] X=long-value-after-a-fold"
        ),
        HeadCase("HTTP/1.1 200 OK\r\nX:\r\n \r\n\r\n", "1.1 200 [OK] X="),
    ])
    func `a response head is parsed with its version, code, reason and fields`(_ example: HeadCase) {
        let probe = ParserProbe.checked(example.text)
        #expect(probe.head == example.head)
        #expect(probe.length == .untilClose)
        #expect(probe.isComplete && probe.fault == nil && !probe.isKeepAlive)
    }

    struct FaultCase: Sendable, CustomTestStringConvertible {
        let text: String
        let fault: HTTP1ParseError.Fault

        init(_ text: String, _ fault: HTTP1ParseError.Fault) {
            self.text = text
            self.fault = fault
        }

        /// A fault in the header lines.
        init(headers: String, _ fault: HTTP1ParseError.Fault) {
            self.init("HTTP/1.1 200 OK\r\n\(headers)\r\n\r\n", fault)
        }

        /// A fault in the chunks.
        init(chunks: String, _ fault: HTTP1ParseError.Fault = .malformedChunk) {
            self.init("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)", fault)
        }

        var testDescription: String { ASCII.escaped(text.latin1Bytes, limit: 90) }
    }

    @Test(arguments: [
        FaultCase("\r\nHTTP/1.1 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("\nHTTP/1.1 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase(" HTTP/1.1 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("http/1.1 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("x", .malformedStatusLine), FaultCase("\u{15}", .tlsRecord),
        FaultCase("HTTQ", .malformedStatusLine),
        FaultCase("220 mail.example.com ESMTP", .malformedStatusLine),
        FaultCase("\u{16}\u{03}\u{01}", .tlsRecord),
        FaultCase("HTTP/x", .malformedStatusLine),
        FaultCase("HTTP/1,1 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.x 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.11 200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1  200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1\t200 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 099 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 20 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 2000 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 2x0 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 -20 OK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 200\tOK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 200 O\rK\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 200 OK\r\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 200 O\0K\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1 200 O\u{7F}K\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/1.1\r\n\r\n", .malformedStatusLine),
        FaultCase("HTTP/2.0 200 OK\r\n\r\n", .unsupportedVersion),
        FaultCase("HTTP/0.9 200 OK\r\n\r\n", .unsupportedVersion),
        FaultCase("HTTP/3", .unsupportedVersion),
    ])
    func `a malformed status line is an error at its first wrong byte or line end`(_ example: FaultCase) {
        #expect(ParserProbe.checked(example.text).fault == example.fault)
    }

    @Test(arguments: [
        FaultCase(headers: "A", .malformedHeader(.missingColon)),
        FaultCase(headers: "no colon here", .malformedHeader(.missingColon)),
        FaultCase(headers: ": value", .malformedHeader(.emptyName)),
        FaultCase(headers: "A : value", .malformedHeader(.whitespaceBeforeColon)),
        FaultCase(headers: "A\t: value", .malformedHeader(.whitespaceBeforeColon)),
        FaultCase(headers: "A B: value", .malformedHeader(.invalidName)),
        FaultCase(headers: "A(: value", .malformedHeader(.invalidName)),
        FaultCase(headers: "\u{E9}: value", .malformedHeader(.invalidName)),
        FaultCase(headers: "A\0: value", .malformedHeader(.invalidName)),
        FaultCase(headers: "A\r: value", .malformedHeader(.invalidName)),
        FaultCase(headers: "A: b\rc", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: b\r", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: b\rB: c", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: 1234567\0", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: \u{01}23456789", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: 12345678\u{1F}", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: tab\t12345678\u{7F}", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: b\r\n c\0", .malformedHeader(.controlCharacter)),
        FaultCase(headers: "A: b\r\n \rc", .malformedHeader(.controlCharacter)),
        FaultCase(headers: " A: b", .malformedHeader(.foldedFirstLine)),
        FaultCase(headers: " \r\nA: b", .malformedHeader(.foldedFirstLine)),
        FaultCase(chunks: "0\r\nno colon\r\n\r\n", .malformedHeader(.missingColon)),
        FaultCase(chunks: "0\r\n A: b\r\n\r\n", .malformedHeader(.foldedFirstLine)),
        FaultCase(chunks: "0\r\nA: b\0\r\n\r\n", .malformedHeader(.controlCharacter)),
    ])
    func `a malformed header or trailer line is an error`(_ example: FaultCase) {
        #expect(ParserProbe.checked(example.text).fault == example.fault)
    }

    @Test(arguments: [
        FaultCase(headers: "Content-Length: ", .invalidContentLength),
        FaultCase(headers: "Content-Length: -1", .invalidContentLength),
        FaultCase(headers: "Content-Length: +1", .invalidContentLength),
        FaultCase(headers: "Content-Length: 1 2", .invalidContentLength),
        FaultCase(headers: "Content-Length: 0x10", .invalidContentLength),
        FaultCase(headers: "Content-Length: 1.0", .invalidContentLength),
        FaultCase(headers: "Content-Length: 5,", .invalidContentLength),
        FaultCase(headers: "Content-Length: 9223372036854775808", .invalidContentLength),
        FaultCase(headers: "Content-Length: 99999999999999999999999999", .invalidContentLength),
        FaultCase(headers: "Content-Length: 5, 6", .conflictingContentLength),
        FaultCase(headers: "Content-Length: 5\r\nContent-length: 6", .conflictingContentLength),
        FaultCase(headers: "Content-Length: 5\r\nTransfer-Encoding: chunked", .conflictingFraming),
        FaultCase(headers: "transfer-encoding: chunked\r\nCONTENT-LENGTH: x", .conflictingFraming),
        FaultCase("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .conflictingFraming),
        FaultCase(headers: "Transfer-Encoding: ", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: gzip", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: gzip, chunked", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: chunked, chunked", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: chunked;q=1", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: xchunked", .unsupportedTransferCoding),
        FaultCase(headers: "Transfer-Encoding: identity", .unsupportedTransferCoding),
    ])
    func `response framing that is not exact is an error`(_ example: FaultCase) {
        #expect(ParserProbe.checked(example.text).fault == example.fault)
    }

    @Test(arguments: [
        FaultCase(chunks: "\r\n"),
        FaultCase(chunks: "x\r\n"),
        FaultCase(chunks: " 5\r\nhello\r\n"),
        FaultCase(chunks: "-5\r\nhello\r\n"),
        FaultCase(chunks: "0x5\r\nhello\r\n"),
        FaultCase(chunks: "5\nhello\r\n"),
        FaultCase(chunks: "5\rhello\r\n"),
        FaultCase(chunks: "5;a\nhello\r\n"),
        FaultCase(chunks: "5;\0\r\nhello\r\n"),
        FaultCase(chunks: "5\r\nhello\n0\r\n\r\n"),
        FaultCase(chunks: "5\r\nhello0\r\n\r\n"),
        FaultCase(chunks: "5\r\nhello\rX"),
        FaultCase(chunks: "5\r\nhello!\r\n"),
        FaultCase(chunks: "0\n\n"),
        FaultCase(chunks: "8000000000000000\r\n"),
        FaultCase(chunks: "FFFFFFFFFFFFFFFF\r\n"),
        FaultCase(chunks: "00000000000000005\r\nhello"),
        FaultCase(chunks: "", .truncatedChunkedBody),
        FaultCase(chunks: "5", .truncatedChunkedBody),
        FaultCase(chunks: "5\r\nhell", .truncatedChunkedBody),
        FaultCase(chunks: "5\r\nhello", .truncatedChunkedBody),
        FaultCase(chunks: "5\r\nhello\r\n", .truncatedChunkedBody),
        FaultCase(chunks: "7FFFFFFFFFFFFFFF\r\nhello", .truncatedChunkedBody),
        FaultCase(chunks: "0\r\n", .truncatedChunkedBody),
        FaultCase(chunks: "0\r\nA: b\r\n", .truncatedChunkedBody),
    ])
    func `malformed and truncated chunks are errors`(_ example: FaultCase) {
        #expect(ParserProbe.checked(example.text).fault == example.fault)
    }

    @Test(arguments: [
        FaultCase("", .closedBeforeResponse),
        FaultCase("HTTP", .truncatedHead),
        FaultCase("HTTP/1.1 200 OK\r\n", .truncatedHead),
        FaultCase("HTTP/1.1 200 OK\r\nA: b\r\n", .truncatedHead),
        FaultCase("HTTP/1.1 100 Continue\r\n\r\n", .truncatedHead),
        FaultCase("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .truncatedBody(expected: 5, received: 0)),
        FaultCase("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", .truncatedBody(expected: 5, received: 3)),
    ])
    func `a close in the middle of a response is an error that says where`(_ example: FaultCase) {
        #expect(ParserProbe.checked(example.text).fault == example.fault)
    }

    struct BodyCase: Sendable, CustomTestStringConvertible {
        let text: String
        let kind: HTTP1ResponseParser.RequestKind
        let length: HTTP1ResponseParser.BodyLength
        let body: String
        let trailers: String?
        let rest: String

        init(
            _ text: String,
            to kind: HTTP1ResponseParser.RequestKind = .ordinary,
            _ length: HTTP1ResponseParser.BodyLength,
            _ body: String = "",
            trailers: String? = nil,
            rest: String = ""
        ) {
            self.text = text
            self.kind = kind
            self.length = length
            self.body = body
            self.trailers = trailers
            self.rest = rest
        }

        init(chunks: String, _ body: String, trailers: String? = nil, rest: String = "") {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            self.init(head + chunks, .chunked, body, trailers: trailers, rest: rest)
        }

        var testDescription: String { "\(kind) " + ASCII.escaped(text.latin1Bytes, limit: 90) }
    }

    @Test(arguments: [
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", .exactly(5), "hello"),
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP", .exactly(5), "hello", rest: "HTTP"),
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .exactly(0)),
        BodyCase(
            "HTTP/1.1 200 OK\r\nContent-Length: 005 \t, 5,5\r\ncontent-length: 5\r\n\r\nhello",
            .exactly(5),
            "hello"
        ),
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: 000000000000000000002\r\n\r\nhi", .exactly(2), "hi"),
        BodyCase("HTTP/1.1 200 OK\r\n\r\n\r\n\0all the rest", .untilClose, "\r\n\0all the rest"),
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: .head, .none),
        BodyCase("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: .head, .none),
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", to: .head, .none),
        BodyCase("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nx", .none, rest: "x"),
        BodyCase("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", .none),
        BodyCase("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n", .exactly(0)),
        BodyCase("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nx!", .none, rest: "x!"),
        BodyCase("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\u{16}\u{3}", to: .connect, .none, rest: "\u{16}\u{3}"),
        BodyCase("HTTP/1.1 299 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: .connect, .none),
        BodyCase("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno", to: .connect, .exactly(2), "no"),
        BodyCase(chunks: "5\r\nhello\r\n0\r\n\r\n", "hello"),
        BodyCase(chunks: "5\r\nhello\r\n00A\r\n, world!!!\r\n0000\r\n\r\n", "hello, world!!!"),
        BodyCase(chunks: "a\r\n0123456789\r\nB\r\n\r\n\0\r\n345678\r\n0\r\n\r\n", "0123456789\r\n\0\r\n345678"),
        BodyCase(chunks: "5;name=\"va;lue\" ; x\r\nhello\r\n0;last\r\n\r\n", "hello"),
        BodyCase(chunks: "5 \t;x\r\nhello\r\n0  \r\n\r\n", "hello"),
        BodyCase(chunks: "0000000000000005\r\nhello\r\n0\r\n\r\nHTTP", "hello", rest: "HTTP"),
        BodyCase(chunks: "0\r\nA: 1\r\nb:  2\n\r\n", "", trailers: "A=1|b=2"),
        BodyCase(chunks: "0\r\nA: 1\r\n 2\r\n\r\nx", "", trailers: "A=1 2", rest: "x"),
        BodyCase(
            chunks: "1\r\nx\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: x\r\n\r\n",
            "x",
            trailers: "Content-Length=9|Transfer-Encoding=x"
        ),
        BodyCase("HTTP/1.1 200 OK\r\ntransfer-encoding:\t CHUNKED\r\n\r\n0\r\n\r\n", .chunked),
    ])
    func `a response body ends where the framing says`(_ example: BodyCase) {
        let probe = ParserProbe.checked(example.text, example.kind)
        #expect(probe.fault == nil && probe.isComplete)
        #expect(probe.length == example.length)
        #expect(probe.body == example.body)
        #expect(probe.trailers == example.trailers)
        #expect(probe.rest == example.rest)
    }

    struct PersistenceCase: Sendable, CustomTestStringConvertible {
        let text: String
        let persists: Bool

        init(_ text: String, _ persists: Bool) {
            self.text = text
            self.persists = persists
        }

        var testDescription: String { ASCII.escaped(text.latin1Bytes, limit: 90) }
    }

    @Test(arguments: [
        PersistenceCase("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
        PersistenceCase("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", true),
        PersistenceCase("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false),
        PersistenceCase("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: closed, upgrade\r\n\r\n", true),
        PersistenceCase("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x , Close\r\n\r\n", false),
        PersistenceCase(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x\r\nCONNECTION: keep-alive,close\r\n\r\n",
            false
        ),
        PersistenceCase("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
        PersistenceCase("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", true),
        PersistenceCase("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive, close\r\n\r\n", false),
        PersistenceCase("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", false),
        PersistenceCase("HTTP/1.1 200 OK\r\n\r\n", false),
        PersistenceCase("HTTP/1.1 204 No Content\r\n\r\n", true),
        PersistenceCase("HTTP/1.1 101 Switching Protocols\r\n\r\n", false),
        PersistenceCase("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true),
    ])
    func `a response keeps its connection open or not by RFC 9112 section 9.3`(_ example: PersistenceCase) {
        let probe = ParserProbe.checked(example.text)
        #expect(probe.isKeepAlive == example.persists)
        #expect(probe.isComplete)
    }

    @Test func `the connection of a tunnel is not kept alive`() {
        #expect(!ParserProbe.checked("HTTP/1.1 200 OK\r\n\r\n", .connect).isKeepAlive)
    }

    @Test func `informational responses come before the final one`() {
        let probe = ParserProbe.checked(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 5\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        )
        #expect(probe.informational == ["1.1 100 [Continue] ", "1.1 103 [Early Hints] Link=</a>|Content-Length=5"])
        #expect(probe.head == "1.1 200 [OK] Content-Length=2")
        #expect(probe.body == "hi" && probe.isComplete && probe.isKeepAlive)
    }

    @Test func `at most 64 informational responses are accepted`() {
        let informational = "HTTP/1.1 102 Processing\r\n\r\n"
        let final = "HTTP/1.1 204 No Content\r\n\r\n"
        let most = ParserProbe(String(repeating: informational, count: 64) + final)
        #expect(most.informational.count == 64 && most.isComplete)
        let more = ParserProbe(String(repeating: informational, count: 65) + final)
        #expect(more.fault == .tooManyInformational(limit: 64))
    }
}
