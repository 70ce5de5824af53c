#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(1)))
    struct BMPGapTests {
        private static let gaps = [1, 2, 4, 10, 54, 1000]

        private func little(_ number: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(number >> (8 * $0) & 0xFF) }
        }

        /// The six pixels of the sample image as numbers of colors, from the lowest row.
        private let indices: [UInt8] = [3, 4, 5, 0, 0, 1, 2, 0]

        private let colors: [[UInt8]] = [
            [0, 0, 255], [0, 255, 0], [255, 0, 0], [255, 255, 255], [0, 0, 0], [128, 128, 128],
        ]

        /// A bitmap whose pixels begin behind a gap, which is not zeros.
        private func bitmap(_ header: [UInt8], gap: Int, _ pixels: [UInt8]) -> Data {
            let place = 14 + header.count + gap
            let count = place + pixels.count
            return Data(Array("BM".utf8) + little(count, 4) + little(0, 4) + little(place, 4) + header)
                + Data(repeating: 0xA5, count: gap) + Data(pixels)
        }

        private func header(depth: Int, compression: Int = 0, colors: Int = 0) -> [UInt8] {
            little(40, 4) + little(3, 4) + little(2, 4) + little(1, 2) + little(depth, 2) + little(compression, 4)
                + little(0, 12) + little(colors, 4) + little(0, 4)
        }

        private func decode(_ data: Data) throws -> Bitmap { try ImageDecoder().decode(data).bitmap }

        private func reason(_ data: Data) -> ImageDecodingError.Reason? {
            do throws(ImageDecodingError) {
                _ = try ImageDecoder().decode(data)
                return nil
            } catch {
                return error.reason
            }
        }

        @Test(arguments: gaps)
        func `a gap before pixels of three bytes is skipped`(gap: Int) throws {
            let pixels = Array(SampleImage.bmp.dropFirst(54))
            #expect(try decode(bitmap(header(depth: 24), gap: gap, pixels)) == decode(SampleImage.bmp))
        }

        @Test(arguments: gaps)
        func `a gap behind a table of colors is skipped`(gap: Int) throws {
            let table = colors.flatMap { (color: [UInt8]) -> [UInt8] in color + [0] }
            let data = bitmap(header(depth: 8, colors: 6) + table, gap: gap, indices)
            #expect(try decode(data) == decode(SampleImage.bmp))
        }

        @Test(arguments: gaps)
        func `a gap behind masks is skipped`(gap: Int) throws {
            let masks = little(0xF800, 4) + little(0x07E0, 4) + little(0x001F, 4)
            let pixels = [0xFFFF, 0, 0x8410, 0, 0xF800, 0x07E0, 0x001F, 0].flatMap { little($0, 2) }
            let whole = try decode(bitmap(header(depth: 16, compression: 3) + masks, gap: 0, pixels))
            #expect(whole[0, 0] == Bitmap.Pixel(red: 255, green: 0, blue: 0))
            let data = bitmap(header(depth: 16, compression: 3, colors: 2) + masks, gap: gap, pixels)
            #expect(try decode(data) == whole)
        }

        @Test func `a table that is shorter than the number of colors has black ones at its end`() throws {
            let header = little(12, 4) + little(3, 2) + little(2, 2) + little(1, 2) + little(8, 2)
            #expect(try decode(bitmap(header + colors.flatMap(\.self), gap: 0, indices)) == decode(SampleImage.bmp))
        }

        @Test func `a table of colors is there although the pixels seem to begin with it`() throws {
            let table = colors.flatMap { (color: [UInt8]) -> [UInt8] in color + [0] }
            var data = bitmap(header(depth: 8, colors: 6) + table, gap: 0, indices)
            data[10] = 54
            #expect(try decode(data) == decode(SampleImage.bmp))
        }

        @Test func `a bitmap that ends in its gap is truncated`() {
            let data = bitmap(header(depth: 24), gap: 100, Array(SampleImage.bmp.dropFirst(54)))
            #expect(reason(data.prefix(80)) == .truncated)
            #expect(reason(data.dropLast(20)) == .truncated)
        }

        @Test func `a place beyond the bytes is truncated, and one within the header is not moved`() throws {
            var data = SampleImage.bmp
            data[13] = 0x7F
            #expect(reason(data) == .truncated)
            data[13] = 0
            data[10] = 10
            #expect(try BMPHeader.withoutGap(ImageBytes(data)) == nil)
        }

        @Test func `the whole is the same when it comes byte by byte`() throws {
            let data = bitmap(header(depth: 24), gap: 10, Array(SampleImage.bmp.dropFirst(54)))
            let decoder = ProgressiveImageDecoder()
            // The loader would take the gap for pixels.
            for byte in data { #expect(try decoder.append(Data([byte])) == nil) }
            #expect(try decoder.finish().bitmap == decode(SampleImage.bmp))
        }
    }
#endif
