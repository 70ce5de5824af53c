import Foundation
import Testing

@testable import Bluebonnet

/// The charset of documents, by the rules of the HTML Standard.
@Suite struct DocumentCharsetTests {
    private func label(
        _ body: String,
        contentType: String? = "text/html",
        mediaType: String = "text/html"
    ) -> String {
        DocumentCharset.label(of: Data(body.utf8), contentType: contentType, mediaType: mediaType)
    }

    @Test func `a byte-order mark wins over the content type`() {
        for (mark, expected) in [
            ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFF, 0xFE], "UTF-16LE"), ([0xFE, 0xFF], "UTF-16BE"),
            ([0xFF, 0xFE, 0, 0], "UTF-16LE"),
        ] as [([UInt8], String)] {
            let body = Data(mark) + Data("<meta charset=gbk>".utf8)
            let found = DocumentCharset.label(of: body, contentType: "text/html; charset=big5", mediaType: "text/html")
            #expect(found == expected)
        }
    }

    @Test func `the content type wins over the document`() {
        #expect(label("<meta charset=gbk>", contentType: "text/html; charset=\"Shift_JIS\"") == "Shift_JIS")
    }

    @Test(arguments: [
        "text/html; charset=nonsense", "text/html; charset=utf-7", "text/html; charset=", "text/html", nil,
    ])
    func `a content type with no known charset leaves it to the document`(contentType: String?) {
        #expect(label("<meta charset=gbk>", contentType: contentType) == "gbk")
        #expect(label("<p>none</p>", contentType: contentType) == "UTF-8")
    }

    @Test(arguments: [
        "<meta charset=gbk>",
        "<META CharSet = 'GBK' >",
        "<meta/charset=\"gbk\"/>",
        "<!doctype html><html lang=\"zh\"><head><title>a > b</title><meta name=x content=y><meta charset=gbk>",
        "<meta http-equiv=Content-Type content='text/html; charset=gbk'>",
        "<meta content='text/html; charset = gbk ; x' http-equiv=\"content-type\">",
        "<meta content='charset charset=\"gbk\"' http-equiv=content-type>",
        "<!-- <meta charset=big5> --><meta charset=gbk>",
        "<!--><meta charset=gbk>",
        "<?php <meta charset=big5 ?><meta charset=gbk>",
        "</p <meta charset=big5><meta charset=gbk>",
        "<script src='<meta charset=big5>'></script><meta charset=gbk>",
        "<meta charset=gbk charset=big5>",
        "<meta charset=nonsense><meta charset=gbk>",
        "<metas charset=big5><meta charset=gbk>",
        "a < b <meta charset=gbk>",
    ])
    func `a meta element names the charset`(html: String) {
        #expect(label(html) == "gbk")
    }

    @Test(arguments: [
        "<meta name=description content='text/html; charset=gbk'>",
        "<meta content='text/html; charset=gbk'>",
        "<meta http-equiv=content-type content='charset=\"gbk'>",
        "<meta http-equiv=content-type content='charset'>",
        "<meta charset>", "<meta charset=", "<meta charset='gbk", "<meta", "<", "<!--", "<!", "</", "<a b=",
        "<meta charset=utf-16>", "<meta charset=utf-16le>",
        "<!-- <meta charset=gbk>",
        String(repeating: " ", count: 1024) + "<meta charset=gbk>",
    ])
    func `a document that names none is in UTF-8`(html: String) {
        #expect(label(html) == "UTF-8")
    }

    @Test func `the declaration of XML names the charset`() {
        for type in ["application/xhtml+xml", "text/xml", "image/svg+xml"] {
            let body = "<?xml version='1.0' encoding = \"gbk\"?><meta charset='big5'/>"
            #expect(label(body, contentType: type, mediaType: type) == "gbk")
            #expect(label("<meta charset='big5'/>", contentType: type, mediaType: type) == "UTF-8")
            #expect(label("<?xml encoding=gbk?>", contentType: type, mediaType: type) == "UTF-8")
        }
    }

    @Test func `text that is no markup names none`() {
        #expect(label("<meta charset=gbk>", contentType: "text/plain", mediaType: "text/plain") == "UTF-8")
    }

    @Test(arguments: ["utf-8", "iso-8859-2", "latin2", "koi8-u", "windows-1254", "gb2312", "big5", "euc-kr", "sjis"])
    func `a charset of the Encoding Standard is taken`(charset: String) {
        #expect(label("x", contentType: "text/html; charset=\(charset)") == charset)
    }

    @Test(arguments: ["utf-32", "ucs-4", "ibm037", "euc-tw", "iso-2022-kr"])
    func `a charset that browsers do not know counts as none`(charset: String) {
        #expect(label("<meta charset=gbk>", contentType: "text/html; charset=\(charset)") == "gbk")
        #expect(label("<meta charset=\(charset)><meta charset=gbk>") == "gbk")
    }

    @Test func `a thousand random beginnings end`() {
        var generator = SystemRandomNumberGenerator()
        let pieces = ["<", ">", "/", "meta", "<meta ", "charset", "=", "'", "\"", " ", "<!--", "-->", "gbk", "?", "é"]
        for _ in 0..<1000 {
            let html = (0..<200).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            #expect(["UTF-8", "gbk"].contains(label(html)), "\(html)")
        }
    }
}
