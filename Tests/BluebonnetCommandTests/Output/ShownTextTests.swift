import Testing

@testable import BluebonnetCommand

struct ShownTextTests {
    @Test func `text from outside cannot change the terminal`() {
        #expect(ShownText.harmless("a\u{1B}[2Jb\r\n\u{9B}c\u{7F}\u{202E}d\u{2028}é") == "a�[2Jb��\u{FFFD}c��d�é")
        #expect(ShownText.harmless("naïve 文件 👩\u{200D}🔬.iso") == "naïve 文件 👩\u{200D}🔬.iso")
    }

    @Test(arguments: [
        ("abc", 3), ("", 0), ("é", 1), ("e\u{301}", 1), ("文件", 4), ("👩\u{200D}🔬x", 3), ("…", 1), ("█▏", 2),
    ])
    func `the width of a text is that of its characters`(text: String, width: Int) {
        #expect(ShownText.width(of: text) == width)
    }

    @Test(arguments: [
        ("ubuntu-24.04-desktop-amd64.iso", 30, "ubuntu-24.04-desktop-amd64.iso"),
        ("ubuntu-24.04-desktop-amd64.iso", 20, "ubuntu-24…-amd64.iso"),
        ("ubuntu-24.04-desktop-amd64.iso", 5, "ub…so"), ("ubuntu", 1, "…"), ("ubuntu", 0, ""), ("ubuntu", 2, "…u"),
        ("文件文件文件", 8, "文…文件"), ("文件文件文件", 7, "文件…件"),
    ])
    func `a text that does not fit loses its middle`(text: String, columns: Int, shown: String) {
        #expect(ShownText.shortened(text, to: columns) == shown)
        #expect(ShownText.width(of: ShownText.fitted(text, to: columns)) == columns)
    }
}
