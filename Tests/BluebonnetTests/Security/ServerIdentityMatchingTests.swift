import Testing

@testable import Bluebonnet

/// Which names of a certificate are for a server (RFC 9525 §6).
struct ServerIdentityMatchingTests {
    // MARK: Names

    @Test(arguments: [
        ("example.com", "example.com"), ("Example.COM", "example.com"), ("example.com", "EXAMPLE.com."),
        ("*.example.com", "www.example.com"), ("*.EXAMPLE.com", "www.example.COM"),
        ("*.example.com", "www.example.com."),
        ("*.example.com", "xn--bcher-kva.example.com"), ("*.xn--bcher-kva.de", "www.xn--bcher-kva.de"),
        ("xn--bcher-kva.de", "XN--bcher-KVA.de"), ("*.example.com", "a_b.example.com"),
        ("*.exa_mple.com", "a.exa_mple.com"),
        ("exa_mple.com", "exa_mple.com"), ("*.a.b.example.com", "www.a.b.example.com"),
        ("*.example.com", "-.example.com"),
        ("*.co.uk", "example.co.uk"), ("localhost", "localhost"), ("*.1.example", "1.1.example"),
    ])
    func `a certificate name covers the host`(pattern: String, host: String) throws {
        #expect(try #require(ServerIdentity(host: host)).matches(.name(pattern)))
    }

    @Test(arguments: [
        // Another name.
        ("example.com", "example.org"), ("example.com", "www.example.com"), ("www.example.com", "example.com"),
        ("example.com", "example.comm"), ("example.com", "xexample.com"), ("", "example.com"), (".", "localhost"),
        // RFC 9525 §6.3: only the complete first label, and for exactly one label.
        ("*.example.com", "example.com"), ("*.example.com", "a.b.example.com"), ("*.example.com", "b.example.org"),
        ("w*.example.com", "www.example.com"), ("*w.example.com", "www.example.com"),
        ("w*w.example.com", "www.example.com"),
        ("**.example.com", "www.example.com"), ("*.*.example.com", "a.b.example.com"), ("www.*.com", "www.example.com"),
        ("www.example.*", "www.example.com"), ("www*.example.com", "www.example.com"),
        ("*www.example.com", "www.example.com"),
        ("*.*.com", "www.example.com"), ("*.", "localhost"), ("*..com", "a.com"), ("*.example.com", "*.example.com"),
        // Not for a whole top-level domain.
        ("*", "localhost"), ("*", "example.com"), ("*.com", "example.com"), ("*.localhost", "a.localhost"),
        ("*.com.", "a.com"),
        ("*.com.", "a.com."),
        // A-labels hold no asterisk.
        ("xn--*.example.com", "xn--bcher-kva.example.com"), ("*xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("xn--bcher-*.example.com", "xn--bcher-kva.example.com"), ("b\u{fc}cher.example", "xn--bcher-kva.example"),
        // Not a name.
        ("localhost\0.evil.example", "localhost"), ("localhost\0", "localhost"),
        ("*.example.com\0.evil", "a.example.com"),
        ("example.com.", "example.com"), ("*.example.com.", "www.example.com"), (".example.com", "www.example.com"),
        ("example..com", "example.com"), (" example.com", "example.com"), ("example.com ", "example.com"),
        ("https://example.com", "example.com"), ("example.com:443", "example.com"), ("user@example.com", "example.com"),
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("*.0.0.1", "127.0.0.1"), ("*", "127.0.0.1"), ("[::1]", "::1"),
    ])
    func `a certificate name does not cover the host`(pattern: String, host: String) {
        let matches = ServerIdentity(host: host).map { $0.matches(.name(pattern)) } ?? false
        #expect(!matches)
    }

    // MARK: Addresses

    private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 127, 0, 0, 1]

    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1], true), ("127.0.0.1", [127, 0, 0, 2], false), ("::1", loopback6, true),
            ("0:0::0:1", loopback6, true), ("::2", loopback6, false),
            ("fe80::1%eth0", [0xfe, 0x80] + loopback6.dropFirst(2), true),
            // RFC 9525 §6.4: an address in the form of the other protocol is another one.
            ("127.0.0.1", mapped, false), ("::ffff:127.0.0.1", [127, 0, 0, 1], false),
            ("::ffff:127.0.0.1", mapped, true),
            // A network with its mask (RFC 5280 §4.2.1.10) is for constraints only.
            ("127.0.0.1", [127, 0, 0, 1, 255, 255, 255, 255], false), ("0.0.0.0", [0, 0, 0, 0, 0, 0, 0, 0], false),
            ("127.0.0.1", [], false), ("127.0.0.1", [127, 0, 0], false), ("::1", loopback6 + [0], false),
            ("127.0.0.1", Array("127.0.0.1".utf8), false), ("localhost", [127, 0, 0, 1], false),
            ("localhost", loopback6, false),
        ] as [(String, [UInt8], Bool)]
    )
    func `a certificate address matches byte for byte`(host: String, bytes: [UInt8], matches: Bool) throws {
        #expect(try #require(ServerIdentity(host: host)).matches(.address(bytes)) == matches)
    }

    @Test func `certificate names of other kinds match no host`() throws {
        for host in ["localhost", "127.0.0.1"] {
            #expect(try !#require(ServerIdentity(host: host)).matches(.other))
        }
    }
}
