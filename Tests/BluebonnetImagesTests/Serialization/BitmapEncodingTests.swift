#if Images
    import BluebonnetImages
    import Foundation
    import Testing

    @Suite struct BitmapEncodingTests {
        /// Every color of a range, and every opacity.
        private func gradient() throws -> Bitmap {
            var bitmap = try #require(Bitmap(width: 64, height: 32))
            for y in 0..<32 {
                for x in 0..<64 {
                    bitmap[x, y] = Bitmap.Pixel(
                        red: UInt8(x * 4),
                        green: UInt8(y * 8),
                        blue: UInt8(255 - x),
                        alpha: UInt8(y * 8)
                    )
                }
            }
            return bitmap
        }

        @Test func `PNG keeps every pixel`() throws {
            let bitmap = try gradient()
            #expect(try ImageDecoder().decode(bitmap.pngData()).bitmap == bitmap)
        }

        @Test func `JPEG is drawn on white, and smaller with less quality`() throws {
            let bitmap = try gradient()
            let best = try bitmap.jpegData(quality: 1)
            let decoded = try ImageDecoder().decode(best).bitmap
            // Transparent pixels.
            #expect(decoded[5, 0].red > 245 && decoded[5, 0].green > 245 && decoded[5, 0].blue > 245)
            #expect(abs(Int(decoded[40, 31].red) - 160) < 12)
            #expect(try bitmap.jpegData(quality: 0.1).count < best.count)
            #expect(try bitmap.jpegData(quality: 7) == best)
            #expect(try bitmap.jpegData(quality: .nan) == bitmap.jpegData())
        }

        @Test func `a GdkPixbuf has the same pixels`() throws {
            let bitmap = try gradient()
            let copy = try unsafe bitmap.withUnsafePixbuf { unsafe Bitmap(unsafePixbuf: $0) }
            #expect(copy == bitmap)
        }
    }
#endif
