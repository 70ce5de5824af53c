import Testing

@testable import Bluebonnet

/// Hosts and ports in place of those of the URL, as `--connect-to` of curl has them.
@Suite struct EndpointOverridesTests {
    private func text(_ overrides: EndpointOverrides, _ host: String, _ port: Int) -> String {
        let (host, port) = overrides.endpoint(of: host, port: port)
        return "\(host) \(port)"
    }

    @Test(arguments: [
        ("a.test:443:b.test:8443", "b.test 8443"), ("A.test:443:B.test:8443", "b.test 8443"),
        ("a.test:443:b.test:", "b.test 443"), ("a.test:443:b.test", "b.test 443"), ("a.test:443::8443", "a.test 8443"),
        (":443:b.test:1", "b.test 1"), ("a.test::b.test:1", "b.test 1"), ("::192.0.2.1:", "192.0.2.1 443"),
        ("::[2001:db8::1]:1", "2001:db8::1 1"), ("b.test:443:c.test:1", "a.test 443"),
        ("a.test:80:c.test:1", "a.test 443"), ("[::1]:443:c.test:1", "a.test 443"), (":::", "a.test 443"),
    ])
    func `a host and port are replaced as their text says`(entry: String, result: String) throws {
        #expect(try text(EndpointOverrides([entry]), "a.test", 443) == result)
        #expect(try text(EndpointOverrides([entry]), "A.TEST", 443).lowercased() == result)
    }

    @Test func `an address of IPv6 may be replaced`() throws {
        let overrides = try EndpointOverrides(["[2001:0DB8::1]:80:b.test:81"])
        #expect(text(overrides, "2001:db8::1", 80) == "b.test 81")
        #expect(text(overrides, "2001:db8::2", 80) == "2001:db8::2 80")
    }

    @Test func `the first text that is for a host and port counts, unless it changes nothing`() throws {
        let overrides = try EndpointOverrides(["a.test:::", "a.test:443:b.test:1", "::c.test:2"])
        #expect(text(overrides, "a.test", 443) == "b.test 1")
        #expect(text(overrides, "a.test", 80) == "c.test 2")
        #expect(try EndpointOverrides(["a.test:443::"]).isEmpty)
        #expect(EndpointOverrides().isEmpty && !overrides.isEmpty)
    }

    @Test func `entries are added without a text, too`() throws {
        var overrides = EndpointOverrides()
        try overrides.add(host: "a.test", newHost: "::1", newPort: 81)
        #expect(text(overrides, "a.test", 443) == "::1 81")
        for port in [0, 65_536] {
            #expect(throws: NetworkingError.self) { try overrides.add(port: port, newHost: "b.test") }
        }
        #expect(throws: NetworkingError.self) { try overrides.add(newHost: "b test") }
    }

    @Test(arguments: [
        "", "a.test", "a.test:443", "a.test:443:b.test:1:2", "a.test:http:b.test:1", "a.test:443:b.test:0",
        "a.test:443:b.test:65536", "a.test:443:2001:db8::1:1", "a.test:443:b test:1", "a.test:443:b/c:1",
        "a.test:443:u@b.test:1", "[::1:443:b.test:1", "a.test:+443:b.test:1",
    ])
    func `other texts are refused`(entry: String) throws {
        let error = #expect(throws: NetworkingError.self) { try EndpointOverrides([entry]) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("“\(entry)”") == true)
    }
}
