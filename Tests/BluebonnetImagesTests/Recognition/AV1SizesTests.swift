#if Images
    import Foundation
    import Testing

    @testable import BluebonnetImages

    @Suite(.timeLimit(.minutes(1)))
    struct AV1SizesTests {
        /// The place of the picture in the sample, whose container says 16 × 8 pixels. Its sequence
        /// header begins behind four bytes.
        private static let picture = 275

        private func number(_ value: Int, _ bits: Int) -> String {
            let digits = String(value, radix: 2)
            return String(repeating: "0", count: bits - digits.count) + digits
        }

        /// The sizes at the end of a sequence header.
        private func sizes(_ width: Int, _ height: Int, bits: Int) -> String {
            number(bits - 1, 4) + number(bits - 1, 4) + number(width - 1, bits) + number(height - 1, bits)
        }

        /// The sample with other bytes in its picture.
        private func image(_ bytes: [UInt8]) -> Data {
            var data = SampleImage.avif
            data.replaceSubrange(Self.picture..<Self.picture + bytes.count, with: bytes)
            return data
        }

        /// The sample with another sequence header, which is filled with zeros.
        private func image(header bits: String) -> Data {
            var bytes: [UInt8] = []
            var rest = bits[...]
            while !rest.isEmpty {
                let byte = rest.prefix(8)
                bytes.append((UInt8(byte, radix: 2) ?? 0) << (8 - byte.count))
                rest = rest.dropFirst(8)
            }
            // Padding up to the end (AV1 §6.2.2) behind it.
            return image([0x12, 0, 0x0A, UInt8(bytes.count)] + bytes + [0x78])
        }

        private func largest(_ data: Data) throws -> Int { try HEIFSizes(ImageBytes(data), .avif).largest }

        private func reason(_ data: Data) -> ImageDecodingError.Reason? {
            do throws(ImageDecodingError) {
                _ = try ImageDecoder().decode(data)
                return nil
            } catch {
                return error.reason
            }
        }

        @Test func `the size of the picture is that of its sequence header`() throws {
            #expect(try largest(SampleImage.avif) == 16 * 8)
            // Profile 0, a still picture with a short header, level 0.
            let data = image(header: "00011" + "00000" + sizes(20_000, 17_000, bits: 15))
            #expect(try largest(data) == 20_000 * 17_000)
            #expect(try ImageInformation(of: data).width == 16)
            #expect(reason(data) == .tooManyPixels)
        }

        @Test func `a long sequence header is read, with all that may be in it`() throws {
            let points = number(1, 5) + (number(0, 12) + number(9, 5) + "1") + (number(0, 12) + number(5, 5))
            let plain = "00000" + "0" + "0" + points
            #expect(try largest(image(header: plain + sizes(3000, 2500, bits: 12))) == 3000 * 2500)
            let timing = number(1, 32) + number(25, 32) + "1" + "00101"
            let model = "1" + number(4, 5) + number(1, 32) + number(7, 5) + number(7, 5)
            let point = number(0, 12) + number(5, 5) + "1" + number(3, 5) + number(3, 5) + "0" + "1" + number(2, 4)
            let full = "00000" + "1" + timing + model + "1" + number(0, 5) + point
            #expect(try largest(image(header: full + sizes(300, 290, bits: 9))) == 300 * 290)
        }

        /// A frame may have its own size with these bits (AV1 §5.9.5).
        @Test func `more bits than the size needs count as the size`() throws {
            let data = image(header: "00011" + "00000" + sizes(16, 8, bits: 16))
            #expect(try largest(data) == 65_536 * 65_536)
            #expect(reason(data) == .tooManyPixels)
        }

        @Test func `a sequence header behind other units counts`() throws {
            let small: [UInt8] = [0x0A, 8, 0x38, 0x0C, 0xBF, 0xB0, 0x80, 0x86, 0x83, 0x48]
            // Profile 0, a still picture, 12 bits for each side, both 4096.
            let large: [UInt8] = [0x0A, 6, 0x18, 0x2E, 0xFF, 0xFF, 0xFF, 0xC0]
            #expect(try largest(image([0x12, 0] + small + [0x32, 3, 1, 2, 3] + large + [0x78])) == 4096 * 4096)
        }

        @Test func `a grid counts with its size`() throws {
            var data = image([0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0])
            let kind = try #require(data.range(of: Data("av01Color".utf8)))
            data.replaceSubrange(kind.lowerBound..<kind.lowerBound + 4, with: Array("grid".utf8))
            #expect(try largest(data) == 65_536 * 65_536)
            #expect(reason(data) == .tooManyPixels)
        }

        @Test func `a sequence is malformed, whose pictures lie elsewhere`() {
            var data = SampleImage.avif
            data[11] = UInt8(ascii: "s")
            #expect(reason(data) == .malformed)
        }

        @Test func `every beginning and every changed byte ends in a number or an error`() {
            let data = SampleImage.avif
            for count in 0..<data.count { _ = try? largest(data.prefix(count)) }
            for place in 0..<Self.picture + 14 {
                for value in [0, 0x0F, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = data
                    changed[place] = value
                    _ = try? largest(changed)
                }
            }
        }
    }
#endif
