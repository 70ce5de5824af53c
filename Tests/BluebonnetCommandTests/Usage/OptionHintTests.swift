import ArgumentParser
import Testing

@testable import BluebonnetCommand

@Suite struct OptionHintTests {
    @Test(arguments: [
        "-X", "-XPOST", "-H", "-Hfoo:bar", "-s", "-sS", "-fsSL", "--header", "--max-time", "--verify",
        "-F", "-S", "-n", "-D", "-V", "-P", "--ssl", "--ciphers", "--unsorted", "--format-options", "--max-headers",
        "--url", "--socks5", "--spider",
    ])
    func `options of curl, HTTPie and wget have a hint`(option: String) {
        #expect(OptionHint.text(for: option)?.hasSuffix(".") == true)
    }

    @Test(arguments: ["-y", "--nope", "--", "-"])
    func `an option that nobody knows has none`(option: String) {
        #expect(OptionHint.text(for: option) == nil)
    }

    @Test(arguments: [
        (["http://x/", "-x", "proxy:3128"], "--proxy proxy:3128."), (["-x", "a:80", "x:80"], nil),
        (["http://x/", "-x", "ada:x@proxy:80"], "--proxy ada:x@proxy:80."), (["-x", "x:80"], nil),
        (["http://x/", "-x", "Name:a:80"], nil), (["http://x/", "--compress", "proxy:3128"], nil),
        (["http://x/", "-x", "Depth:0"], nil),
        (["http://x/", "-x", "Accept:a/b"], nil), (["http://x/", "-v", "proxy:3128"], nil),
    ])
    func `a proxy behind the URL that counts as a header is told from a header`(
        arguments: [String],
        end: String?
    ) throws {
        let options = try RequestOptions.parse(arguments)
        let text = OptionHint.text(forProxyInItemsOf: options, in: ["bluebonnet", "get"] + arguments)
        #expect(text.map { end.map($0.hasSuffix) ?? false } ?? (end == nil), "\(text ?? "none")")
    }

    @Test func `no hint is for an option that requests have`() {
        let options = UsageMessage.options(in: GetCommand.helpMessage())
        #expect(options.contains("--form") && options.contains("-f"))
        for option in options { #expect(OptionHint.text(for: option) == nil, "\(option)") }
    }
}
