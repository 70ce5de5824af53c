import Testing

@testable import Bluebonnet

/// Addresses in place of a lookup, as `--resolve` of curl has them.
@Suite struct AddressOverridesTests {
    private func texts(_ overrides: AddressOverrides, _ host: String, _ port: Int) -> [String]? {
        overrides.addresses(of: host, port: port)?.map(\.description)
    }

    @Test(arguments: [
        ("example.com:443:127.0.0.1", ["127.0.0.1"]),
        ("EXAMPLE.com:443:127.0.0.1,::1,[2001:db8::1]", ["127.0.0.1", "::1", "2001:db8::1"]),
        ("*:443:192.0.2.1", ["192.0.2.1"]),
    ])
    func `a host has the addresses of its text`(text: String, addresses: [String]) throws {
        let overrides = try AddressOverrides([text])
        #expect(texts(overrides, "example.COM", 443) == addresses)
        #expect(texts(overrides, "example.com", 80) == nil)
    }

    @Test func `an entry of a host wins over that of all hosts`() throws {
        let overrides = try AddressOverrides(["*:80:192.0.2.1", "a.test:80:192.0.2.2"])
        #expect(texts(overrides, "a.test", 80) == ["192.0.2.2"])
        #expect(texts(overrides, "b.test", 80) == ["192.0.2.1"])
    }

    @Test func `a later text replaces or removes an earlier one`() throws {
        let overrides = try AddressOverrides([
            "a.test:80:192.0.2.1", "a.test:80:192.0.2.2", "b.test:80:192.0.2.3", "-b.test:80",
        ])
        #expect(texts(overrides, "a.test", 80) == ["192.0.2.2"])
        #expect(texts(overrides, "b.test", 80) == nil)
        #expect(!overrides.isEmpty)
        #expect(try AddressOverrides(["a.test:80:192.0.2.1", "-a.test:80"]).isEmpty)
    }

    @Test func `an address can have other addresses`() throws {
        let overrides = try AddressOverrides(["[2001:0DB8::1]:80:192.0.2.1"])
        #expect(texts(overrides, "2001:db8::1", 80) == ["192.0.2.1"])
    }

    @Test(arguments: [
        "", "a.test", "a.test:80", "a.test:80:", ":80:192.0.2.1", "a.test:0:192.0.2.1", "a.test:65536:192.0.2.1",
        "a.test:http:192.0.2.1", "a.test:80:b.test", "a.test:80:192.0.2.1,", "+a.test:80:192.0.2.1", "-a.test",
        "-a.test:80:192.0.2.1", "[2001:db8::1:80:192.0.2.1",
    ])
    func `other texts are refused`(text: String) throws {
        let error = #expect(throws: NetworkingError.self) { try AddressOverrides([text]) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("“\(text)”") == true)
    }
}
