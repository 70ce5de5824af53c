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

    @Test(
        arguments: [
            (["https://a/", "--no-insecure-redirects"], true), (["HTTPS://a/", "--no-insecure-redirects"], true),
            (["a/", "--no-insecure-redirects", "--default-scheme=https"], true), (["https://a/"], false),
            (["http://a/", "--no-insecure-redirects"], false),
        ] as [([String], Bool)]
    )
    func `--curl lets redirects of https lead to https only, where that is asked for`(
        arguments: [String],
        isLimited: Bool
    ) throws {
        let words = try RequestOptions.parse(arguments).curlWords
        #expect(words.contains("--proto-redir '=https'") == isLimited)
    }
}
