import ArgumentParser
import Bluebonnet
import Foundation
import HTTPTypes
import Testing

@testable import BluebonnetCommand

@Suite struct ServerHeadersTests {
    @Test(arguments: [
        ("http://a/", "http://a/b", true), ("http://a/", "http://A:80/", true), ("http://a/", "https://a/", true),
        ("http://a/", "http://b/", false), ("http://a/", "http://a:8080/", false), ("https://a/", "http://a/", false),
        ("http://a:8080/", "https://a:8443/", false), ("http://a/", "https://b/", false),
    ])
    func `headers for one server are not sent to another`(from: String, to: String, areSent: Bool) throws {
        let url = try #require(URL(string: from))
        let headers = try #require(ServerHeaders(["X-Own", "Accept", "User-Agent"], of: url))
        var request = Request(method: .get, url: try #require(URL(string: to)))
        let own = try #require(HTTPField.Name("x-own"))
        request.headerFields = [own: "1", .accept: "a/b", .userAgent: "c"]
        let kept = headers.request(request).headerFields
        #expect(kept.contains(own) == areSent)
        #expect(kept.contains(.accept) && kept.contains(.userAgent))
    }

    @Test func `headers that are for every server are not looked at`() throws {
        #expect(ServerHeaders(["Accept-Language", "user-agent"], of: try #require(URL(string: "http://a/"))) == nil)
    }

    @Test func `a policy of trust for a host is for that host alone`() throws {
        var configuration = SessionConfiguration()
        configuration.securityPolicy = .acceptingAnyCertificate
        let pin = "sha256/" + String(repeating: "A", count: 43) + "="
        let others = try ConnectionOptions.parse(["--pin=\(pin)"])
        #expect(others.trust == ["--pin=\(pin)"])
        try configuration.limitTrust(to: [try #require(URL(string: "https://[::1]:8443/"))], otherwise: others)
        #expect(configuration.securityPolicy.allowsInvalidCertificates == false)
        #expect(configuration.securityPolicy.pinnedKeys.count == 1)
        #expect(configuration.hostSecurityPolicies["::1"]?.allowsInvalidCertificates == true)
    }
}
