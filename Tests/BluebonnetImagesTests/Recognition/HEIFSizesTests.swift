#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    /// The sample is a grid of one picture of HEVC: its container says 64 × 48 pixels, its picture
    /// 64 × 64.
    @Suite(.timeLimit(.minutes(1)))
    struct HEIFSizesTests {
        private func sizes(_ data: Data) throws -> HEIFSizes { try HEIFSizes(ImageBytes(data), .heif) }

        private func error(_ data: Data, maximumPixels: Int? = nil) -> ImageDecodingError? {
            var decoder = ImageDecoder()
            decoder.formats = [.heif]
            if let maximumPixels { decoder.limits.maximumPixelCount = maximumPixels }
            do throws(ImageDecodingError) {
                _ = try decoder.decode(data)
                return nil
            } catch {
                return error
            }
        }

        private func big(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> ((size - 1 - $0) * 8)) }
        }

        /// The sample with other bytes in place of a text.
        private func replacing(_ text: String, _ new: [UInt8], at offset: Int = 0) throws -> Data {
            var data = SampleImage.heif
            let place = try #require(data.range(of: Data(text.utf8))).lowerBound + offset
            data.replaceSubrange(place..<place + new.count, with: new)
            return data
        }

        /// The sample with another size of its image, and of its picture, in the container.
        private func lying() throws -> Data {
            var data = SampleImage.heif
            for place in data.indices.dropLast(12) where data[place...].starts(with: Data("ispe".utf8)) {
                data.replaceSubrange(place + 8..<place + 16, with: big(16, 4) + big(8, 4))
            }
            let grid = try #require(data.range(of: Data(big(64, 2) + big(48, 2)))).lowerBound
            data.replaceSubrange(grid..<grid + 4, with: big(16, 2) + big(8, 2))
            return data
        }

        @Test func `an image is decoded, and has the size of its primary item`() throws {
            var decoder = ImageDecoder()
            decoder.formats = [.heif]
            let image = try decoder.decode(SampleImage.heif)
            #expect(image.width == 64 && image.height == 48)
            #expect(image.metadata.originalWidth == 64 && image.metadata.originalHeight == 48)
            let (left, right) = (image.bitmap[4, 40], image.bitmap[60, 4])
            #expect(left.red > 200 && left.blue < 60 && right.blue > 200 && right.red < 60)
        }

        @Test func `the size of a picture is that of its parameter set`() throws {
            #expect(try sizes(SampleImage.heif).largest == 64 * 64)
            let data = try lying()
            #expect(try ImageInformation(of: data).width == 16)
            #expect(try sizes(data).largest == 64 * 64)
            #expect(error(data, maximumPixels: 64 * 64 - 1)?.reason == .tooManyPixels)
        }

        /// A sequence parameter set (H.265 §7.3.2.2). Its profile has ones alone, so that there is
        /// no start code in it.
        private func parameterSet(_ width: Int, _ height: Int, layers: Int = 0) -> [UInt8] {
            func number(_ value: Int) -> String {
                let digits = String(value + 1, radix: 2)
                return String(repeating: "0", count: digits.count - 1) + digits
            }
            let ones = String(repeating: "1", count: 96)
            let count = String(repeating: "0", count: 3 - String(layers, radix: 2).count) + String(layers, radix: 2)
            // Each layer has a profile and a level of its own; the others are filled up to eight.
            let more = layers == 0 ? "" : String(repeating: "1", count: 2 * 8 + 96 * layers)
            var bits = "1111" + count + "1" + ones + more + number(0) + number(1) + number(width) + number(height) + "1"
            bits += String(repeating: "0", count: -bits.count & 7)
            let bytes = stride(from: 0, to: bits.count, by: 8).map { place in
                let begin = bits.index(bits.startIndex, offsetBy: place)
                return UInt8(bits[begin..<bits.index(begin, offsetBy: 8)], radix: 2) ?? 0
            }
            return [0x42, 1] + bytes
        }

        @Test(arguments: [0, 1, 6])
        func `a parameter set among the bytes of a picture counts`(layers: Int) throws {
            let units = [[0x26, 1, 2, 3], parameterSet(20_000, 17_000, layers: layers), parameterSet(16, 8)]
            let bytes = units.flatMap { big($0.count, 4) + $0 }
            #expect(try HEVCSizes.largest(in: ImageBytes(Data(bytes))) == 20_000 * 17_000)
            // One of another layer is passed over by the loader.
            var other = bytes
            other[8 + 4 + 1] = 9
            #expect(try HEVCSizes.largest(in: ImageBytes(Data(other))) == 16 * 8)
        }

        @Test func `a parameter set in the place of a picture stops the image`() throws {
            let unit = parameterSet(20_000, 17_000)
            var data = SampleImage.heif
            let picture = data.count - 37
            data.replaceSubrange(picture..<picture + 4 + unit.count, with: big(unit.count, 4) + unit)
            // What is left of the picture is another unit.
            let next = picture + 4 + unit.count
            data.replaceSubrange(next..<next + 4, with: big(data.count - next - 4, 4))
            #expect(try sizes(data).largest == 20_000 * 17_000)
            #expect(error(data)?.reason == .tooManyPixels)
        }

        @Test func `the canvas of a grid and of an overlay counts`() throws {
            var data = SampleImage.heif
            let canvas = try #require(data.range(of: Data(big(64, 2) + big(48, 2)))).lowerBound
            data.replaceSubrange(canvas..<canvas + 4, with: big(60_000, 2) + big(50_000, 2))
            #expect(try sizes(data).largest == 60_000 * 50_000)
            #expect(error(data)?.reason == .tooManyPixels)
            var overlay = [UInt8](repeating: 0, count: 10) + big(50_000, 2) + big(40_000, 2)
            overlay += [UInt8](repeating: 0, count: 37 - overlay.count)
            var other = try replacing("hvc1", Array("iovl".utf8))
            other.replaceSubrange(other.count - 37..<other.count, with: overlay)
            // An overlay in a grid is more than the loader is trusted with.
            #expect(error(other)?.reason == .malformed)
            let kind = try #require(other.range(of: Data("grid".utf8))).lowerBound
            other.replaceSubrange(kind..<kind + 4, with: Array("Exif".utf8))
            let parts = try #require(other.range(of: Data("dimg".utf8))).lowerBound
            other.replaceSubrange(parts..<parts + 4, with: Array("cdsc".utf8))
            #expect(try sizes(other).largest == 50_000 * 40_000)
        }

        @Test func `a picture that is a part many times counts as often`() throws {
            #expect(try sizes(SampleImage.heif).parts == 64 * 64)
            // More parts of the grid, at the end of the box `meta`, which begins behind 28 bytes.
            let count = 30_000
            let parts = big(2, 2) + big(count, 2) + (0..<count).flatMap { _ in big(1, 2) }
            let reference = big(8 + parts.count, 4) + Array("dimg".utf8) + parts
            let box = big(12 + reference.count, 4) + Array("iref".utf8) + big(0, 4) + reference
            var data = SampleImage.heif
            let end = 28 + 0x1AD
            data.insert(contentsOf: box, at: end)
            data.replaceSubrange(28..<32, with: big(0x1AD + box.count, 4))
            let place = try #require(data.range(of: Data(big(0x1D1, 4)))).lowerBound
            data.replaceSubrange(place..<place + 4, with: big(0x1D1 + box.count, 4))
            #expect(try sizes(data).parts == 64 * 64 * (count + 1))
            #expect(error(data, maximumPixels: 1_000_000)?.reason == .tooManyPixels)
        }

        @Test func `what is not known is malformed`() throws {
            #expect(error(try replacing("hvc1", Array("vvc1".utf8)))?.reason == .malformed)
            #expect(error(try replacing("hvc1", Array("grid".utf8)))?.reason == .malformed)
            // Lengths of two bytes.
            #expect(error(try replacing("hvcC", [0x0D], at: 4 + 21))?.reason == .malformed)
        }

        @Test func `every beginning and every changed byte ends in a number or an error`() {
            let data = SampleImage.heif
            for count in 0..<data.count { _ = try? sizes(data.prefix(count)) }
            for place in data.indices {
                for value in [0, 0x0F, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = data
                    changed[place] = value
                    _ = try? sizes(changed)
                }
            }
        }
    }
#endif
