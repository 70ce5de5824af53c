#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(1)))
    struct PNGChunkFilterTests {
        /// A chunk whose check sum is not right.
        private func chunk(_ name: String, _ count: Int) -> Data {
            Data([0, 0, UInt8(count >> 8), UInt8(count & 0xFF)]) + Data(name.utf8)
                + Data(repeating: 7, count: count + 4)
        }

        @Test(arguments: [1, 2, 7, 8, 9, 64, 100_000])
        func `only chunks that change pixels are left, whatever the pieces are`(size: Int) {
            let signature = SampleImage.turnedPNG.prefix(8)
            let kept = ["IHDR", "PLTE", "tRNS", "IDAT", "IDAT", "IEND"]
            let dropped = ["zTXt", "iTXt", "tEXt", "iCCP", "eXIf", "sPLT"]
            var (data, expected) = (signature, signature)
            for (number, name) in kept.enumerated() {
                expected += chunk(name, number * 50)
                data += chunk(name, number * 50) + chunk(dropped[number], 300 - number * 60)
            }
            var filter = PNGChunkFilter()
            var result = Data()
            for start in stride(from: 0, to: data.count, by: size) {
                result += filter.take(data[start..<min(start + size, data.count)])
            }
            #expect(result == expected)
        }

        @Test func `a chunk without an end is left out to the end`() {
            var filter = PNGChunkFilter()
            let head = SampleImage.turnedPNG.prefix(8)
            #expect(filter.take(head + [0xFF, 0xFF, 0xFF, 0xFF] + Data("zTXtabc".utf8)) == head)
            #expect(filter.take(Data(count: 1000)).isEmpty)
        }

        @Test func `an image with texts has the same pixels`() throws {
            let png = SampleImage.turnedPNG
            let data = png.prefix(33) + chunk("zTXt", 900) + chunk("iTXt", 900) + png.dropFirst(33)
            #expect(try ImageDecoder().decode(data) == ImageDecoder().decode(png))
        }
    }
#endif
