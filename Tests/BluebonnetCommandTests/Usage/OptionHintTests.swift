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

    @Test func `no hint is for an option that requests have`() {
        let options = UsageMessage.options(in: GetCommand.helpMessage())
        #expect(options.contains("--form") && options.contains("-f"))
        for option in options { #expect(OptionHint.text(for: option) == nil, "\(option)") }
    }
}
