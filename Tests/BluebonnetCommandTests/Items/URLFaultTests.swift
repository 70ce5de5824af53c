import Testing

@testable import BluebonnetCommand

@Suite struct URLFaultTests {
    @Test(arguments: [
        ("http://localhost:80a/get", "“80a” is not a port, which is a number up to 65535."),
        ("http://localhost:65536/", "“65536” is not a port, which is a number up to 65535."),
        ("http://[::1]:x/", "“x” is not a port, which is a number up to 65535."),
        (
            "http://https:/localhost:8192/get",
            "“https:/localhost:8192/get” lacks a slash: write https://localhost:8192/get."
        ),
        ("http://https:localhost/a", "“https:localhost/a” lacks two slashes: write https://localhost/a."),
        ("http://HTTP:a.b:80/", "“HTTP:a.b:80/” lacks two slashes: write http://a.b:80/."),
        ("htps://a/", "The scheme “htps” is not supported; did you mean “https”?"),
        ("http://", "The URL has no host: write example.org, or :8080 for a port of localhost."),
        ("http:///a/b", "“/a/b” has no host: write example.org/a/b, or :/a/b for localhost."),
        ("http://8080/get", "“8080/get” has no host: write :8080/get for a port of localhost."),
        (
            "http://exämple.org/",
            "“exämple.org” has characters that are not ASCII; write the ASCII form of the name, which begins with xn--."
        ),
        ("http://“a”/", "““a”/” begins with a quotation mark, which is not a part of a URL."),
        ("http://http//example.org/a", "“http//example.org/a” lacks a colon: write http://example.org/a."),
        ("http://./a.txt", "“./a.txt” is the path of a file, and not a URL."),
        ("http://'http://a/'", "“'http://a/'” begins with a quotation mark, which is not a part of a URL."),
        (
            "http://::1/",
            "“::1” has too many colons: an IPv6 address is written in brackets, as in http://[::1]:8080/."
        ),
        (
            "http://localhost:80:80/",
            "“localhost:80:80” has too many colons: an IPv6 address is written in brackets, as in http://[::1]:8080/."
        ),
        ("http://[::1/", "“[::1” lacks a bracket: an IPv6 address is written in brackets, as in http://[::1]:8080/."),
        ("http://exa mple.org/", "“exa mple.org” is not the name of a host: it has a space."),
        ("http://u:secret@a:b/", "The URL is not valid. In a password, write / as %2F, ? as %3F and # as %23."),
    ])
    func `the fault of a URL names its part`(url: String, sentence: String) {
        #expect(URLFault.text(for: url, isRefused: true) == sentence)
    }

    @Test(arguments: [
        "http://localhost/", "http://localhost:/", "http://localhost:65535", "http://[::1]:80/", "http://u:x@host/",
        "http://example.org/a:b", "http://0/", "http://0:8080/", "http://70000/", "http://127.1/",
        "http+unix://%2Ftmp%2Fs/x",
        "ftp://a/", "ws://a/", "file:///etc/passwd", "http://https:8080/",
    ])
    func `a good URL has no fault`(url: String) {
        #expect(URLFault.text(for: url, isRefused: false) == nil)
    }
}
