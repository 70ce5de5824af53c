import Testing

@testable import BluebonnetCommand

/// The options of requests without options, which are read without the parser.
struct PlainOptionsTests {
    @Test func `each option has its default, also those that were added later`() throws {
        let options = try #require(RequestOptions(plain: ["http://x/", "a=b"]))
        #expect(options.url == "http://x/" && options.items == ["a=b"])
        var (read, unread) = ("", "")
        dump(options, to: &read)
        // Reading one that has no value ends the process.
        dump(RequestOptions(), to: &unread)
        #expect(unread.contains("Parsed") && unread.contains("definition"))
        #expect(!read.contains("definition"), "\(read)")
    }

    @Test func `an option with a value is for the parser`() {
        #expect(RequestOptions(plain: ["http://x/", "--raw"]).map(\.url) == nil)
        #expect(RequestOptions(plain: [String]()).map(\.url) == nil)
    }
}
