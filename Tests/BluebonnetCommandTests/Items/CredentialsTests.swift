import FoundationEssentials
import Testing

@testable import BluebonnetCommand

@Suite struct CredentialsTests {
    @Test(arguments: [
        ("http://u:p@a/x", "http://a/x", "u", "p"),
        ("http://u@a", "http://a", "u", ""),
        ("http://:p@a", "http://a", "", "p"),
        ("http://u:p:q@a?b=c@d", "http://a?b=c@d", "u", "p:q"),
        ("https://u:p@ss@[::1]:8080/", "https://[::1]:8080/", "u", "p@ss"),
        ("http://a%40b:%2F%C3%A9@c", "http://c", "a@b", "/é"),
        ("http://u:100%@a", "http://a", "u", "100%"),
        ("http://u:%zz%4@a", "http://a", "u", "%zz%4"),
        ("http+unix://u:p@%2Ftmp%2Fs/x", "http+unix://%2Ftmp%2Fs/x", "u", "p"),
    ])
    func `user and password are taken out of a URL`(url: String, rest: String, user: String, password: String) throws {
        var text = url
        #expect(try Credentials.take(from: &text) == .basic(user: Array(user.utf8), password: Array(password.utf8)))
        #expect(text == rest)
    }

    @Test(arguments: [
        ("http://a/u:p@b", "http://a/u:p@b"), ("http://a?u:p@b", "http://a?u:p@b"),
        ("http://a#u:p@b", "http://a#u:p@b"),
        ("http://@a", "http://a"), ("http://:@a", "http://a"), ("a", "a"),
    ])
    func `a URL without user and password has no credentials`(url: String, rest: String) throws {
        var text = url
        #expect(try Credentials.take(from: &text) == nil)
        #expect(text == rest)
    }

    @Test func `credentials that are not UTF-8 are sent unchanged`() throws {
        var text = "http://%FF:%00%80@a"
        #expect(throws: CommandFailure.self) { try Credentials.take(from: &text) }
        text = "http://%FF:%80@a"
        #expect(try Credentials.take(from: &text)?.field == "Basic /zqA")
    }

    @Test func `a user name may begin with a combining character`() throws {
        var text = "http://\u{301}u:p@\u{301}.example/"
        #expect(try Credentials.take(from: &text)?.field == "Basic zIF1OnA=")
        #expect(text.unicodeScalars.elementsEqual("http://\u{301}.example/".unicodeScalars))
    }

    @Test func `a URL is shown without its credentials`() throws {
        let url = try #require(URL(string: "http://u:p@example.org/a?b#c"))
        #expect(Credentials.removed(from: url) == "http://example.org/a?b#c")
    }

    @Test func `Basic credentials are Base64 of UTF-8`() throws {
        // The second one is the example of RFC 7617 §2.1.
        #expect(try Credentials.basic(checking: Array("u".utf8), password: Array("p".utf8)).field == "Basic dTpw")
        #expect(
            try Credentials.basic(checking: Array("test".utf8), password: Array("123£".utf8)).field
                == "Basic dGVzdDoxMjPCow=="
        )
        #expect(try Credentials.bearer(checking: "abc").field == "Bearer abc")
    }

    @Test(arguments: [("a:b", "secret"), ("a", "sec\nret"), ("\u{7F}secret", "")])
    func `credentials that cannot be sent are refused without being shown`(user: String, password: String) {
        let error = #expect(throws: CommandFailure.self) {
            try Credentials.basic(checking: Array(user.utf8), password: Array(password.utf8))
        }
        #expect(error?.message.contains("sec") == false)
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "é"])
    func `a bearer token is visible ASCII`(token: String) {
        #expect(throws: CommandFailure.self) { try Credentials.bearer(checking: token) }
    }
}
