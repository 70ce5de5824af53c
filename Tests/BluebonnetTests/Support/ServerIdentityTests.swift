import Testing

@testable import Bluebonnet

/// Which server a host means (RFC 9525 §6.1).
struct ServerIdentityTests {
    @Test(arguments: [
        ("example.com", "example.com"), ("EXAMPLE.Com", "example.com"), ("example.com.", "example.com"),
        ("localhost", "localhost"), ("exa_mple.com", "exa_mple.com"), ("_dmarc.example.com", "_dmarc.example.com"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("-a-.example.com", "-a-.example.com"),
        ("3com.com", "3com.com"), ("1.example.com", "1.example.com"),
        ("127.0.0.1.example.com", "127.0.0.1.example.com"),
        ("0xg", "0xg"), ("a.b1", "a.b1"), ("a.0y", "a.0y"),
    ])
    func `a host name is compared with a certificate in lower case and without the final dot`(
        host: String,
        name: String
    ) throws {
        let identity = try #require(ServerIdentity(host: host))
        #expect(identity == .name(name))
        #expect(identity.serverName == name)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"),
        ("2001:DB8::A", "2001:db8::a"), ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("::FFFF:7f00:1", "::ffff:127.0.0.1"),
        ("fe80::1%eth0", "fe80::1"), ("fe80::1%25eth0", "fe80::1"), ("255.255.255.255", "255.255.255.255"),
    ])
    func `an IP address in any form is an address and not a server name`(host: String, address: String) throws {
        let identity = try #require(ServerIdentity(host: host))
        #expect(identity.serverName == nil)
        #expect(identity.sentence == "the address \(address)")
    }

    @Test(arguments: [
        "", ".", "..", "example..com", ".example.com", "example.com..", "*", "*.example.com", "a*.example.com",
        "exam ple.com", "example.com\0", "localhost\0.evil.example", "127.0.0.1\0.evil.example", "127.0.0.1\0", "a/b",
        "a:b",
        "a@b", "bücher.example", "例え.jp", "x\u{3002}y.com", "１２７.0.0.1", "exam\u{ad}ple.com", "a\nb", "a\u{7f}b",
        "[::1]",
        "127.1", "127.0.0.1.", "1", "0", "0x7f000001", "0X7F.1", "0x", "127.0.0.0x1", "example.123", "127.0.0.01",
        "256.0.0.1", "1.2.3.4.5", "::1::", "::g", "1:2:3:4:5:6:7", "%eth0", ":%x", "v1.fe80::a",
        String(repeating: "a", count: 64) + ".example",
        Array(repeating: String(repeating: "a", count: 63), count: 4).joined(separator: ".") + ".example",
    ])
    func `no certificate can be for a host that is neither a name nor an address`(host: String) {
        #expect(ServerIdentity(host: host) == nil)
    }

    @Test func `host names of the maximum length are valid`() {
        let label = String(repeating: "a", count: 63)
        let name = [label, label, label, String(label.prefix(61))].joined(separator: ".")
        #expect(name.utf8.count == 253)
        #expect(ServerIdentity(host: name) == .name(name))
        #expect(ServerIdentity(host: name + ".") == .name(name))
        #expect(ServerIdentity(host: name + "a") == nil)
    }

    @Test(
        arguments: [
            ("www.example.com", "example.com"), ("A.B.example.", "b.example"), ("localhost", nil), ("127.0.0.1", nil),
            ("fe80::1", nil),
        ] as [(String, String?)]
    )
    func `a domain is what is behind the first label of a name`(host: String, domain: String?) throws {
        #expect(try #require(ServerIdentity(host: host)).domain == domain.map { .name($0) })
    }
}
