import Bluebonnet
import FoundationEssentials
import HTTPTypes
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
        #expect(try Credentials.take(from: &text) == .basic(user: [0xFF], password: [0x80]))
    }

    @Test func `a user name may begin with a combining character`() throws {
        var text = "http://\u{301}u:p@\u{301}.example/"
        #expect(try Credentials.take(from: &text) == .basic(user: [0xCC, 0x81, 0x75], password: [0x70]))
        #expect(text.unicodeScalars.elementsEqual("http://\u{301}.example/".unicodeScalars))
    }

    @Test func `a URL is shown without its credentials`() throws {
        let url = try #require(URL(string: "http://u:p@example.org/a?b#c"))
        #expect(Credentials.removed(from: url) == "http://example.org/a?b#c")
    }

    @Test func `user and password are sent at once, or by Digest alone, and a token is a field`() throws {
        let basic = try Credentials.basic(checking: Array("u".utf8), password: Array("p".utf8))
        var request = Request(url: URL(filePath: "/"))
        basic.put(into: &request)
        #expect(request.credential?.user == "u" && request.credential?.password == "p")
        #expect(request.credential?.isPreemptive == true && request.credential?.schemes == nil)
        basic.put(into: &request, usesDigest: true)
        #expect(request.credential?.isPreemptive == false && request.credential?.schemes == [.digest])
        try Credentials.bearer(checking: "abc").put(into: &request)
        #expect(request.headerFields[.authorization] == "Bearer abc")
        request.credential = nil
        basic.put(into: &request)
        #expect(request.credential == nil)
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
