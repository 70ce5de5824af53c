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

    @Test(arguments: [
        ([], ["--cookie ''"]), (["--no-follow"], []), (["--cookies", "off"], []),
        (["--cookies", "~x"], ["--cookie './~x'", "--cookie-jar './~x'"]),
        (["--cookies", "-"], ["--cookie ./-", "--cookie-jar ./-"]), (["--cookies", "a=b"], ["--cookie ''"]),
        (["--session", "/s"], ["--cookie /s/cookies.txt", "--cookie-jar /s/cookies.txt"]),
        (["--session-read-only", "/s"], ["--cookie /s/cookies.txt"]),
    ])
    func `--curl has the file of the cookies, or handles those of redirects`(
        arguments: [String],
        words: [String]
    ) throws {
        let options = try RequestOptions.parse(["http://a/"] + arguments)
        let cookies = CurlCookies(options, try options.sessions.named(), hasOwn: false)
        #expect(cookies.words.map { $0.replacing("'/s/cookies.txt'", with: "/s/cookies.txt") } == words)
        #expect(cookies.notes.isEmpty == !arguments.contains("a=b"))
        // Beside a field of the user's, curl would send a second one.
        let own = CurlCookies(options, try options.sessions.named(), hasOwn: true)
        #expect(!own.areRead && own.words.allSatisfy { $0 == "--cookie ''" })
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
