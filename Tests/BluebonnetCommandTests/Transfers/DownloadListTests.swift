import Testing

@testable import BluebonnetCommand

struct DownloadListTests {
    private func entries(_ text: String) throws -> [DownloadList.Entry] {
        try DownloadList(Array(text.utf8), name: "list").entries
    }

    @Test func `a line is a URL with a name and a digest behind tabs`() throws {
        let text = "# mirrors\n\nhttp://h/a\n  :8080/b\tout=x/b c.iso\t checksum=sha256:00 \r\n\n#http://h/c\nh/d#e"
        #expect(
            try entries(text) == [
                DownloadList.Entry(url: "http://h/a"),
                DownloadList.Entry(url: ":8080/b", output: "x/b c.iso", checksum: "sha256:00"),
                DownloadList.Entry(url: "h/d#e"),
            ]
        )
        #expect(try entries("").isEmpty)
        #expect(try entries("\u{FEFF}h/a") == [DownloadList.Entry(url: "h/a")])
    }

    @Test(arguments: [
        ("h/a\nh/b out=c", "list:2: A URL has no spaces"), ("h/a\tnope=1", "list:1: “nope=1” is neither"),
        ("h/a\tout=", "list:1: “out=” is neither"), ("h/a\tout=b\tout=c", "list:1: “out=c” is neither"),
        ("h/a\tout=../b", "list:1: “out=../b” must be"), ("h/a\tout=/etc/b", "list:1: “out=/etc/b” must be"),
        ("h/a\tout=b/", "list:1: “out=b/” must be"), ("h/a\tout=b/../../c", "list:1: “out=b/../../c” must be"),
        ("h/a\tout=.", "list:1: “out=.” must be"), ("h/a\tout=~/b", "list:1: “out=~/b” must be"),
        ("h/a\tout=~root/b", "list:1: “out=~root/b” must be"), ("h/a\tout=~", "list:1: “out=~” must be"),
    ])
    func `the message about a line names it`(text: String, message: String) {
        #expect { try entries(text) } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .usage && failure?.message.hasPrefix(message) == true
        }
    }

    @Test func `a line that is no text is refused`() {
        #expect(throws: CommandFailure.usage("list:2: The line is not a text in UTF-8.")) {
            try DownloadList([0x68, 0x0A, 0xFF], name: "list")
        }
    }
}
