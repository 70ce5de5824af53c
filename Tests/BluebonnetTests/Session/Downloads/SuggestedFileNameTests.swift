import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Names that servers suggest.
struct SuggestedFileNameTests {
    @Test(
        arguments: [
            (#"attachment; filename=a.txt"#, "a.txt"), (#"attachment; filename="a b.txt""#, "a b.txt"),
            (#"attachment;filename="a\"b;c.txt"; size=1"#, "a\"b;c.txt"), (#"ATTACHMENT; FileName = "a.txt""#, "a.txt"),
            (#"attachment; filename="a.txt"; filename*=UTF-8''%E2%82%AC.txt"#, "€.txt"),
            (#"attachment; filename*=iso-8859-1'en'%A3.txt; filename="a.txt""#, "£.txt"),
            (#"attachment; filename*=UTF-8''%FF; filename="a.txt""#, "a.txt"),
            (#"attachment; filename*=koi8-r''%C1; filename=a.txt"#, "a.txt"), (#"filename=none"#, nil),
            (#"inline"#, nil), ("", nil), (#"attachment; filename="open"#, "open"), (#"attachment; filename="#, ""),
            (#"attachment; x; filename=a; filename=b"#, "a"),
            (#"attachment; filename="C:\dir\a.txt""#, #"C:\dir\a.txt"#),
        ] as [(String, String?)]
    )
    func `a Content-Disposition has a name by RFC 6266`(value: String, name: String?) {
        #expect(ContentDisposition(value).fileName == name)
    }

    @Test(arguments: [
        ("../../etc/passwd", "passwd"), ("..", ""), (".", ""), ("/", ""), ("a/", ""), (".bashrc", "bashrc"),
        (#"C:\Windows\system.ini"#, "system.ini"), ("a\u{0}b\nc", "abc"), ("\u{202E}gpj.exe", "gpj.exe"),
        (" a . ", "a"), ("a.txt...", "a.txt"), ("…", "…"), ("a\u{FFFD}b", "ab"), ("e\u{301}/\u{301}x", "\u{301}x"),
        ("👨‍👩‍👧.png", "👨‍👩‍👧.png"),
    ])
    func `a name is made harmless`(name: String, harmless: String) {
        #expect(FileName.harmless(name) == harmless)
    }

    @Test func `a long name keeps its extension`() {
        let name = FileName.harmless(String(repeating: "é", count: 500) + ".tar")
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("é.tar"))
        #expect(FileName.harmless("a." + String(repeating: "x", count: 500)).utf8.count == 200)
        #expect(PartialFile.path(for: "/a/" + String(repeating: "é", count: 127)).utf8.count == 3 + 254)
    }

    @Test(arguments: [".bashrc", ".", " .x", ""])
    func `a cut never makes a name hidden, nor one that ends with a point or a space`(ending: String) {
        // One character, which is longer than a name may be.
        let long = "a" + String(repeating: "\u{301}", count: 100)
        for name in [long + ending, "b" + long + ending, String(repeating: "x", count: 199) + " .y" + ending] {
            let harmless = FileName.harmless(name)
            #expect(harmless.utf8.count <= 200 && !harmless.isEmpty)
            #expect(harmless.first != "." && harmless.last != " " && harmless.last != ".", "\(harmless)")
        }
        #expect(
            FileName.harmless(String(repeating: "x", count: 199) + " " + String(repeating: "y", count: 9)).last == "x"
        )
        let cut = FileName.harmless(long + ".bashrc")
        #expect(cut.unicodeScalars.first == "a" && cut.hasSuffix(".bashrc"))
        #expect(!FileName.numbered("." + long + long, 2).isEmpty)
    }

    @Test(arguments: [("a.txt", "a 2.txt"), ("a", "a 2"), (".a", ".a 2"), ("a.tar.gz", "a.tar 2.gz")])
    func `a number stands before the extension`(name: String, numbered: String) {
        #expect(FileName.numbered(name, 2) == numbered)
    }

    @Test func `without a name the URL has one, and without that it is a download`() throws {
        let head = ResponseHead(status: .ok)
        #expect(head.suggestedFileName(for: try #require(URL(string: "http://a/b/c%20d.bin?x=1"))) == "c d.bin")
        #expect(head.suggestedFileName(for: try #require(URL(string: "http://a/b%2F..%2Fc"))) == "c")
        #expect(head.suggestedFileName(for: try #require(URL(string: "http://a/"))) == "download")
        #expect(head.suggestedFileName(for: try #require(URL(string: "http://a"))) == "download")
    }
}
