import Foundation
import Testing

@testable import Bluebonnet

/// Proxies as values, and their URLs.
struct ProxyTests {
    @Test(arguments: [
        ("http://proxy.example:3128", "http://proxy.example:3128"),
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("proxy.example", "http://proxy.example:1080"),
        ("HTTPS://Proxy.Example", "https://proxy.example:443"),
        ("socks5h://[::1]", "socks5h://[::1]:1080"),
        ("socks5://[2001:db8::1]:9/", "socks5://[2001:db8::1]:9"),
        ("socks4a://10.0.0.1:1", "socks4a://10.0.0.1:1"),
        ("SOCKS://10.0.0.1:1/", "socks4://10.0.0.1:1"),
        ("socks4://localhost:65535/path?query", "socks4://localhost:65535"),
        ("http://user:password@proxy.example:", "http://proxy.example:1080"),
    ])
    func `the URL of a proxy is read as curl reads it`(text: String, proxy: String) throws {
        #expect(try Proxy(text).description == proxy)
    }

    @Test(arguments: [
        "ftp://proxy", "http://", "", "http://:3128", "http://proxy:0", "http://proxy:65536", "http://proxy:x",
        "http://a b:1", "http://::1:3128", "http://[::1", "http://[::g]:1", "://proxy", "http://proxy:1:2",
    ])
    func `what names no proxy is an error that shows no credential`(text: String) throws {
        let full = text.contains("://") ? text.replacingOccurrences(of: "://", with: "://user:secret@") : text
        let error = try #require(throws: NetworkingError.self) { try Proxy(full) }
        #expect(error.code == .invalidProxy)
        #expect(!error.message.contains("secret"))
    }

    @Test(arguments: [
        "http://user:secret#x@127.0.0.1:3128", "http://user:p@ss/secret@host:3128", "user:secret?@host",
    ])
    func `a password that must be encoded is an error that shows nothing of it`(text: String) throws {
        let error = try #require(throws: NetworkingError.self) { try Proxy(text) }
        #expect(error.code == .invalidProxy)
        #expect(error.message.contains("percent-encoded"))
        #expect(!error.message.contains("secret"))
    }

    @Test(arguments: ["http://user:secret", "user:secret", "user:secret://host:1", "user:se://cret@host:1"])
    func `what is taken for a port or a scheme may be a password, and is not shown`(text: String) throws {
        let error = try #require(throws: NetworkingError.self) { try Proxy(text) }
        #expect(error.code == .invalidProxy)
        #expect(!error.message.contains("se") && !error.message.contains("cret"))
    }

    @Test func `user and password of the URL are decoded, and sent at once`() throws {
        let proxy = try Proxy("http://us%40er:p@ss%3A@proxy:1")
        let credential = try #require(proxy.credential)
        #expect((credential.user, credential.password) == ("us@er", "p@ss:"))
        #expect(credential.isPreemptive)
        #expect(proxy.host == "proxy")
    }

    @Test func `neither description nor dump of a proxy shows its password`() throws {
        let proxy = try Proxy("http://user:secret@proxy:1")
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in [proxy.description, "\(proxy)", String(reflecting: proxy), dumped] {
            #expect(!text.contains("secret"), "\(text)")
        }
    }

    @Test func `an address of IPv6 needs no brackets where it stands alone`() throws {
        #expect(try Proxy(.socks5, host: "::1", port: 9).description == "socks5://[::1]:9")
        #expect(try Proxy(.https, host: "Proxy").port == 443)
        #expect(throws: NetworkingError.self) { try Proxy(.http, host: "proxy/path", port: 1) }
        #expect(throws: NetworkingError.self) { try Proxy(.http, host: "user@proxy", port: 1) }
        #expect(throws: NetworkingError.self) { try Proxy(.http, host: "proxy", port: 70_000) }
    }

    @Test func `proxies with different credentials are different routes`() throws {
        let origin = Origin(isSecure: true, endpoint: .host("example.com", port: 443))
        let routes = try ["http://a:1@proxy:1", "http://b:1@proxy:1", "http://proxy:1", "https://proxy:1"].map {
            Route(to: origin, through: .tunnel(try Proxy($0)))
        }
        #expect(Set(routes + [Route(directTo: origin)]).count == 5)
        #expect(Set(routes + routes).count == 4)
    }
}
