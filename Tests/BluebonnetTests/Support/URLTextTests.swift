import Testing

@testable import Bluebonnet

@Suite struct URLTextTests {
    @Test(arguments: [
        ("http://h/a%20b?c=d#e", "http://h/a%20b?c=d#e"), ("http://h/é%20b", "http://h/%C3%A9%20b"),
        ("http://h/?a[]=%20{}|", "http://h/?a%5B%5D=%20%7B%7D%7C"), ("http://h/50%?b=%4", "http://h/50%25?b=%254"),
        ("http://h/%zz%41%", "http://h/%25zz%41%25"), ("http://h/#a#b", "http://h/#a%23b"),
        ("http://[::1]:80/[", "http://[::1]:80/%5B"), ("//[::1]/ ", "//[::1]/%20"), ("http://[::1]", "http://[::1]"),
        ("a b/c:d@e", "a%20b/c:d@e"), ("?é", "?%C3%A9"), ("#é", "#%C3%A9"), ("", ""), ("/a//b c", "/a//b%20c"),
        ("http+unix://%2Ftmp%2Fs/x y", "http+unix://%2Ftmp%2Fs/x%20y"),
    ])
    func `what no URL can have is encoded, and what is encoded is not encoded again`(text: String, expected: String) {
        #expect(URLText.encoded(text) == expected)
        #expect(URLText.encoded(expected) == expected)
    }
}
