import Foundation
import Testing

@testable import Bluebonnet

@Suite struct StringResponseSerializerTests {
    private static let text = "Grüße, 日本 🦊"

    private static func bytes(_ text: String, _ encoding: String.Encoding) throws -> Data {
        try #require(text.data(using: encoding))
    }

    @Test(
        arguments: [
            ("text/plain; charset=utf-8", .utf8), ("text/plain;charset=\"UTF-8\"", .utf8),
            ("text/plain; x=y; Charset=UTF8", .utf8),
            ("text/plain", .utf8), (nil, .utf8),
            ("text/plain; charset=utf-16be", .utf16BigEndian), ("text/plain; charset=utf-16le", .utf16LittleEndian),
            ("text/plain; charset=utf-16", .utf16BigEndian),
            ("text/plain; charset=utf-32be", .utf32BigEndian), ("text/plain; charset=utf-32le", .utf32LittleEndian),
            ("text/plain; charset=utf-32", .utf32BigEndian),
        ] as [(String?, String.Encoding)]
    )
    func `text is decoded by its charset, with and without a byte-order mark`(
        _ type: String?,
        _ encoding: String.Encoding
    ) throws {
        for mark in ["", "\u{FEFF}"] {
            let example = ResponseExample(200, type, try Self.bytes(mark + Self.text, encoding))
            #expect(try example.serialized(as: .string) == Self.text)
        }
    }

    @Test(
        arguments: [.utf8, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian]
            as [String.Encoding]
    )
    func `a byte-order mark decides the charset of text where none is named`(_ encoding: String.Encoding) throws {
        let example = ResponseExample(200, "text/plain", try Self.bytes("\u{FEFF}" + Self.text, encoding))
        #expect(try example.serialized(as: .string) == Self.text)
    }

    @Test(arguments: ["utf-16", "utf-32"])
    func `a byte-order mark decides the byte order of text where the charset does not`(_ charset: String) throws {
        let encoding: String.Encoding = charset == "utf-16" ? .utf16LittleEndian : .utf32LittleEndian
        let example = ResponseExample(
            200,
            "text/plain; charset=\(charset)",
            try Self.bytes("\u{FEFF}" + Self.text, encoding)
        )
        #expect(try example.serialized(as: .string) == Self.text)
    }

    @Test func `ISO-8859-1 has a character for every byte`() throws {
        let example = ResponseExample(200, "text/html; charset=ISO-8859-1", Data(0...255))
        #expect(try example.serialized(as: .string).unicodeScalars.map { Int($0.value) } == Array(0...255))
    }

    @Test func `US-ASCII has a character for half of the bytes`() throws {
        #expect(try ResponseExample(200, "text/plain; charset=us-ascii", "abc").serialized(as: .string) == "abc")
        let error = ResponseExample(200, "text/plain; charset=us-ascii", "ü").error(as: .string)
        #expect(error?.message == "The response is not valid US-ASCII.")
    }

    @Test func `an empty response body is an empty text`() throws {
        for type in [nil, "text/plain", "text/plain; charset=utf-16", "text/plain; charset=us-ascii"] {
            #expect(try ResponseExample(200, type, "").serialized(as: .string) == "")
        }
    }

    @Test(arguments: [
        (
            "text/plain; charset=x-unknown", Data([0x41]),
            "The response is text in the unknown charset “x-unknown”."
        ),
        ("text/plain; charset=utf-8", Data([0x41, 0xFF]), "The response is not valid UTF-8."),
        ("text/plain", Data([0x41, 0xFF]), "The response is not valid UTF-8, and its Content-Type names no charset."),
        ("text/plain; charset=utf-16", Data([0x41, 0x41, 0x41]), "The response is not valid UTF-16."),
        ("text/plain; charset=utf-16be", Data([0xD8, 0x00]), "The response is not valid UTF-16BE."),
        ("text/plain; charset=utf-32be", Data([0, 0x11, 0, 0]), "The response is not valid UTF-32BE."),
    ])
    func `bytes that are invalid in the charset of the response are an error that names it`(
        _ type: String,
        _ body: Data,
        _ message: String
    ) throws {
        let error = try #require(ResponseExample(200, type, body).error(as: .string))
        #expect(error.code == .responseSerializationFailed)
        #expect(error.message == message)
        #expect(error.body == body)
        #expect(error.response != nil)
    }

    @Test func `a bad status has its text in the error`() throws {
        let error = try #require(ResponseExample(403, "text/plain", "no entry").error(as: .string))
        #expect(error.code == .unacceptableStatusCode)
        #expect(error.parsedBody as? String == "no entry")
        let latin = try #require(ResponseExample(404, "text/html", Data([0xE9])).error(as: .string))
        #expect(latin.code == .unacceptableStatusCode)
        #expect(latin.parsedBody == nil && latin.body == Data([0xE9]))
    }

    @Test(
        arguments: [
            ("text/plain", nil), ("text/plain; charset=x", "x"), ("text/plain;charset = \"x\"", "x"),
            ("text/plain; charset=", nil),
            ("text/plain; charset", nil), ("charset=x", nil), ("", nil), ("text/plain; a=b; CHARSET=x; charset=y", "x"),
        ] as [(String, String?)]
    )
    func `the charset of text is a parameter of the content type`(_ type: String, _ charset: String?) {
        #expect(Charset.label(ofContentType: type) == charset)
    }

    @Test func `text in any charset that the system knows is decoded`() throws {
        let example = ResponseExample(200, "text/html; charset=GB2312", Data([0xC4, 0xE3, 0xBA, 0xC3]))
        #expect(try example.serialized(as: .string) == "你好")
        let error = ResponseExample(200, "text/html; charset=GB2312", Data([0xC4])).error(as: .string)
        #expect(error?.message == "The response is not valid GBK.")
        #expect((error?.underlying as? CharsetError)?.code == .invalidBytes)
    }

    @Test func `invalid bytes of text become U+FFFD where the serializer says so`() throws {
        var serializer = StringResponseSerializer()
        serializer.invalidBytes = .replace
        #expect(try ResponseExample(200, nil, Data([0x41, 0xFF, 0x42])).serialized(as: serializer) == "A\u{FFFD}B")
        let korean = ResponseExample(200, "text/plain; charset=euc-kr", Data([0xBE, 0xC8, 0xFF, 0x41]))
        #expect(try korean.serialized(as: serializer) == "안\u{FFFD}A")
    }

    @Test func `the charset of a serializer wins, and its default one is for responses that do not name one`() throws {
        let koi8 = try #require(Charset("koi8-r"))
        let body = Data([0xF0, 0xD2])
        let wrong = ResponseExample(200, "text/plain; charset=utf-8", body)
        #expect(try wrong.serialized(as: .string(charset: koi8)) == "Пр")
        var serializer = StringResponseSerializer()
        serializer.defaultCharset = koi8
        #expect(try ResponseExample(200, "text/plain", body).serialized(as: serializer) == "Пр")
        #expect(try ResponseExample(200, "text/plain; charset=latin1", body).serialized(as: serializer) == "ðÒ")
        #expect(try ResponseExample(200, nil, Data([0xEF, 0xBB, 0xBF, 0x41])).serialized(as: serializer) == "A")
    }
}
