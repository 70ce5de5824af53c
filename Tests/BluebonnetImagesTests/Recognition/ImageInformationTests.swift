#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(1)))
    struct ImageInformationTests {
        private func information(_ bytes: [UInt8]) throws -> ImageInformation {
            try ImageInformation(of: Data(bytes))
        }

        private func reason(_ data: Data) -> ImageDecodingError.Reason? {
            do throws(ImageDecodingError) {
                _ = try ImageInformation(of: data)
                return nil
            } catch {
                return error.reason
            }
        }

        @Test(arguments: [
            (SampleImage.bmp, ImageFormat.bmp, 3, 2), (SampleImage.gif, .gif, 3, 2), (SampleImage.tiff, .tiff, 3, 2),
            (SampleImage.webp, .webp, 3, 2), (SampleImage.turnedWebP, .webp, 3, 2), (SampleImage.avif, .avif, 16, 8),
            (SampleImage.turnedPNG, .png, 3, 2), (SampleImage.turnedJPEG, .jpeg, 24, 16),
            (SampleImage.progressiveJPEG, .jpeg, 24, 16), (SampleImage.iconWithBitmap, .ico, 16, 16),
            (SampleImage.iconWithPNG, .ico, 32, 32), (SampleImage.xbm, .xbm, 3, 2), (SampleImage.ppm, .pnm, 3, 2),
            (SampleImage.heif, .heif, 64, 48), (SampleImage.jpegXL, .jpegXL, 3, 2),
        ])
        func `the bytes say format and size`(data: Data, format: ImageFormat, width: Int, height: Int) throws {
            let information = try ImageInformation(of: data)
            #expect(information.format == format)
            #expect(information.width == width)
            #expect(information.height == height)
            #expect(information.frameCount == 1)
            // The place of the first byte does not matter.
            #expect(try ImageInformation(of: (Data([1, 2, 3]) + data).dropFirst(3)) == information)
        }

        @Test(arguments: [
            SampleImage.turnedPNG, SampleImage.turnedJPEG, SampleImage.turnedWebP, SampleImage.turnedTIFF,
        ])
        func `the orientation is read from Exif`(data: Data) throws {
            #expect(try ImageInformation(of: data).orientation == .right)
        }

        @Test func `an animation has frames, delays and repetitions`() throws {
            // The delay of the second frame is so short that it counts as 100 ms.
            let delays: [Duration] = [.milliseconds(50), .milliseconds(100), .milliseconds(200)]
            let gif = try ImageInformation(of: SampleImage.animatedGIF)
            #expect(gif.frameCount == 3)
            #expect(gif.delays == delays)
            #expect(gif.loopCount == 3)
            let webp = try ImageInformation(of: SampleImage.animatedWebP)
            #expect(webp.frameCount == 3)
            #expect(webp.delays == delays)
            #expect(webp.loopCount == 0)
        }

        /// ISO/IEC 18181-1: a small size, one with a ratio of 16 to 9, and one in a box.
        @Test func `the size of JPEG XL is read bit by bit`() throws {
            // small = 1, height / 8 - 1 = 1, ratio = 0, width / 8 - 1 = 2.
            let bits = 1 | 1 << 1 | 0 << 6 | 2 << 9
            let small: [UInt8] = [0xFF, 0x0A, UInt8(bits & 0xFF), UInt8(bits >> 8)]
            #expect(try information(small).format == .jpegXL)
            #expect(try information(small).width == 24)
            #expect(try information(small).height == 16)
            // small = 0, the second distribution of 13 bits, height - 1 = 1079, ratio = 5.
            let large = 0 | 1 << 1 | 1079 << 3 | 5 << 16
            let bytes: [UInt8] = [0xFF, 0x0A, UInt8(large & 0xFF), UInt8(large >> 8 & 0xFF), UInt8(large >> 16)]
            #expect(try information(bytes).width == 1920)
            #expect(try information(bytes).height == 1080)
            let boxed = JPEGXLHeader.container + [0, 0, 0, 13] + Array("jxlc".utf8) + bytes
            #expect(try information(boxed).width == 1920)
        }

        @Test func `a BigTIFF has a size`() throws {
            func number(_ value: Int, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> ($0 * 8) & 0xFF) } }
            func entry(_ tag: Int, _ kind: Int, _ value: Int) -> [UInt8] {
                number(tag, 2) + number(kind, 2) + number(1, 8) + number(value, 8)
            }
            let header = Array("II".utf8) + number(43, 2) + number(8, 2) + number(0, 2) + number(16, 8)
            let directory = number(2, 8) + entry(256, 4, 70_000) + entry(257, 16, 5)
            #expect(try information(header + directory).width == 70_000)
            #expect(try information(header + directory).height == 5)
        }

        @Test func `an SVG is recognized behind comments and a document type`() {
            #expect(ImageFormat(of: SampleImage.svg) == .svg)
            #expect(ImageFormat(of: Data("\u{FEFF}<svg/>".utf8)) == .svg)
            #expect(ImageFormat(of: Data("<!DOCTYPE svg [<!ENTITY a \"b>\">]>\n<s:svg xmlns:s=''>".utf8)) == .svg)
            #expect(ImageFormat(of: Data("<!-- <svg> --><html><svg/></html>".utf8)) == nil)
            #expect(ImageFormat(of: Data("<svgx/>".utf8)) == nil)
            #expect(ImageFormat(of: Data("<!-- ".utf8)) == nil)
        }

        @Test(arguments: [
            "", "B", "BM is not a bitmap because of the size", "GIF", "hello", "{\"a\":1}", "P", "P7\n", "<",
        ])
        func `other bytes are not an image`(text: String) {
            #expect(reason(Data(text.utf8)) == .unknownFormat)
        }

        @Test func `every beginning of an image ends in an information or an error`() {
            let images = [
                SampleImage.bmp, SampleImage.gif, SampleImage.tiff, SampleImage.webp, SampleImage.turnedWebP,
                SampleImage.turnedTIFF, SampleImage.turnedPNG, SampleImage.avif, SampleImage.turnedJPEG,
                SampleImage.animatedGIF, SampleImage.animatedWebP, SampleImage.iconWithBitmap,
                SampleImage.iconWithPNG, SampleImage.xbm, SampleImage.ppm,
            ]
            for image in images {
                for count in 0..<image.count {
                    let reason = reason(image.prefix(count))
                    let isKnown = ImageFormat(of: image.prefix(count)) != nil
                    #expect(isKnown ? reason != .unknownFormat : reason == .unknownFormat)
                }
            }
        }

        @Test func `numbers that overflow are errors`() throws {
            let box = Array("ftypavif".utf8)
            let meta: [UInt8] = [0, 0, 0, 1] + Array("meta".utf8) + Array(repeating: 0xFF, count: 24)
            #expect(reason(Data([0, 0, 0, 20] + box + [0, 0, 0, 0, 0, 0, 0, 0] + meta)) != nil)
            let bigTIFF = Array("MM".utf8) + [0, 43, 0, 8, 0, 0] + Array(repeating: UInt8(0xFF), count: 8)
            #expect(reason(Data(bigTIFF)) == .malformed)
            let jxl = JPEGXLHeader.container + [0, 0, 0, 1] + Array("skip".utf8) + Array(repeating: 0x7F, count: 16)
            #expect(reason(Data(jxl)) == .truncated)
        }

        /// Loaders need much time for each of the parts of a block.
        @Test func `a GIF of very many short blocks is malformed`() {
            let header = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x21, 0xFE]
            let parts = Array(repeating: UInt8(1), count: 100_000)
            #expect(reason(Data(header + parts)) == .malformed)
        }
    }
#endif
