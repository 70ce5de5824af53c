import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct BodyTextTests {
    private func shown(
        _ body: [UInt8],
        _ contentType: String?,
        formats: Bool = true,
        colors: Bool = false
    ) -> String? {
        var style = OutputStyle(.none, isTerminal: true, wantsColors: true)
        (style.formats, style.colors) = (formats, colors)
        let type = contentType.flatMap(MediaType.name)
        return BodyText(style: style).render(Data(body), kind: BodyKind(mediaType: type), contentType, type)
    }

    @Test func `texts are decoded by the charset of their type, their meta element or their declaration`() {
        #expect(shown([0x63, 0xE9], "text/plain; charset=iso-8859-1") == "cé")
        #expect(shown([0x93, 0xFA, 0x96, 0x7B], "text/plain; charset=Shift_JIS") == "日本")
        #expect(shown(Array("<meta charset=windows-1252><p>".utf8) + [0x80], "text/html")?.hasSuffix("€") == true)
        let xml = Array("<?xml version='1.0' encoding='iso-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(shown(xml, "text/xml")?.hasSuffix("<a>é</a>") == true)
        #expect(shown([0xFE, 0xFF, 0, 0x61], "text/plain") == "a")
        #expect(shown([0x61, 0xFF], "text/plain; charset=utf-8") == "a\u{FFFD}")
    }

    @Test(arguments: ["application/json; charset=iso-8859-1", "application/problem+json", "text/plain", nil])
    func `JSON is formatted whatever its type is`(type: String?) {
        #expect(shown(Array(#" {"a":1.50}"#.utf8), type) == "{\n  \"a\": 1.50\n}")
    }

    @Test func `a text that only begins like JSON stays as it is`() {
        #expect(shown(Array("[note] x".utf8), "text/plain") == "[note] x")
    }

    @Test func `a form has a line for each pair`() {
        let form = Array("a=1&b=%20&c".utf8)
        #expect(shown(form, "application/x-www-form-urlencoded") == "a=1\n&b=%20\n&c")
        #expect(shown(form, "application/x-www-form-urlencoded", formats: false) == "a=1&b=%20&c")
    }

    @Test func `nothing in HTML steers the terminal`() {
        let text = shown(Array("<p title='\u{1B}[2J'>\u{9B}</p>".utf8), "text/html", colors: false)
        #expect(text == "<p title='\u{FFFD}[2J'>\u{FFFD}</p>")
    }

    @Test(
        arguments: [
            ("application/json", .json), ("application/hal+json", .json), ("application/x-ndjson", .jsonLines),
            ("text/event-stream", .events), ("application/rss+xml", .xml), ("text/html", .html), ("text/csv", .text),
            ("image/png", .unknown), (nil, .unknown), ("image/svg+xml", .xml),
        ] as [(String?, BodyKind)]
    )
    func `the kind of a body follows its type`(type: String?, kind: BodyKind) {
        #expect(BodyKind(mediaType: type) == kind)
    }
}
