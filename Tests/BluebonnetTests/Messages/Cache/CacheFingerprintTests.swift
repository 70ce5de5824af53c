import Foundation
import Testing

@testable import Bluebonnet

/// Numbers for the keys of stored responses.
struct CacheFingerprintTests {
    private static let urls = [
        "http://x.test", "http://x.test/", "https://x.test/a?b=c", "http://X.test:8080/a", "https://x.test:443/",
        "http://[::1]:81/%C3%A4?q", "https://192.0.2.1/long/path/with/many/members?and=a&query=of&its=own#fragment",
    ]

    @Test(arguments: urls)
    func `a request has the fingerprint of its key`(_ url: String) throws {
        let request = try Request(to: url)
        let key = try request.cacheKey
        #expect(try CacheFingerprint(request.target) == CacheFingerprint(key))
        #expect(try CacheFingerprint.isKey(key, of: request.target))
    }

    @Test func `other keys are not those of a request`() throws {
        let target = try Request(to: "http://x.test/a").target
        let keys = [
            "http://x.test:80/", "http://x.test:80/ab", "https://x.test:80/a", "http://y.test:80/a", "", "http://",
        ]
        for key in keys {
            #expect(!CacheFingerprint.isKey(key, of: target))
            #expect(CacheFingerprint(target) != CacheFingerprint(key))
        }
        // The key of a request with a Host of its own.
        #expect(!CacheFingerprint.isKey("http://x.test:80/a y.test", of: target))
    }

    @Test func `a socket has none`() throws {
        #expect(try CacheFingerprint(Request(to: "http+unix://%2Ftmp%2Fx/a").target) == nil)
    }

    @Test func `it is FNV-1a, as other processes count it`() {
        #expect(CacheFingerprint("").value == 0xCBF2_9CE4_8422_2325)
        #expect(CacheFingerprint("foobar").value == 0x8594_4171_F739_67E8)
    }
}
