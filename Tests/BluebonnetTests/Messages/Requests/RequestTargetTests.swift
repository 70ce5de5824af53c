import Foundation
import HTTPTypes
import LocalServer
import Testing

@testable import Bluebonnet

/// The origin that a URL names, and the parts of the URL that are in the request.
@Suite struct RequestTargetTests {
    struct Target: Sendable, CustomTestStringConvertible {
        var url: String
        var place: String
        var host: String
        var path: String
        var isSecure = false

        var testDescription: String { url }
    }

    static let targets = [
        Target(url: "http://example.com", place: "example.com:80", host: "example.com", path: "/"),
        Target(url: "http://example.com/", place: "example.com:80", host: "example.com", path: "/"),
        Target(url: "http://example.com:80/a", place: "example.com:80", host: "example.com", path: "/a"),
        Target(url: "http://example.com:8080/a/", place: "example.com:8080", host: "example.com:8080", path: "/a/"),
        Target(url: "https://example.com/a", place: "example.com:443", host: "example.com", path: "/a", isSecure: true),
        Target(
            url: "https://example.com:80/",
            place: "example.com:80",
            host: "example.com:80",
            path: "/",
            isSecure: true
        ),
        Target(url: "http://example.com?q=1", place: "example.com:80", host: "example.com", path: "/?q=1"),
        Target(url: "http://example.com/a?", place: "example.com:80", host: "example.com", path: "/a?"),
        Target(
            url: "http://example.com/a%2Fb%20c?x=%26&y=1",
            place: "example.com:80",
            host: "example.com",
            path: "/a%2Fb%20c?x=%26&y=1"
        ),
        Target(url: "http://example.com/a#fragment", place: "example.com:80", host: "example.com", path: "/a"),
        Target(url: "http://user:secret@example.com/a", place: "example.com:80", host: "example.com", path: "/a"),
        Target(url: "HTTP://example.com/a", place: "example.com:80", host: "example.com", path: "/a"),
        Target(url: "http://127.0.0.1:81/", place: "127.0.0.1:81", host: "127.0.0.1:81", path: "/"),
        Target(url: "http://[::1]/a", place: "[::1]:80", host: "[::1]", path: "/a"),
        Target(url: "http://[fe80::1%25eth0]/", place: "[fe80::1%eth0]:80", host: "[fe80::1]", path: "/"),
        Target(url: "http://my_host.example/", place: "my_host.example:80", host: "my_host.example", path: "/"),
        Target(url: "http://[2001:db8::1]:8080/", place: "[2001:db8::1]:8080", host: "[2001:db8::1]:8080", path: "/"),
        Target(url: "http+unix://%2Ftmp%2Fa.sock/a?b=c", place: "/tmp/a.sock", host: "localhost", path: "/a?b=c"),
        Target(url: "https+unix://%2Ftmp%2Fa.sock", place: "/tmp/a.sock", host: "localhost", path: "/", isSecure: true),
    ]

    @Test(arguments: targets) func `a URL is split into origin and request target`(expected: Target) throws {
        let url = try #require(URL(string: expected.url))
        let target = try RequestTarget(url)
        #expect(target.origin.description == expected.place)
        #expect(target.origin.isSecure == expected.isSecure)
        #expect(target.host == expected.host)
        #expect(target.path == expected.path)
    }

    @Test func `host names of origins are compared case-insensitively`() throws {
        let lower = try #require(URL(string: "http://example.com/"))
        let upper = try #require(URL(string: "http://Example.COM/"))
        #expect(try RequestTarget(lower).origin == RequestTarget(upper).origin)
    }

    @Test func `http, https and each socket are separate origins`() throws {
        let urls = ["http://a.b:8080", "https://a.b:8080", "http://a.b:8081", "http+unix://%2Fx", "https+unix://%2Fx"]
        let origins = try urls.map { try RequestTarget(#require(URL(string: $0))).origin }
        #expect(Set(origins).count == urls.count)
    }

    /// Swift calls the two paths equal, because they look alike.
    @Test func `two sockets whose paths look alike but have other bytes are two origins`() {
        let origins = ["/tmp/caf\u{E9}", "/tmp/cafe\u{301}"].map { path in
            Origin(isSecure: false, endpoint: .unixSocket(Origin.SocketPath(path)))
        }
        #expect(origins[0] != origins[1])
    }

    @Test(arguments: [
        ("ftp://example.com/", NetworkingError.Code.unsupportedScheme), ("file:///etc/hosts", .unsupportedScheme),
        ("example.com/a", .invalidURL), ("/a", .invalidURL), ("http:///a", .invalidURL),
        ("http://example.com:0/", .invalidURL), ("http://example.com:65536/", .invalidURL),
        // A part of the system would read another host than the rest of this library.
        ("http://127.0.0.1%00.example.com/", .invalidURL), ("http+unix://%2Ftmp%2Fa%00b/", .invalidURL),
        ("http://a%2Fb/", .invalidURL), ("http://a%40b/", .invalidURL), ("http://a%3A80/", .invalidURL),
        ("http://a%0D%0Ab/", .invalidURL), ("http://a%20b/", .invalidURL), ("http://a%23b/", .invalidURL),
        ("http://a%25b/", .invalidURL), ("http://a%5Cb/", .invalidURL),
        ("http://%5B127.0.0.1%5D/", .invalidURL),
    ])
    func `a URL that cannot be requested is refused`(text: String, code: NetworkingError.Code) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: NetworkingError.self) { try RequestTarget(url) }
        #expect(error?.code == code)
    }

    @Test func `a request with the method CONNECT is refused`() async throws {
        try await FaultServer.run([.readRequest, .respond(body: "ok")]) { server in
            try await withSession { session in
                let error = try await networkingError {
                    _ = try await session.data(for: Request(.connect, to: server.baseURL))
                }
                #expect(error.code == .invalidRequest)
                #expect(server.connections.isEmpty)
            }
        }
    }
}
