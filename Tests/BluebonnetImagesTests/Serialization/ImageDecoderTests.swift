#if Images
    import Bluebonnet
    import BluebonnetImages
    import Foundation
    import Testing

    @Suite(.timeLimit(.minutes(2)))
    struct ImageDecoderTests {
        /// The pixels of the sample images, row by row.
        private static let pixels: [[Bitmap.Pixel]] = [
            [
                .init(red: 255, green: 0, blue: 0), .init(red: 0, green: 255, blue: 0),
                .init(red: 0, green: 0, blue: 255),
            ],
            [
                .init(red: 255, green: 255, blue: 255), .init(red: 0, green: 0, blue: 0),
                .init(red: 128, green: 128, blue: 128),
            ],
        ]

        private func rows(_ bitmap: Bitmap) -> [[Bitmap.Pixel]] {
            (0..<bitmap.height).map { y in (0..<bitmap.width).map { x in bitmap[x, y] } }
        }

        private func error(_ data: Data, _ change: (inout ImageDecoder) -> Void = { _ in }) -> ImageDecodingError? {
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all
            change(&decoder)
            do throws(ImageDecodingError) {
                _ = try decoder.decode(data)
                return nil
            } catch {
                return error
            }
        }

        private static let whole = [
            SampleImage.bmp, SampleImage.gif, SampleImage.tiff, SampleImage.webp, SampleImage.ppm,
        ]

        @Test(arguments: whole)
        func `each pixel is decoded to its color`(data: Data) throws {
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all
            let image = try decoder.decode(data)
            #expect(rows(image.bitmap) == Self.pixels)
            #expect(!image.isAnimated)
            #expect(image.metadata.originalWidth == 3)
            #expect(image.metadata.format == ImageFormat(of: data))
        }

        @Test(arguments: [SampleImage.turnedPNG, SampleImage.turnedWebP, SampleImage.turnedTIFF])
        func `the orientation is applied, unless it is not wanted`(data: Data) throws {
            let image = try ImageDecoder().decode(data)
            #expect(rows(image.bitmap) == (0..<3).map { x in [Self.pixels[1][x], Self.pixels[0][x]] })
            #expect(image.metadata.orientation == .right)
            #expect(image.metadata.originalWidth == 3)
            guard image.metadata.format != .tiff else { return }
            var decoder = ImageDecoder()
            decoder.appliesOrientation = false
            #expect(try rows(decoder.decode(data).bitmap) == Self.pixels)
        }

        @Test func `a photograph is turned and made smaller at the same time`() throws {
            var decoder = ImageDecoder()
            let whole = try decoder.decode(SampleImage.turnedJPEG)
            #expect(whole.width == 16)
            #expect(whole.height == 24)
            decoder.targetSize = ImageSize(width: 100, height: 6)
            let small = try decoder.decode(SampleImage.turnedJPEG)
            #expect(small.width == 4)
            #expect(small.height == 6)
            // The first pixel was the lower left one: white.
            #expect(small.bitmap[0, 0].red > 200 && small.bitmap[0, 0].green > 200 && small.bitmap[0, 0].blue > 200)
            #expect(small.bitmap[3, 5].blue > 200 && small.bitmap[3, 5].red < 60)
            #expect(small.metadata.originalWidth == 24)
        }

        @Test(arguments: [SampleImage.progressiveJPEG, SampleImage.avif, SampleImage.iconWithPNG])
        func `no image is made larger`(data: Data) throws {
            var decoder = ImageDecoder()
            let whole = try decoder.decode(data)
            decoder.targetSize = ImageSize(width: 500, height: 500)
            #expect(try decoder.decode(data) == whole)
            decoder.targetSize = ImageSize(width: 500, height: 4)
            let small = try decoder.decode(data)
            #expect(small.height == 4)
            #expect(small.width == whole.width * 4 / whole.height)
        }

        @Test(arguments: [SampleImage.animatedGIF, SampleImage.animatedWebP])
        func `an animation has whole frames and their delays`(data: Data) throws {
            var decoder = ImageDecoder()
            decoder.scale = 2
            let image = try decoder.decode(data)
            #expect(image.frames.map(\.delay) == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
            let colors = image.frames.map { $0.bitmap[3, 3] }
            #expect(colors == Self.pixels[0])
            #expect(image.scale == 2)
            #expect(image.byteCount == 3 * 4 * 4 * 4)
            #expect(image.metadata.loopCount == (image.metadata.format == .gif ? 3 : 0))
            decoder.targetSize = ImageSize(width: 2, height: 2)
            #expect(try decoder.decode(data).frames.map { $0.bitmap[1, 1] } == Self.pixels[0])
            decoder.decodesAnimations = false
            let still = try decoder.decode(data)
            #expect(!still.isAnimated)
            #expect(still.bitmap[0, 0] == Self.pixels[0][0])
        }

        /// The loader of the system has no other.
        @Test func `the first frame of an animated PNG is decoded`() throws {
            #expect(try ImageInformation(of: SampleImage.animatedPNG).frameCount == 3)
            let image = try ImageDecoder().decode(SampleImage.animatedPNG)
            #expect(!image.isAnimated && image.metadata.loopCount == 1)
            #expect(image.bitmap[3, 3] == Self.pixels[0][0])
        }

        @Test(arguments: [SampleImage.iconWithBitmap, SampleImage.iconWithPNG])
        func `the largest image of an icon is decoded`(data: Data) throws {
            let image = try ImageDecoder().decode(data)
            #expect(image.metadata.format == .ico)
            #expect(image.width == image.metadata.originalWidth)
            #expect(image.bitmap[0, 0] == Self.pixels[0][0])
        }

        @Test func `a bit of an X bitmap that is set is black`() throws {
            let image = try ImageDecoder().decode(SampleImage.xbm)
            #expect(rows(image.bitmap).map { $0.map(\.red) } == [[0, 255, 0], [255, 0, 255]])
        }

        @Test func `a drawing is only decoded where it is asked for`() throws {
            #expect(error(SampleImage.svg) { $0.formats = nil }?.reason == .formatNotAllowed)
            var decoder = ImageDecoder()
            decoder.formats = [.svg]
            let image = try decoder.decode(SampleImage.svg)
            #expect(image.width == 30)
            #expect(image.bitmap[29, 19] == Self.pixels[0][0])
            decoder.targetSize = ImageSize(width: 60, height: 60)
            #expect(try decoder.decode(SampleImage.svg).height == 40)
        }

        // MARK: Errors

        @Test func `a format that is not allowed is an error`() {
            let error = error(SampleImage.gif) { $0.formats = [.png] }
            #expect(error?.reason == .formatNotAllowed)
            #expect(error?.format == .gif)
        }

        @Test func `each limit has its error`() {
            let pixels: (inout ImageDecoder) -> Void = { $0.limits.maximumPixelCount = 5 }
            for image in Self.whole + [SampleImage.avif, SampleImage.turnedJPEG, SampleImage.iconWithPNG] {
                #expect(error(image, pixels)?.reason == .tooManyPixels)
            }
            #expect(error(SampleImage.svg) { $0.limits.maximumPixelCount = 599 }?.reason == .tooManyPixels)
            #expect(error(SampleImage.gif) { $0.limits.maximumByteCount = 20 }?.reason == .tooManyBytes)
            for image in [SampleImage.animatedGIF, SampleImage.animatedWebP] {
                #expect(error(image) { $0.limits.maximumFrameCount = 2 }?.reason == .tooManyFrames)
                #expect(error(image) { $0.limits.maximumTotalPixelCount = 47 }?.reason == .tooManyPixels)
                #expect(error(image) { $0.limits.maximumTotalPixelCount = 48 } == nil)
            }
        }

        @Test func `an image whose end is missing is an error`() {
            let images =
                Self.whole + [
                    SampleImage.avif, SampleImage.turnedJPEG, SampleImage.progressiveJPEG, SampleImage.turnedPNG,
                    SampleImage.animatedGIF, SampleImage.animatedWebP, SampleImage.iconWithBitmap,
                    SampleImage.xbm, SampleImage.turnedTIFF,
                ]
            for image in images where ImageFormat(of: image) != .pnm {
                for count in stride(from: 0, to: image.count - 12, by: 1 + image.count / 40) {
                    #expect(error(image.prefix(count)) != nil, "\(count) of \(image.count) bytes")
                }
            }
        }

        @Test func `bytes that are not an image have a reason`() {
            #expect(error(Data())?.reason == .unknownFormat)
            #expect(error(Data("<html>".utf8))?.reason == .unknownFormat)
            var damaged = SampleImage.turnedPNG
            damaged[damaged.count - 30] ^= 0xFF
            #expect(error(damaged)?.reason == .malformed)
        }

        // MARK: Threads

        @Test func `many images are decoded at once`() async throws {
            try await withThrowingTaskGroup(of: Image.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await ImageDecoder().image(from: SampleImage.turnedJPEG) }
                }
                let first = try ImageDecoder().decode(SampleImage.turnedJPEG)
                for try await image in group { #expect(image == first) }
            }
        }

        @Test func `a cancelled task gets no image`() async {
            let decoding = Task { () -> ImageDecodingError.Reason? in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                do throws(ImageDecodingError) {
                    _ = try await ImageDecoder().image(from: SampleImage.gif)
                    return nil
                } catch {
                    return error.reason
                }
            }
            #expect(await decoding.value == .cancelled)
        }
    }
#endif
