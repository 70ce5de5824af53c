#if Images
    import BluebonnetImages
    import Foundation
    import Testing

    /// The command is the helper process here: it is in the folder of the test program.
    @Suite(.timeLimit(.minutes(3)))
    struct ImageHelperProcessTests {
        private func decoder(_ change: (inout ImageHelperProcess) -> Void = { _ in }) -> ImageDecoder {
            var helper = ImageHelperProcess()
            let program = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
            helper.executable = program.deletingLastPathComponent().appending(path: "BluebonnetCommand")
            // Other tests take the processors, too.
            helper.timeLimit = .seconds(60)
            change(&helper)
            var decoder = ImageDecoder()
            decoder.helper = helper
            return decoder
        }

        private func error(_ data: Data, _ decoder: ImageDecoder) -> ImageDecodingError? {
            do throws(ImageDecodingError) {
                _ = try decoder.decode(data)
                return nil
            } catch {
                return error
            }
        }

        @Test(arguments: [
            SampleImage.bmp, SampleImage.animatedGIF, SampleImage.animatedWebP, SampleImage.turnedJPEG,
            SampleImage.avif, SampleImage.turnedTIFF, SampleImage.iconWithPNG, SampleImage.xbm,
        ])
        func `an image of a helper process is the same`(data: Data) throws {
            var decoder = decoder()
            decoder.scale = 3
            var here = decoder
            here.helper = nil
            #expect(try decoder.decode(data) == here.decode(data))
            decoder.targetSize = ImageSize(width: 2, height: 2)
            here.targetSize = ImageSize(width: 2, height: 2)
            #expect(try decoder.decode(data) == here.decode(data))
        }

        @Test func `a drawing is decoded in a helper process by default`() throws {
            let image = try decoder().decode(SampleImage.svg)
            #expect(image.bitmap[29, 19] == Bitmap.Pixel(red: 255, green: 0, blue: 0))
        }

        @Test func `errors are those of the loader`() {
            #expect(error(SampleImage.gif.prefix(50), decoder())?.reason == .truncated)
            #expect(error(SampleImage.avif.prefix(400), decoder())?.reason == .malformed)
            #expect(error(Data("text".utf8), decoder())?.reason == .unknownFormat)
            #expect(error(SampleImage.svg.dropLast(10), decoder())?.reason == .malformed)
        }

        @Test func `a drawing that never ends is stopped`() {
            let error = error(Bomb.svgPatterns, decoder { $0.timeLimit = .milliseconds(400) })
            #expect(error?.reason == .helperStopped)
            #expect(error?.format == .svg)
        }

        @Test func `memory has a limit`() {
            let large = Data(
                "<svg xmlns='http://www.w3.org/2000/svg' width='9000' height='9000'><rect width='9' height='9'/></svg>"
                    .utf8
            )
            let error = error(large, decoder { $0.maximumMemory = 32 << 20 })
            #expect(error != nil)
        }

        @Test(arguments: [Bomb.png, Bomb.bmp, Bomb.gif(frames: 5000), Bomb.gifFrame, Bomb.svgSize, Bomb.svgWithPNG])
        func `a bomb is an error`(data: Data) {
            let error = error(data, decoder { $0.timeLimit = .seconds(20) })
            // The picture in a drawing is left out, or ends the process.
            if data != Bomb.svgWithPNG { #expect(error != nil) }
            if ImageFormat(of: data) != .svg {
                #expect(error?.reason == .tooManyPixels || error?.reason == .tooManyFrames)
            }
        }

        @Test(arguments: ["/bin/true", "/bin/false", "/nonexistent/program"])
        func `an executable that is not a helper process is an error`(path: String) {
            let error = error(SampleImage.gif, decoder { $0.executable = URL(filePath: path) })
            #expect(error?.reason == .helperFailed)
        }

        @Test func `odd settings do not harm`() throws {
            var decoder = decoder { $0.timeLimit = .seconds(Int64.max) }
            decoder.scale = .infinity
            decoder.limits.maximumFrameCount = 0
            #expect(try decoder.decode(SampleImage.turnedJPEG).scale == 1)
            decoder.helper?.maximumMemory = .max
            decoder.scale = .nan
            #expect(try decoder.decode(SampleImage.gif).scale == 1)
        }

        /// The greatest size that the header can have.
        @Test func `limits that are none do not overflow`() {
            var bomb = Bomb.bmp
            for place in [18, 22] { bomb.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0x7F]) }
            var decoder = decoder()
            decoder.limits.maximumPixelCount = .max
            decoder.limits.maximumTotalPixelCount = .max
            #expect(error(bomb, decoder) != nil)
        }

        @Test func `a program that does not serve is not started again`() {
            #expect(error(SampleImage.gif, decoder { $0.executable = nil })?.reason == .helperFailed)
        }
    }
#endif
