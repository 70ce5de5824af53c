import Testing

@testable import Bluebonnet

@Suite struct ContentCodingTests {
    @Test(
        arguments: [
            ("gzip", [.gzip]),
            ("GZip", [.gzip]),
            ("x-gzip", [.gzip]),
            ("deflate", [.deflate]),
            ("identity", []),
            ("", []),
            (" \tgzip ", [.gzip]),
            ("deflate, gzip", [.deflate, .gzip]),
            ("deflate,,identity , gzip,", [.deflate, .gzip]),
            ("gzip, gzip, gzip, gzip, gzip", [.gzip, .gzip, .gzip, .gzip, .gzip]),
        ] as [(String, [ContentCoding.Coding])]
    )
    func `known codings are read in any case and order`(_ value: String, _ codings: [ContentCoding.Coding]) {
        #expect(ContentCoding(contentEncoding: value)?.codings == codings)
    }

    @Test(arguments: ["br", "zstd", "gzip, br", "g zip", "gzip;q=1", "none", "gzip, gzip, gzip, gzip, gzip, gzip"])
    func `what cannot be undone makes no value`(_ value: String) {
        #expect(ContentCoding(contentEncoding: value) == nil)
    }

    @Test func `identity alone leaves nothing to undo`() throws {
        #expect(try #require(ContentCoding(contentEncoding: "identity")).isIdentity)
        #expect(try #require(ContentCoding(contentEncoding: "gzip")).isIdentity == false)
    }
}
