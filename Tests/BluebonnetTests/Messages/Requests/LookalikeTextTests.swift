import Testing

@testable import Bluebonnet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Texts that Swift calls equal, because they look alike, and that are other bytes.
struct LookalikeTextTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test func `a path is not taken for another one that only looks like it`() throws {
        let base = BaseURL(URL(string: "http://x/v1/"))
        #expect(try base.resolved(composed).url.absoluteString == "http://x/v1/caf%C3%A9")
        #expect(try base.resolved(decomposed).url.absoluteString == "http://x/v1/cafe%CC%81")
    }

    @Test func `two sockets whose paths look alike are two origins`() {
        let one = Origin(isSecure: false, endpoint: .unixSocket(Origin.SocketPath("/tmp/\(composed)")))
        let other = Origin(isSecure: false, endpoint: .unixSocket(Origin.SocketPath("/tmp/\(decomposed)")))
        #expect(one != other)
    }
}
