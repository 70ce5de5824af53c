import Testing

@testable import Bluebonnet

/// The Huffman code of RFC 7541 Appendix B.
@Suite struct HPACKHuffmanTests {
    private func encoded(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        HPACK.Huffman.shared.encode(text.span) { bytes.append($0) }
        return bytes
    }

    private func decoded(_ text: [UInt8]) throws(HTTP2Fault) -> [UInt8] {
        var bytes: [UInt8] = []
        try HPACK.Huffman.shared.decode(text.span, to: &bytes)
        return bytes
    }

    @Test func `every byte has a code, alone and between others`() throws {
        for byte in UInt8.min...UInt8.max {
            for text in [[byte], [97, byte], [byte, 97], [byte, byte, byte, byte, byte, byte, byte, byte, byte]] {
                let encoded = encoded(text)
                #expect(HPACK.Huffman.shared.encodedLength(text.span) == encoded.count)
                #expect(try decoded(encoded) == text)
            }
        }
    }

    @Test func `the texts of Appendix C have their codes`() {
        #expect(
            encoded(Array("Mon, 21 Oct 2013 20:13:21 GMT".utf8))
                == hexBytes(
                    "d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff"
                )
        )
        #expect(
            encoded(Array("https://www.example.com".utf8)) == hexBytes("9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3")
        )
    }

    @Test func `no text has no code`() throws {
        #expect(encoded([]) == [])
        #expect(try decoded([]) == [])
    }
}
