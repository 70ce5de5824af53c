import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Credentials, and those of URLs.
struct CredentialTests {
    @Test func `nothing that shows a credential shows its secrets`() {
        for credential in [Credential(user: "mallory", password: "hunter2"), Credential(token: "s3cr3t")] {
            var dumped = ""
            dump(credential, to: &dumped)
            for text in ["\(credential)", String(reflecting: credential), dumped, "\(Optional(credential) as Any)"] {
                #expect(!text.contains("mallory") && !text.contains("hunter2") && !text.contains("s3cr3t"))
            }
        }
    }

    @Test func `the field of Basic has UTF-8 in Base64`() throws {
        // The example of RFC 7617 §2.1.
        let credential = Credential(user: "test", password: "123\u{A3}")
        #expect(try credential.field() == "Basic dGVzdDoxMjPCow==")
        #expect(try Credential(token: "mF_9.B5f-4.1JqM").field() == "Bearer mF_9.B5f-4.1JqM")
    }

    @Test(arguments: [
        Credential(user: "a:b", password: "c"), Credential(user: "a\n", password: "c"),
        Credential(user: "a", password: "\u{7F}"), Credential(token: "a b"), Credential(token: ""),
        Credential(token: "ä"),
    ])
    func `what a scheme cannot send is refused`(credential: Credential) {
        #expect(throws: NetworkingError(.invalidRequest, "")) { try credential.field() }
    }

    @Test func `a credential fits the schemes of its kind, and only those it may be sent with`() {
        var credential = Credential(user: "a", password: "b")
        #expect(credential.fits(.basic) && credential.fits(.digest) && !credential.fits(.bearer))
        credential.schemes = [.digest, .bearer]
        #expect(!credential.fits(.basic) && credential.fits(.digest) && !credential.fits(.bearer))
        #expect(Credential(token: "x").fits(.bearer) && !Credential(token: "x").fits(.basic))
    }

    // MARK: URLs

    @Test(arguments: [
        ("http://ada:secret@example.com/x?q=a@b", "http://example.com/x?q=a@b", "ada", "secret"),
        ("https://ada@example.com", "https://example.com", "ada", ""),
        ("http://:secret@example.com:81/", "http://example.com:81/", "", "secret"),
        ("http://a%40b:p%3Aq%2F@[::1]:80/", "http://[::1]:80/", "a@b", "p:q/"),
        ("http://a:b:c@h/", "http://h/", "a", "b:c"),
    ])
    func `user and password of a URL become the credential of its request`(
        text: String,
        plain: String,
        user: String,
        password: String
    ) throws {
        var request = Request(url: try #require(URL(string: text)))
        #expect(request.url.absoluteString == plain)
        #expect(request.credential?.user == user && request.credential?.password == password)
        #expect(request.credential?.isPreemptive == true)
        #expect(request.access?.origin == (try request.target.origin))
        request = Request(url: URL(filePath: "/"))
        request.url = try #require(URL(string: text))
        #expect(request.url.absoluteString == plain && request.credential?.user == user)
    }

    @Test(arguments: ["http://@example.com/", "http://:@example.com/"])
    func `empty user information is only taken out`(text: String) throws {
        let request = Request(url: try #require(URL(string: text)))
        #expect(request.url.absoluteString == "http://example.com/" && request.credential == nil)
    }

    @Test(arguments: ["http://example.com/@a", "http://example.com/?a@b", "http://example.com#a@b"])
    func `an at sign elsewhere is none of it`(text: String) throws {
        let request = Request(url: try #require(URL(string: text)))
        #expect(request.url.absoluteString == text && request.credential == nil)
    }

    @Test func `a manager takes them out of its base URL and of paths, also the second time`() throws {
        let api = HTTPSessionManager(baseURL: "http://ada:secret@example.com/v1/")
        for _ in 0..<2 {
            let request = try api.request(.get, "users")
            #expect(request.url.absoluteString == "http://example.com/v1/users")
            #expect(request.credential?.password == "secret")
            let other = try api.request(.get, "http://bob:x@other.example/y")
            #expect(other.url.absoluteString == "http://other.example/y" && other.credential?.user == "bob")
        }
    }

    @Test func `a request keeps its credential when its URL changes, tied to its first origin`() throws {
        var request = try Request(to: "http://ada:secret@example.com/a")
        request.url.append(path: "b")
        #expect(request.credential(for: try request.target.origin)?.user == "ada")
        request.url = try #require(URL(string: "http://evil.example/"))
        #expect(request.credential(for: try request.target.origin) == nil)
    }

    @Test func `a redirect leaves out user and password of its target`() throws {
        var request = try Request(to: "http://example.com/a")
        request.credential = Credential(user: "ada", password: "secret")
        request = request.tyingCredential()
        let next = try Redirects.request(after: request, status: 302, location: "http://eve:x@example.com/b")
        #expect(next.url.absoluteString == "http://example.com/b")
        #expect(next.credential(for: try next.target.origin)?.user == "ada")
        let away = try Redirects.request(after: request, status: 307, location: "http://eve:x@evil.example/b")
        #expect(away.credential(for: try away.target.origin) == nil)
    }
}
