import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

@Suite struct ResponseHeadTests {
    static func received(_ text: String) throws -> ResponseHead {
        var parser = HTTP1ResponseParser()
        parser.begin(.head)
        var buffer = ByteBuffer(bytes: text.latin1Bytes)
        guard case .head(let head, _)? = try parser.next(&buffer) else {
            throw HTTP1ParseError(.truncatedHead)
        }
        return head
    }

    static let text =
        "HTTP/1.0 299 D\u{E9}j\u{E0}\r\nContent-Type:  Text/HTML; charset=utf-8 \r\nSET-Cookie: a=1\r\nX: caf\u{E9}\r\n"
        + "set-cookie: b=2\r\nCookie: c\r\nCookie: d\r\nY: caf\u{C3}\u{A9}\r\n\r\n"

    @Test func `a received head returns the fields that HTTPFields would`() throws {
        let head = try Self.received(Self.text)
        let fields = head.headerFields
        #expect(head.status.code == 299 && head.statusCode == 299)
        #expect(head.status.reasonPhrase == "D\u{E9}j\u{E0}")
        #expect(head.httpVersion == .http1_0)
        #expect(
            fields.map(\.name.rawName) == ["Content-Type", "SET-Cookie", "X", "set-cookie", "Cookie", "Cookie", "Y"]
        )
        for name in [HTTPField.Name.contentType, .setCookie, .cookie, .accept] {
            #expect(head[name] == fields[name])
            #expect(head.values(for: name) == fields[values: name])
            #expect(head.contains(name) == fields.contains(name))
        }
        #expect(head[.setCookie] == "a=1, b=2")
        #expect(head[.cookie] == "c; d")
        #expect(head.mediaType == "text/html")
        #expect(head.description == "HTTP/1.0 299 D\u{E9}j\u{E0}")
    }

    @Test func `header bytes that are not UTF-8 are kept`() throws {
        let head = try Self.received(Self.text)
        let name = try #require(HTTPField.Name("X"))
        #expect(head[name] == "caf\u{FFFD}")
        let field = try #require(head.headerFields.first { $0.name == name })
        #expect(unsafe field.withUnsafeBytesOfValue { unsafe Array($0) } == [0x63, 0x61, 0x66, 0xE9])
        #expect(field.latin1Value == "caf\u{E9}")
        #expect(head.latin1Fields.map(\.value).contains("caf\u{E9}"))
        #expect(head.latin1Fields.last?.value == "caf\u{C3}\u{A9}")
        let otherName = try #require(HTTPField.Name("Y"))
        #expect(head[otherName] == "caf\u{E9}")
    }

    @Test func `a response head is equal to one of the same content, however it is stored`() throws {
        let head = try Self.received(Self.text)
        let made = ResponseHead(status: 299, headerFields: head.headerFields, httpVersion: .http1_0)
        #expect(head == made && head.hashValue == made.hashValue)
        #expect(head != ResponseHead(status: 298, headerFields: head.headerFields, httpVersion: .http1_0))
        #expect(head != ResponseHead(status: 299, headerFields: head.headerFields))
        #expect(head != ResponseHead(status: 299, httpVersion: .http1_0))
        #expect(ResponseHead(head.httpResponse).headerFields == head.headerFields)
        #expect(made.latin1Fields.map(\.value) == head.latin1Fields.map(\.value))
    }

    @Test func `the fields of a received head can be replaced`() throws {
        var head = try Self.received(Self.text)
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.setCookie] = nil
        #expect(head.mediaType == "application/json" && !head.contains(.setCookie))
        #expect(head.status.reasonPhrase == "D\u{E9}j\u{E0}" && head.httpVersion == .http1_0)
    }

    @Test(arguments: [
        ("application/json", "application/json"), ("Application/JSON ;charset=x", "application/json"),
        ("text/plain;a=\"b,c\"", "text/plain"), ("text/plain, text/html", "text/plain"), ("", nil), (";x", nil),
    ])
    func `the media type of a response head is lowercase and without parameters`(
        _ contentType: String,
        _ expected: String?
    ) {
        #expect(ResponseHead(status: 200, headerFields: [.contentType: contentType]).mediaType == expected)
    }

    @Test func `a response head without fields has no media type`() {
        #expect(ResponseHead(status: 200).mediaType == nil)
        #expect(ResponseHead(status: .ok).description == "HTTP/1.1 200 OK")
    }

    @Test func `every byte that a header value may have is kept as Latin-1`() throws {
        let text = String(latin1: Array(1...255).filter { $0 != 10 && $0 != 13 } as [UInt8])
        let field = try #require(HTTPField(name: .accept, latin1Value: text))
        #expect(field.latin1Value == text)
        #expect(HTTPField(name: .accept, latin1Value: "\u{100}") == nil)
        #expect(HTTPField(name: .accept, latin1Value: "a\0") == nil)
    }

    @Test func `HTTP versions are written and ordered as usual`() {
        #expect([HTTPVersion.http1_0, .http1_1, .http2].map(\.description) == ["1.0", "1.1", "2"])
        #expect(HTTPVersion.http1_0 < .http1_1 && .http1_1 < HTTPVersion.http2)
    }
}
