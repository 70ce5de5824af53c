import Testing

@testable import Bluebonnet

/// What a session learns about the versions that origins speak, as values.
@Suite struct KnownVersionsTests {
    private let origin = Origin(isSecure: true, endpoint: .host("example.com", port: 443))

    private func capacity(_ known: KnownVersions, _ versions: HTTPVersionPolicy = .automatic) -> Int {
        known.expectedCapacity(along: Route(directTo: origin, versions: versions))
    }

    @Test func `one connection is expected to do where HTTP/2 was spoken`() {
        var known = KnownVersions()
        #expect(capacity(known) == 1)
        known.note(http2: origin)
        #expect(capacity(known) == 100)
        #expect(capacity(known, .http1_1) == 1)
    }

    @Test func `one connection is expected to do where nothing but HTTP/2 is spoken`() {
        #expect(capacity(KnownVersions(), .http2) == 100)
        #expect(capacity(KnownVersions(), .http2PriorKnowledge) == 100)
    }

    @Test func `an origin that wants HTTP/1.1 is remembered`() {
        var known = KnownVersions()
        #expect(!known.isHTTP1(origin))
        known.note(http1: origin)
        #expect(known.isHTTP1(origin))
    }

    @Test func `what is remembered is bounded`() {
        var known = KnownVersions()
        for port in 0...KnownVersions.most {
            known.note(http2: Origin(isSecure: true, endpoint: .host("a", port: port)))
        }
        #expect(capacity(known) == 1)
        known.note(http2: origin)
        #expect(capacity(known) == 100)
    }

    @Test func `a new connection begins with no more streams than the origin allowed before`() {
        var versions = KnownVersions()
        #expect(versions.streams(to: origin, atMost: 100) == 100)
        for (limit, expected) in [(10, 10), (0, 1), (1000, 100)] {
            versions.note(streams: limit, to: origin)
            #expect(versions.streams(to: origin, atMost: 100) == expected)
        }
    }
}
