import ArgumentParser
import Testing

@testable import BluebonnetCommand

@Suite struct CurlTransportTests {
    @Test(arguments: [
        (["http://a/x", "-O"], ["--remote-name", "--remote-header-name"]),
        (["http://a/x", "-O", "--continue"], ["--remote-name", "--continue-at -"]),
    ])
    func `--curl has --remote-header-name, but not where curl continues a file`(
        arguments: [String],
        expected: [String]
    ) throws {
        let words = try RequestOptions.parse(arguments).curlWords
        #expect(words.filter { $0.hasPrefix("--remote") || $0.hasPrefix("--continue") } == expected)
    }
}
