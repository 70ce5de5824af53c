#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    struct GIFFirstFrameTests {
        private static let head = Array("GIF89a".utf8) + [10, 0, 10, 0, 0x80, 0, 0] + [UInt8](repeating: 7, count: 6)
        private static let comment: [UInt8] = [0x21, 0xFE, 3, 1, 2, 3, 1, 0, 0]
        /// With a table of four colors of its own.
        private static let frame: [UInt8] =
            [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x81] + [UInt8](repeating: 9, count: 12) + [2, 2, 0x44, 1, 0]

        /// The end that is found when the bytes come in pieces.
        private func end(_ bytes: [UInt8], pieces: Int) throws -> Int? {
            var frame = GIFFirstFrame()
            for count in stride(from: 0, through: bytes.count, by: pieces) {
                try frame.read(ImageBytes(Data(bytes.prefix(count))))
            }
            return frame.end
        }

        @Test(arguments: [1, 2, 7, 1000])
        func `its end is found in pieces of any size`(pieces: Int) throws {
            let first = Self.head + Self.comment + Self.frame
            let bytes = first + Self.comment + Self.frame + [0x3B]
            let padded = bytes + [UInt8](repeating: 0, count: 1000)
            #expect(try end(padded, pieces: pieces) == first.count)
            #expect(try end(first, pieces: 1) == first.count)
            #expect(try end(first.dropLast(), pieces: 1) == nil)
        }

        @Test func `without a frame, the end is the first block that is not known`() throws {
            #expect(try end(Self.head + Self.comment + [0x3B], pieces: 1) == Self.head.count + Self.comment.count)
            #expect(try end([], pieces: 1) == nil)
        }

        @Test func `a block of very many short parts is an error`() {
            let bytes = Self.head + Self.frame.dropLast(3) + [UInt8](repeating: 1, count: 100_000)
            #expect(throws: ImageFault.self) { try end(bytes, pieces: 50_000) }
        }
    }
#endif
