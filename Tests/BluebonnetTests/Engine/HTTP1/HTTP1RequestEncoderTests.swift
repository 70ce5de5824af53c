import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct HTTP1RequestEncoderTests {
    typealias Failure = RequestHeadError

    /// The framing of a body.
    enum Framing { case none, contentLength(Int), chunked }

    static func head(
        _ method: String = "GET",
        _ target: String = "/",
        host: String = "a.example",
        _ pairs: [(String, String)] = [],
        _ framing: Framing = .none
    ) throws -> String {
        var fields = HTTPFields()
        for (name, value) in pairs {
            let name = try #require(HTTPField.Name(name))
            fields.append(try #require(HTTPField(name: name, latin1Value: value)))
        }
        var buffer = ByteBuffer(string: "before")
        let method = try #require(HTTPRequest.Method(method))
        let body: RequestHead.BodyLength? =
            switch framing {
            case .none: nil
            case .contentLength(let count): .length(count)
            case .chunked: .unknownLength
            }
        let head = try RequestHead(
            method: method,
            target: target,
            host: host,
            fields: fields,
            body: body
        )
        HTTP1RequestEncoder.encode(head, into: &buffer)
        #expect(buffer.readString(length: 6) == "before")
        return String(latin1: Array(buffer.readableBytesView))
    }

    @Test func `Host comes first and the fields keep order, repeats, spelling and bytes`() throws {
        let head = try Self.head(
            "GET",
            "/a?b=c%20d",
            host: "a.example:8080",
            [("X-One", "1"), ("x-TWO", "\u{E9}\u{80}"), ("X-One", "a\tb"), ("Empty", "")]
        )
        #expect(
            head
                == "GET /a?b=c%20d HTTP/1.1\r\nHost: a.example:8080\r\nX-One: 1\r\nx-TWO: \u{E9}\u{80}\r\nX-One: a\tb\r\n"
                + "Empty: \r\n\r\n"
        )
    }

    @Test func `a Host among the fields replaces the default and moves to the front`() throws {
        let head = try Self.head("GET", "/", host: "a.example", [("A", "1"), ("HOST", "b.example"), ("B", "2")])
        #expect(head == "GET / HTTP/1.1\r\nHost: b.example\r\nA: 1\r\nB: 2\r\n\r\n")
    }

    @Test(arguments: ["*", "/", "http://a.example/x", "a.example:443", "/%C3%A9?q=[1]|{2}"])
    func `every form of request target is written as it is`(_ target: String) throws {
        #expect(try Self.head("OPTIONS", target).hasPrefix("OPTIONS \(target) HTTP/1.1\r\n"))
    }

    struct FramingCase: Sendable {
        let method: String
        let fields: [(String, String)]
        let framing: Framing
        let expected: String

        init(_ method: String, _ framing: Framing, _ fields: [(String, String)] = [], _ expected: String) {
            self.method = method
            self.framing = framing
            self.fields = fields
            self.expected = expected
        }
    }

    @Test(arguments: [
        FramingCase("GET", .none, [], ""),
        FramingCase("HEAD", .none, [], ""),
        FramingCase("DELETE", .none, [], ""),
        FramingCase("CONNECT", .none, [], ""),
        FramingCase("POST", .none, [], "Content-Length: 0\r\n"),
        FramingCase("PUT", .none, [], "Content-Length: 0\r\n"),
        FramingCase("PATCH", .none, [], "Content-Length: 0\r\n"),
        FramingCase("post", .none, [], ""),
        FramingCase("GET", .contentLength(0), [], "Content-Length: 0\r\n"),
        FramingCase("DELETE", .contentLength(12), [], "Content-Length: 12\r\n"),
        FramingCase("POST", .contentLength(9_223_372_036_854_775_807), [], "Content-Length: 9223372036854775807\r\n"),
        FramingCase("POST", .chunked, [], "Transfer-Encoding: chunked\r\n"),
        FramingCase("POST", .contentLength(5), [("content-length", "5"), ("A", "b")], "content-length: 5\r\nA: b\r\n"),
        FramingCase("POST", .none, [("Content-Length", "0")], "Content-Length: 0\r\n"),
        FramingCase("POST", .chunked, [("transfer-encoding", "Chunked")], "transfer-encoding: Chunked\r\n"),
    ])
    func `the framing field is written once and only where there is a body`(_ example: FramingCase) throws {
        let head = try Self.head(example.method, "/", example.fields, example.framing)
        #expect(head == "\(example.method) / HTTP/1.1\r\nHost: a.example\r\n\(example.expected)\r\n")
    }

    @Test(arguments: [
        (Framing.contentLength(5), [("Content-Length", "6")], Failure.contentLengthMismatch(field: "6", body: 5)),
        (.contentLength(5), [("Content-Length", "05")], .contentLengthMismatch(field: "05", body: 5)),
        (.contentLength(5), [("Content-Length", "x")], .contentLengthMismatch(field: "x", body: 5)),
        (
            .contentLength(5), [("Content-Length", "5"), ("content-length", "5")],
            .contentLengthMismatch(field: "5, 5", body: 5)
        ),
        (.none, [("Content-Length", "1")], .contentLengthMismatch(field: "1", body: 0)),
        (.chunked, [("Content-Length", "5")], .contentLengthMismatch(field: "5", body: nil)),
        (.none, [("Transfer-Encoding", "chunked")], .transferEncodingMismatch("chunked")),
        (.contentLength(5), [("Transfer-Encoding", "chunked")], .transferEncodingMismatch("chunked")),
        (.chunked, [("Transfer-Encoding", "gzip, chunked")], .transferEncodingMismatch("gzip, chunked")),
        (.chunked, [("Transfer-Encoding", "identity")], .transferEncodingMismatch("identity")),
        (
            .chunked, [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            .transferEncodingMismatch("chunked, chunked")
        ),
        (
            .chunked, [("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
            .contentLengthMismatch(field: "5", body: nil)
        ),
        (.contentLength(-1), [], .negativeLength(-1)),
        (.contentLength(-1), [("Content-Length", "-1")], .negativeLength(-1)),
        (.none, [("Host", "a"), ("host", "a")], .repeatedHost),
    ])
    func `header fields that contradict the framing are refused`(
        _ framing: Framing,
        _ fields: [(String, String)],
        _ failure: Failure
    ) {
        #expect(throws: failure) { try Self.head("POST", "/", fields, framing) }
    }

    @Test(arguments: [
        "", " ", "/a b", "/a\r\nX: y", "/a\nX: y", "/\0", "/\t", "/\u{7F}", "/é",
        "/ HTTP/1.1\r\nHost: evil\r\n\r\nGET /",
    ])
    func `a target that could break the request line is refused`(_ target: String) {
        #expect(throws: Failure.invalidTarget(target)) { try Self.head("GET", target) }
    }

    @Test(arguments: ["a b", "a\r\nX: y", "a\n", "\0", "é.example"])
    func `a host that could break its line is refused`(_ host: String) {
        #expect(throws: Failure.invalidHost(host)) { try Self.head("GET", "/", host: host) }
    }

    @Test(arguments: ["a\r\nX: y", "a\nX: y", "\r", "long enough to be read in words\0", "long enough to be read\r"])
    func `no line break or NUL of a value reaches the wire`(_ value: String) throws {
        #expect(unsafe Array(value.utf8).withUnsafeBytes { unsafe ASCII.containsLineBreak($0) })
        #expect(HTTPField(name: .accept, latin1Value: value) == nil)
        // HTTPField itself turns them into spaces.
        var buffer = ByteBuffer()
        let head = try RequestHead(
            method: .get,
            target: "/",
            host: "a",
            fields: [.accept: value],
            body: nil
        )
        HTTP1RequestEncoder.encode(head, into: &buffer)
        #expect(String(buffer: buffer).split(separator: "\r\n", omittingEmptySubsequences: false).count == 5)
    }

    @Test func `chunks and the last chunk have their framing`() throws {
        var buffer = ByteBuffer()
        HTTP1RequestEncoder.encodeChunkHeader(26, into: &buffer)
        HTTP1RequestEncoder.encodeChunkEnd(into: &buffer)
        HTTP1RequestEncoder.encodeChunkHeader(1, into: &buffer)
        HTTP1RequestEncoder.encodeLastChunk(into: &buffer)
        #expect(String(buffer: buffer) == "1a\r\n\r\n1\r\n0\r\n\r\n")
    }

    @Test func `trailers stand between the last chunk and the empty line`() throws {
        var buffer = ByteBuffer()
        let name = try #require(HTTPField.Name("X-Digest"))
        HTTP1RequestEncoder.encodeLastChunk(trailers: [name: "a\r\nb", .eTag: "é"], into: &buffer)
        #expect(String(buffer: buffer) == "0\r\nX-Digest: a  b\r\nETag: é\r\n\r\n")
    }
}
