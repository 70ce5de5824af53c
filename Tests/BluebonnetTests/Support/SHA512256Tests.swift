import Testing

@testable import Bluebonnet

/// SHA-512/256 against vectors that OpenSSL made, the first two of which NIST publishes.
struct SHA512256Tests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hasher = SHA512256()
        hasher.update(bytes)
        return hasher.finalized()
    }

    @Test(arguments: [
        ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                + "mnopqrstnopqrstu",
            "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
        ),
    ])
    func `the published vectors have their digests`(text: String, expected: String) {
        #expect(Self.hexadecimal(Self.digest(Array(text.utf8))) == expected)
    }

    @Test func `every length up to three blocks is padded as it must be`() {
        let digests = (0...300).flatMap { length in Self.digest((0..<length).map { UInt8($0 % 251) }) }
        let expected = "a6cdb1c476398628b3625155dc6636bd49b980d4f62840c48aaf112948fb412f"
        #expect(Self.hexadecimal(Self.digest(digests)) == expected)
    }

    @Test(arguments: [1, 7, 127, 128, 129, 300])
    func `pieces of any size have the digest of the whole`(size: Int) {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var hasher = SHA512256()
        var rest = bytes[...]
        while !rest.isEmpty {
            hasher.update(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(hasher.finalized() == Self.digest(bytes))
    }
}
