#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    /// Needs `libjxl-gdk-pixbuf`, which not every system has.
    @Suite(
        .timeLimit(.minutes(1)),
        .enabled(if: ImageLoaders.available.contains(.jpegXL), "gdk-pixbuf has no loader for JPEG XL here")
    )
    struct JPEGXLTests {
        private func decoded(_ data: Data) throws -> Image {
            var decoder = ImageDecoder()
            decoder.formats = [.jpegXL]
            return try decoder.decode(data)
        }

        @Test func `each pixel is decoded to its color`() throws {
            let image = try decoded(SampleImage.jpegXL)
            let other = try ImageDecoder().decode(SampleImage.bmp)
            #expect(image.bitmap == other.bitmap)
            #expect(image.metadata.format == .jpegXL && image.metadata.originalWidth == 3)
        }

        @Test func `the first frame of an animation is decoded`() throws {
            let image = try decoded(SampleImage.animatedJPEGXL)
            #expect(!image.isAnimated)
            #expect(image.bitmap[3, 3] == Bitmap.Pixel(red: 255, green: 0, blue: 0))
        }

        /// The loader takes it for a whole one.
        @Test func `an image whose end is missing is an error`() {
            for count in 0..<SampleImage.jpegXL.count - 1 {
                #expect(throws: ImageDecodingError.self, "\(count) bytes") {
                    _ = try decoded(SampleImage.jpegXL.prefix(count))
                }
            }
        }
    }
#endif
