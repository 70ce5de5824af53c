import Testing

@testable import Bluebonnet

/// The texts of errors about a certificate that is for another host.
struct PresentedIdentifiersTests {
    private func refusal(
        of host: String = "example.com",
        _ names: [PresentedIdentifier],
        commonName: String? = nil
    ) throws -> String {
        let presented = PresentedIdentifiers(names: names, commonName: commonName)
        let identity = try #require(ServerIdentity(host: host))
        #expect(!presented.contain(identity))
        return presented.refusal(of: identity)
    }

    @Test func `one matching name among others is enough for a certificate`() throws {
        let names: [PresentedIdentifier] = [
            .other, .name("a.example"), .address([10, 0, 0, 1]), .name("*.example.com"),
        ]
        let presented = PresentedIdentifiers(names: names)
        #expect(try presented.contain(#require(ServerIdentity(host: "www.example.com"))))
        #expect(try presented.contain(#require(ServerIdentity(host: "10.0.0.1"))))
        #expect(try !presented.contain(#require(ServerIdentity(host: "10.0.0.2"))))
    }

    @Test func `the error about a refused certificate shows a few names whole`() throws {
        #expect(try refusal([.name("a.example")]) == "is for “a.example”, not for “example.com”")
        #expect(
            try refusal(of: "10.0.0.9", [.name("a.example"), .other, .address([10, 0, 0, 1])])
                == "is for “a.example” and the address 10.0.0.1, not for the address 10.0.0.9"
        )
        #expect(
            try refusal(["a", "b", "c", "d"].map { .name($0) })
                == "is for “a”, “b”, “c” and “d”, not for “example.com”"
        )
    }

    @Test func `the error about a refused certificate shows the first of many names and counts the others`() throws {
        let many = (0..<20_000).map { PresentedIdentifier.name("\($0).example") }
        #expect(
            try refusal(many)
                == "is for “0.example”, “1.example”, “2.example”, “3.example” and 19996 more, not for “example.com”"
        )
        #expect(try refusal(Array(many.prefix(5))).contains("“3.example” and 1 more, not"))
    }

    @Test func `the error about a refused certificate shortens a long name`() throws {
        let text = try refusal([.name(String(repeating: "a", count: 100_000))])
        #expect(text == "is for “\(String(repeating: "a", count: 80))…”, not for “example.com”")
    }

    @Test func `the error about a refused certificate shows control characters and other scripts as bytes`() throws {
        let text = try refusal([.name("a\u{1b}[2J\r\n\0\u{7f}b\u{202e}")])
        #expect(text == #"is for “a\x1B[2J\r\n\x00\x7Fb\xE2\x80\xAE”, not for “example.com”"#)
        let common = try refusal([], commonName: "a\u{1b}]0;x\u{7}")
        #expect(common.contains(#"common name “a\x1B]0;x\x07” does not count"#))
    }

    @Test func `the error about a refused certificate without names says so`() throws {
        #expect(
            try refusal([]) == "names no host (it has no subject alternative name), so it cannot be for “example.com”"
        )
        // RFC 9525 §2: a common name does not identify a server, not even as the only name.
        #expect(
            try refusal([], commonName: "example.com")
                == "names no host (it has no subject alternative name, and its common name “example.com” does not count), "
                + "so it cannot be for “example.com”"
        )
        #expect(
            try refusal([.other, .other], commonName: "example.com").contains(
                "of other kinds, such as e-mail addresses"
            )
        )
    }

    @Test func `the error about a refused certificate hints at an address among its DNS names`() throws {
        #expect(
            try refusal(of: "127.0.0.1", [.name("127.0.0.1")])
                == "is for “127.0.0.1”, not for the address 127.0.0.1 "
                + "(an address counts only among the IP addresses of a certificate)"
        )
        #expect(try refusal(of: "127.0.0.1", [.address([1, 2, 3])]).contains("the address of 3 bytes, not"))
    }
}
