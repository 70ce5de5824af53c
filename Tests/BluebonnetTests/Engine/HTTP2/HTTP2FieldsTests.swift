import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// The field sections of requests and responses (RFC 9113 §8.2, §8.3).
@Suite struct HTTP2FieldsTests {
    private func encoded(
        _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get,
        body: RequestHead.BodyLength? = nil
    ) throws -> [String] {
        let head = try RequestHead(method: method, target: "/a?b", host: "example.com:8443", fields: fields, body: body)
        return HTTP2RequestFields.encode(head, scheme: "https").map { "\($0.name)=\($0.value)" }
    }

    private func head(_ fields: [(String, String)], limits: HTTP1Limits = HTTP1Limits()) throws -> HTTP2FieldReader.Head
    {
        var reader = HTTP2FieldReader(limits: limits)
        return try reader.head(HTTP2FieldSection(fields))
    }

    private func kind(_ fields: [(String, String)], limits: HTTP1Limits = HTTP1Limits()) -> HTTP2Fault.Kind? {
        do {
            _ = try head(fields, limits: limits)
            return nil
        } catch {
            return (error as? HTTP2Fault)?.kind
        }
    }

    @Test func `pseudo-header fields come first, then the fields in lowercase`() throws {
        #expect(
            try encoded([.accept: "*/*", .init("X-A")!: "1"])
                == [":method=GET", ":scheme=https", ":authority=example.com:8443", ":path=/a?b", "accept=*/*", "x-a=1"]
        )
    }

    @Test func `CONNECT to a proxy has the method and the authority alone, and its credential`() throws {
        // RFC 9113 §8.5.
        let head = try RequestHead(
            method: .connect,
            target: "one.example:443",
            host: "one.example:443",
            proxyAuthorization: Array("Basic x".utf8),
            fields: [:],
            body: nil
        )
        let fields = HTTP2RequestFields.encode(head, scheme: "https")
        #expect(fields.map(\.name) == [":method", ":authority", "proxy-authorization"])
        #expect(fields.map(\.value) == ["CONNECT", "one.example:443", "Basic x"])
        // RFC 7541 §7.1.3.
        #expect(fields.last?.indexing == .neverIndexed)
    }

    @Test func `a request that a proxy forwards has its path, and not the absolute form`() throws {
        let head = try RequestHead(
            method: .get,
            target: "http://one.example/a?b",
            path: "/a?b",
            host: "one.example",
            // RFC 9113 §8.3.1, RFC 9112 §3.2.2: it does not say where the request leads.
            fields: [.init("Host")!: "other.example"],
            body: nil
        )
        let fields = HTTP2RequestFields.encode(head, scheme: "http").map { "\($0.name)=\($0.value)" }
        #expect(fields == [":method=GET", ":scheme=http", ":authority=one.example", ":path=/a?b"])
    }

    @Test func `the value of Host is the authority`() throws {
        let fields = try encoded([.init("Host")!: "other.example"])
        #expect(fields.contains(":authority=other.example"))
        #expect(!fields.contains { $0.hasPrefix("host=") })
    }

    @Test func `fields about the connection are not sent`() throws {
        let fields = try encoded([
            .connection: "close, X-Own", .init("X-Own")!: "1", .init("Keep-Alive")!: "5", .upgrade: "h2c",
            .te: "gzip", .init("Proxy-Connection")!: "x", .init("HTTP2-Settings")!: "x",
        ])
        #expect(fields.count == 4)
        #expect(try encoded([.te: "trailers"]).contains("te=trailers"))
    }

    @Test func `the bytes of a value are sent, also where they are not UTF-8`() throws {
        let trailer = try #require(HTTPField(name: .init("a")!, latin1Value: "\u{E4}b"))
        let head = try RequestHead(method: .get, target: "/", host: "a", fields: [.accept: "\u{E4}"], body: nil)
        let sections = [
            HTTP2RequestFields.encode(head, scheme: "https"),
            HTTP2RequestFields.encode(trailers: HTTPFields([trailer])),
        ]
        let blocks = sections.map { section in
            var block = ByteBuffer()
            var encoder = HPACK.Encoder()
            encoder.encode(Array(section.suffix(1)), to: &block)
            return Array(block.readableBytesView)
        }
        // RFC 7541 §6.2.1, §6.2.2: the name is in the static table, or new.
        #expect(blocks == [[0x53, 2, 0xC3, 0xA4], [0, 1, 97, 2, 0xE4, 98]])
    }

    @Test func `the length of a body is sent where it is known`() throws {
        #expect(try encoded(method: .post, body: .length(5)).contains("content-length=5"))
        let unknown = try encoded(method: .post, body: .unknownLength)
        #expect(!unknown.contains { $0.hasPrefix("content-length") || $0.hasPrefix("transfer-encoding") })
    }

    @Test func `secrets are never put into the table`() throws {
        let fields: HTTPFields = [.authorization: "Basic x", .cookie: "a=b", .accept: "*/*"]
        let head = try RequestHead(method: .get, target: "/", host: "a", fields: fields, body: nil)
        let indexing = HTTP2RequestFields.encode(head, scheme: "https").suffix(3).map(\.indexing)
        #expect(indexing == [.neverIndexed, .neverIndexed, .indexable])
    }

    @Test func `the head of a response is read`() throws {
        let head = try head([(":status", "201"), ("content-length", "3"), ("x-a", "1")])
        #expect(head.statusCode == 201 && head.contentLength == 3)
        #expect(head.fields[.contentLength] == "3")
        #expect(head.fields.httpFields.map(\.name.rawName) == ["content-length", "x-a"])
    }

    @Test func `the bytes of a value are kept, also where they are not UTF-8`() throws {
        var decoder = HPACK.Decoder(limit: 1000)
        var section = HTTP2FieldSection()
        let block: [UInt8] = [0x88, 0, 1, 97, 2, 0xE4, 98]
        try decoder.decode(block.span, into: &section)
        var reader = HTTP2FieldReader(limits: HTTP1Limits())
        #expect(try Array(reader.head(section).fields.value(at: 0)) == [0xE4, 98])
    }

    @Test(arguments: [
        [("x-a", "1")], [(":status", "200"), (":status", "200")], [("x-a", "1"), (":status", "200")],
        [(":status", "200"), (":path", "/")], [(":status", "20")], [(":status", "2000")], [(":status", "abc")],
        [(":status", "200"), ("X-A", "1")], [(":status", "200"), ("x a", "1")], [(":status", "200"), ("", "1")],
        [(":status", "200"), ("x", "a\r\nb")], [(":status", "200"), ("x", "a\0")], [(":status", "200"), ("x", " a")],
        [(":status", "200"), ("x", "a\t")], [(":status", "200"), ("connection", "close")],
        [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "200"), ("keep-alive", "1")],
        [(":status", "200"), ("upgrade", "h2c")], [(":status", "200"), ("proxy-connection", "x")],
    ])
    func `a malformed head is refused`(fields: [(String, String)]) {
        #expect(kind(fields) == .malformedFields)
    }

    @Test func `a content-length that is not a number is refused`() {
        #expect(kind([(":status", "200"), ("content-length", "-1")]) == .invalidContentLength)
        #expect(kind([(":status", "200"), ("content-length", "1"), ("content-length", "2")]) == .lengthMismatch)
        #expect(kind([(":status", "200"), ("content-length", "1, 1")]) == nil)
    }

    @Test func `a section that is larger than the limit is refused`() {
        let limits = HTTP1Limits(headerSection: 100)
        let fields = [(":status", "200"), ("a", String(repeating: "b", count: 67))]
        #expect(kind(fields, limits: limits) == nil)
        #expect(kind(fields + [("c", "d")], limits: limits) == .fieldsTooLarge)
    }

    @Test func `a section of which not all was kept is refused`() throws {
        let section = try HTTP2FieldSection([(":status", "200"), ("a", "b")], limit: 50)
        var reader = HTTP2FieldReader(limits: HTTP1Limits())
        let fault = #expect(throws: HTTP2Fault.self) { _ = try reader.head(section) }
        #expect(fault?.kind == .fieldsTooLarge && fault?.code == .cancel)
    }

    @Test func `the error names the limit that was exceeded`() {
        let limits = HTTP1Limits(headerSection: 100_000, headerLine: 50)
        let long = [(":status", "200"), ("a", String(repeating: "b", count: 50))]
        let many = [(":status", "200")] + (0...HTTP1Limits.fieldCount).map { _ in ("a", "b") }
        let large = [(":status", "200"), ("a", String(repeating: "b", count: 90))]
        let cases = [
            (long, limits, "a field of more than 50 bytes"),
            (many, HTTP1Limits(headerSection: .max, headerLine: 50), "more than \(HTTP1Limits.fieldCount) fields"),
            (large, HTTP1Limits(headerSection: 100), "a field section of more than 100 bytes"),
        ]
        for (fields, limits, clause) in cases {
            var reader = HTTP2FieldReader(limits: limits)
            let fault = #expect(throws: HTTP2Fault.self) { _ = try reader.head(HTTP2FieldSection(fields)) }
            #expect(fault?.clause == "sent \(clause)")
        }
    }

    @Test func `trailers have no pseudo-header field`() throws {
        var reader = HTTP2FieldReader(limits: HTTP1Limits())
        let trailers = try reader.trailers(HTTP2FieldSection([("a", "b")]))
        #expect(trailers == [.init("a")!: "b"])
        #expect(throws: HTTP2Fault.self) { _ = try reader.trailers(HTTP2FieldSection([(":status", "200")])) }
    }
}
