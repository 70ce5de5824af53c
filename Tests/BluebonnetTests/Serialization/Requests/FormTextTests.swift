import HTTPTypes
import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct FormTextTests {
    /// As Python's `urllib.parse.urlencode(…, encoding=…, quote_via=quote)` writes them.
    private static let written: [(String, String, String)] = [
        ("UTF-8", "ü", "a=%C3%BC"), ("ISO-8859-1", "ü", "a=%FC"), ("windows-1252", "€", "a=%80"),
        ("GBK", "中文", "a=%D6%D0%CE%C4"), ("Shift_JIS", "日本", "a=%93%FA%96%7B"), ("KOI8-R", "я", "a=%D1"),
        ("GBK", "a b&=", "a=a%20b%26%3D"),
    ]

    @Test(arguments: written)
    func `form names and values are escaped bytes of the charset`(charset: String, value: String, expected: String)
        throws
    {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = try #require(Charset(charset))
        let request = try serializer.serialize(Request(.post, to: "http://x/"), parameters: ["a": value])
        #expect(request.body?.data == Data(expected.utf8))
        let type = charset == "UTF-8" ? "" : "; charset=\(serializer.stringEncoding.name)"
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded\(type)")
    }

    @Test func `a query is UTF-8 whatever the charset of forms`() throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .latin1
        let request = try serializer.serialize(Request(to: "http://x/"), parameters: ["a": "ü"])
        #expect(request.url.absoluteString == "http://x/?a=%C3%BC")
    }

    @Test(arguments: [(Charset.latin1, "中"), (.ascii, "ü"), (.utf16, "a")])
    func `form text that is not in the charset is an error`(charset: Charset, value: String) throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = charset
        let error = #expect(throws: NetworkingError.self) {
            try serializer.serialize(Request(.post, to: "http://x/"), parameters: ["a": value])
        }
        #expect(error?.code == .requestSerializationFailed)
        #expect(error?.message.contains(charset.name) == true)
    }

    @Test func `unescaped query text is escaped, and escapes that are not UTF-8 stay`() throws {
        #expect(try FormText.transcoded("ü=%FF&%zz", to: .latin1) == "%FC=%FF&%zz")
    }
}
