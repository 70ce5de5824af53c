@testable import LocalServer
import Testing

struct PNGTests {
    /// A file of two by two pixels that Python wrote, with zlib's level 6.
    @Test func `a file has the chunks that another writer makes`() {
        let pixels: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
        let file = PNG.file(width: 2, pixels: pixels)
        #expect(file.map { String($0, radix: 16) }.joined(separator: " ") == Self.expected)
    }

    private static let expected = """
        89 50 4e 47 d a 1a a 0 0 0 d 49 48 44 52 0 0 0 2 0 0 0 2 8 2 0 0 0 fd d4 9a 73 0 0 0 16 49 \
        44 41 54 78 9c 63 fc cf c0 c0 f8 9f 81 91 81 e1 ff ff ff c 0 1f e 4 ff c2 69 d1 7a 0 0 0 0 \
        49 45 4e 44 ae 42 60 82
        """
}
