#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    /// Files that claim what they are not, and settings with odd values.
    @Suite(.timeLimit(.minutes(2)))
    struct HostileImageTests {
        private func little(_ number: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(number >> (8 * $0) & 0xFF) }
        }

        private func reason(
            _ data: Data,
            _ change: (inout ImageDecoder) -> Void = { _ in }
        ) -> ImageDecodingError.Reason? {
            var decoder = ImageDecoder()
            decoder.formats = ImageFormat.all
            change(&decoder)
            do throws(ImageDecodingError) {
                _ = try decoder.decode(data)
                return nil
            } catch {
                return error.reason
            }
        }

        @Test func `an icon with a PNG of more pixels than can be counted is an error`() {
            var png = Bomb.png
            for place in 16..<24 { png[place] = 0xFF }
            let line = [0, 0, 0, 0, 1, 0, 32, 0] + little(png.count, 4) + little(22, 4)
            #expect(reason(Data([0, 0, 1, 0, 1, 0] + line) + png) == .tooManyPixels)
        }

        /// The loader takes the last size before the bits.
        @Test func `an X bitmap with several sizes is malformed`() {
            let text = String(decoding: SampleImage.xbm, as: UTF8.self)
            for more in ["#define b_width 30000\n", "#define height 30000\n", "#define b_width 3;\n"] {
                let data = Data(text.replacing("static char", with: more + "static char").utf8)
                #expect(reason(data) == .malformed)
            }
            // What is not a size may be there.
            let data = Data(text.replacing("static char", with: "#define b_x_hot 1\nstatic char").utf8)
            #expect(reason(data) == nil)
        }

        private func tiff(_ entries: [(tag: Int, kind: Int, value: Int)]) -> Data {
            let lines = entries.flatMap { little($0.tag, 2) + little($0.kind, 2) + little(1, 4) + little($0.value, 4) }
            return Data(Array("II".utf8) + little(42, 2) + little(8, 4) + little(entries.count, 2) + lines)
        }

        @Test(arguments: [3, 4, 8, 9])
        func `a TIFF whose tile or strip is too large is an error`(kind: Int) {
            let size = [(tag: 256, kind: 4, value: 16), (tag: 257, kind: 4, value: 16)]
            let tile = [(tag: 322, kind: kind, value: 30_000), (tag: 323, kind: kind, value: 30_000)]
            #expect(reason(tiff(size + tile)) == .tooManyPixels)
            let large = [(tag: 256, kind: 4, value: 3000), (tag: 257, kind: 4, value: 3000)]
            #expect(reason(tiff(large + [(tag: 277, kind: kind, value: 30_000)])) == .tooManyPixels)
        }

        @Test func `an animation that is made small has a limit of what is computed`() {
            let reason = reason(Bomb.gif(frames: 100)) {
                $0.limits.maximumTotalPixelCount = 1_000_000
                $0.targetSize = ImageSize(width: 10, height: 10)
            }
            #expect(reason == .tooManyPixels)
        }

        @Test func `frames that are larger than their image have a limit together`() {
            var data = Data(Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
            let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 0xE8, 3, 0xE8, 3, 0, 2, 2, 0x44, 1, 0]
            for _ in 0..<30 { data += frame }
            #expect(reason(data + [0x3B]) { $0.limits.maximumTotalPixelCount = 1_000_000 } == .tooManyPixels)
        }

        @Test(arguments: [Int.min, -1, 0])
        func `limits of nothing allow no pixel and no byte`(limit: Int) {
            #expect(reason(SampleImage.gif) { $0.limits.maximumPixelCount = limit } == .tooManyPixels)
            #expect(reason(SampleImage.turnedJPEG) { $0.limits.maximumPixelCount = limit } == .tooManyPixels)
            #expect(reason(SampleImage.gif) { $0.limits.maximumByteCount = limit } == .tooManyBytes)
            #expect(reason(SampleImage.animatedGIF) { $0.limits.maximumFrameCount = limit } == .tooManyFrames)
            #expect(reason(SampleImage.animatedGIF) { $0.limits.maximumTotalPixelCount = limit } == .tooManyPixels)
        }

        @Test(arguments: [Int.min, -1, 0, 1])
        func `a target size below a pixel is one pixel`(side: Int) throws {
            var decoder = ImageDecoder()
            decoder.targetSize = ImageSize(width: side, height: side)
            for data in [SampleImage.turnedJPEG, SampleImage.gif, SampleImage.animatedWebP] {
                #expect(try decoder.decode(data).width == 1)
            }
            decoder.targetSize = ImageSize(width: .max, height: .max)
            #expect(try decoder.decode(SampleImage.turnedJPEG).width == 16)
        }

        /// Each look at the beginning goes on to the end of the bytes.
        @Test func `a header that never ends costs no more for many pieces`() throws {
            let decoder = ProgressiveImageDecoder()
            #expect(try decoder.append(Data([0xFF, 0xD8, 0xFF, 0])) == nil)
            for _ in 0..<16_384 { #expect(try decoder.append(Data(count: 64)) == nil) }
            #expect {
                _ = try decoder.finish()
            } throws: { error in
                (error as? ImageDecodingError)?.reason == .truncated
            }
        }

        @Test func `no bytes are kept behind the limit`() throws {
            var decoder = ImageDecoder()
            decoder.limits.maximumByteCount = 10
            let progressive = ProgressiveImageDecoder(decoder)
            _ = try progressive.append(Data(count: 10))
            for _ in 0..<3 {
                #expect {
                    _ = try progressive.append(Data(count: 10))
                } throws: { error in
                    (error as? ImageDecodingError)?.reason == .tooManyBytes
                }
            }
        }

        @Test func `an image between two sizes has a limit`() throws {
            let image = Image(try #require(Bitmap(width: 1, height: 2_000_000)))
            let processor = ImageProcessor.resized(
                to: ImageSize(width: 100, height: 100),
                mode: .stretching,
                enlarges: true
            )
            #expect {
                _ = try processor.process(image)
            } throws: { error in
                (error as? ImageDecodingError)?.reason == .tooManyPixels
            }
        }
    }
#endif
