import Foundation
import Testing

@testable import Bluebonnet

/// The rules of `NO_PROXY`.
struct ProxyExceptionsTests {
    @Test(arguments: [
        ("example.com", "http://example.com/", true),
        ("example.com", "http://EXAMPLE.com./", true),
        ("Example.Com.", "https://www.example.com/", true),
        (".example.com", "http://example.com/", true),
        (".example.com", "http://a.b.example.com/", true),
        ("example.com", "http://badexample.com/", false),
        ("www.example.com", "http://example.com/", false),
        ("a,b c\td", "http://d/", true),
        (" , ,a, ", "http://a/", true),
        ("localhost", "http://127.0.0.1/", false),
        ("*", "http://anything/", true),
        (" * ", "http://10.0.0.1/", true),
        ("*,example.com", "http://other/", false),
        ("*.example.com", "http://www.example.com/", false),
        ("", "http://localhost/", false),
        ("192.0.2.7", "http://192.0.2.7/", true),
        ("192.0.2.7", "http://192.0.2.70/", false),
        ("2.7", "http://192.0.2.7/", false),
        ("127.0.0.1", "http://127.1/", true),
        ("127.0.0.1", "http://127.0.0.1./", true),
        ("127.0.0.0/8", "http://0x7f.0.1/", true),
        ("127.0.0.0/8", "http://0177.1/", true),
        ("127.0.0.0/8", "http://2130706433/", true),
        ("127.1", "http://127.1/", true),
        ("0.0.0.0/0", "http://1.2.3.4.5/", false),
        ("0.0.0.0/0", "http://1.256/", true),
        ("0.0.0.0/0", "http://256.1/", false),
        ("0.0.0.0/0", "http://08/", false),
        ("10.0.0.0/8", "http://10.255.0.1/", true),
        ("10.0.0.0/8", "http://11.0.0.1/", false),
        ("10.1.2.3/8", "http://10.9.9.9/", true),
        ("192.168.1.0/25", "http://192.168.1.127/", true),
        ("192.168.1.0/25", "http://192.168.1.128/", false),
        ("0.0.0.0/0", "http://8.8.8.8/", true),
        ("0.0.0.0/0", "http://[2001:db8::1]/", false),
        ("10.0.0.0/33", "http://10.0.0.0/", false),
        ("10.0.0.0/", "http://10.0.0.0/", false),
        ("10.0.0.0/x", "http://10.0.0.0/", false),
        ("10.0.0.0/-1", "http://10.0.0.0/", false),
        ("::1", "http://[::1]/", true),
        ("[::1]", "http://[0:0:0:0:0:0:0:1]/", true),
        ("2001:db8::/32", "http://[2001:db8:1::9]/", true),
        ("2001:db8::/32", "http://[2001:db9::9]/", false),
        ("fe80::/10", "http://[fe80::1%25eth0]/", true),
        ("::ffff:10.0.0.0/104", "http://10.1.1.1/", true),
        ("10.0.0.0/8", "http://[::ffff:10.1.1.1]/", true),
        ("10.0.0.0/8", "http://10.example/", false),
        ("example.com:8080", "http://example.com:8080/", true),
        ("example.com:8080", "http://www.example.com:8080/", true),
        ("example.com:8080", "http://example.com/", false),
        ("example.com:443", "https://example.com/", true),
        ("[::1]:80", "http://[::1]/", true),
        ("[::1]:81", "http://[::1]/", false),
        ("127.0.0.1:x", "http://127.0.0.1/", false),
        ("http://example.com", "http://example.com/", false),
        ("[::1", "http://[::1]/", false),
        ("*", "http+unix://%2Ftmp%2Fsocket/", false),
    ])
    func `a list excepts the servers that curl excepts`(list: String, url: String, isExcepted: Bool) throws {
        let url = try #require(URL(string: url))
        #expect(ProxyExceptions(list).contains(url) == isExcepted)
    }
}
