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
    func `known content codings are read in any case and order`(_ value: String, _ codings: [ContentCoding.Coding])
        throws
    {
        #expect(try ContentCoding(contentEncoding: value)?.codings == codings)
    }

    @Test(arguments: ["compress", "dcb", "dcz", "gzip, exi", "g zip", "gzip;q=1", "none"])
    func `an unknown content coding is not undone`(_ value: String) throws {
        #expect(try ContentCoding(contentEncoding: value) == nil)
    }

    @Test(arguments: [
        "gzip, gzip, gzip, gzip, gzip, gzip", "identity, gzip, deflate, gzip,, deflate, x", "a,b,c,d,e,f,g",
    ])
    func `more than five content codings are an error`(_ value: String) throws {
        let error = #expect(throws: NetworkingError.self) { try ContentCoding(contentEncoding: value) }
        #expect(error?.code == .contentDecodingFailed)
        #expect(error?.message.contains("at most 5 are undone") == true)
    }

    @Test func `Accept-Encoding offers exactly the codings that can be undone`() throws {
        var expected = ["gzip", "deflate"]
        #if Brotli
            expected.append("br")
        #endif
        #if Zstd
            expected.append("zstd")
        #endif
        #expect(ContentCoding.Offer.codings.value == expected.joined(separator: ", "))
        for name in ["br", "zstd"] {
            #expect(try (ContentCoding(contentEncoding: name) != nil) == expected.contains(name))
        }
    }

    @Test func `the content coding identity leaves nothing to undo`() throws {
        #expect(try #require(try ContentCoding(contentEncoding: "identity")).isIdentity)
        #expect(try #require(try ContentCoding(contentEncoding: "gzip")).isIdentity == false)
    }
}
