import Testing

@testable import Bluebonnet

@Suite struct UserAgentTests {
    @Test func `the default User-Agent names the program, the system and the library`() throws {
        let value = HTTPRequestSerializer.userAgent()
        #expect(
            try #/^[!-~]+\/unknown \([A-Za-z]+ [0-9.]+; [!-~]+\) Bluebonnet\/[0-9]+\.[0-9]+\.[0-9]+$/#.wholeMatch(
                in: value
            ) != nil
        )
    }

    @Test(
        arguments: [
            ("tool", "1.2", "tool/1.2 ("),
            ("My Tool", "1.2 (beta)", "My-Tool/1.2-beta ("),
            ("Werkzeüg", nil, "Werkzeg/unknown ("),
            ("日本", "", "unknown/unknown ("),
            ("a\r\nX: y", "1", "aX-y/1 ("),
        ] as [(String, String?, String)]
    )
    func `the program's name in User-Agent is made a token`(_ product: String, _ version: String?, _ expected: String) {
        #expect(HTTPRequestSerializer.userAgent(product: product, version: version).hasPrefix(expected))
    }
}
